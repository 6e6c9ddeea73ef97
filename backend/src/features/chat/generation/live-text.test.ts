import { describe, expect, it } from 'vitest';
import { deltasFrom, type ReplyRecord } from '../messages/index.ts';
import { withLiveText } from './live-text.ts';

describe('the text of a running reply', () => {
  const reply = { id: 'r', attempt: 3, status: 'streaming', content: 'Owls ' };
  const live = (fields: object, logged: Record<number, string>) =>
    withLiveText({ ...reply, ...fields } as ReplyRecord, {
      read: async (_id, attempt) => deltasFrom([{ type: 'text', text: logged[attempt] ?? '' }], 0),
    });

  it.each([
    ['its checkpoint and its log', {}, { 3: 'Owls hoot.' }, 'Owls hoot.'],
    ['its checkpoint without a log', {}, {}, 'Owls '],
    [
      'the log of a lost attempt that is taken over',
      { lostAttempts: 2 },
      { 1: 'Owls hoot.' },
      'Owls hoot.',
    ],
  ])('is %s', async (_, fields, logged, content) => {
    expect((await live(fields, logged)).content).toBe(content);
  });
});
