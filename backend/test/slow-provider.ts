import { setTimeout as sleep } from 'node:timers/promises';
import { serveModel } from './model-server.ts';

const CHUNKS_PER_SECOND = 4;

/**
 * A model provider whose replies all have the same text and take `seconds`. A prompt that ends with the beginning of the text is answered
 * with the rest, as by a model that continues a reply.
 */
export async function startSlowProvider(seconds: number) {
  const chunks = Array.from({ length: seconds * CHUNKS_PER_SECOND }, (_, i) => `word-${i} 🦉 `);
  const content = chunks.join('');
  let aborted = 0;
  const provider = await serveModel(async ({ messages, response, write }) => {
    response.once('close', () => {
      if (!response.writableEnded) aborted += 1;
    });
    const begun = messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
    const text = content.startsWith(begun) ? content.slice(begun.length) : content;
    for (const chunk of text.match(/.{1,12}/gsu) ?? []) {
      await sleep(1_000 / CHUNKS_PER_SECOND);
      if (!write(chunk)) return;
    }
    await sleep(1_000 / CHUNKS_PER_SECOND);
  });
  /** `aborted`: the number of calls that the product ended before their text. */
  return { ...provider, content, aborted: () => aborted };
}
