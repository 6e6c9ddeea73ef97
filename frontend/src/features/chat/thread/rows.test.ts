import { describe, expect, it } from 'vitest';
import { makeReply, makeSent } from '../chat-server.fixture.ts';
import { rowsOf } from './rows.ts';

const pending = { clientMessageId: 'k1', content: 'Hello', createdAt: '' };

describe('the rows of a thread', () => {
  it('keep their keys when the pending message is accepted', () => {
    const { message, reply } = makeSent('c1', { clientMessageId: 'k1', content: 'Hello' });
    const before = rowsOf([], pending);
    const after = rowsOf([message, reply], pending);
    expect(before.map(({ kind }) => kind)).toEqual(['pending', 'awaited']);
    expect(after.map(({ kind }) => kind)).toEqual(['user', 'reply']);
    expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  });

  it('have different keys for replies to the same message', () => {
    const { message, reply } = makeSent('c1', { clientMessageId: 'k1' });
    const again = makeReply('c1', { id: 'r2', siblingIds: ['r1', 'r2'] });
    const keys = [reply, again].map((it) => rowsOf([message, it], undefined)[1]?.key);
    expect(new Set(keys).size).toBe(2);
  });

  it('mark the last reply', () => {
    const one = makeSent('c1');
    const two = makeSent('c1', { n: 2 });
    const rows = rowsOf([one.message, one.reply, two.message, two.reply], undefined);
    expect(rows.flatMap((row) => (row.kind === 'reply' ? [row.isLast] : []))).toEqual([
      false,
      true,
    ]);
  });
});
