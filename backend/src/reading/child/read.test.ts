import { expect, it } from 'vitest';
import { MAX_TEXT_LENGTH } from '../limits.ts';
import type { Message } from '../protocol.ts';
import { createFiles } from '../reading.fixture.ts';
import { read } from './read.ts';

const { put } = createFiles();

it('cuts a file where its pages together reach the maximum length', async () => {
  const file = await put('long.txt', 'An owl.\n'.repeat(MAX_TEXT_LENGTH / 8 + 1_000));
  const sent: Message[] = [];
  const ended = await read({ ...file }, (message) => sent.push(message));
  expect(ended).toEqual({ truncated: true });
  const texts = sent.flatMap((message) => (message.is === 'page' ? message.page.text : []));
  expect(texts.length).toBeGreaterThan(1);
  expect(texts.join('')).toHaveLength(MAX_TEXT_LENGTH);
});
