import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** Sends a text part by part, as fast as the client reads; nothing happens when the client leaves. */
export async function sendText(res: Response, text: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(text), res);
  } catch (error) {
    if (!isAborted(error)) throw error;
  }
}

/**
 * Sends the items of a list as JSON, one after the other, so that the whole text exists at no time.
 * @throws the error of the first item; nothing is sent then
 */
export async function sendList(res: Response, items: AsyncGenerator<object>): Promise<void> {
  const first = await items.next();
  res.type('json');
  await sendText(res, listText(first, items));
}

async function* listText(
  first: IteratorResult<object>,
  items: AsyncGenerator<object>,
): AsyncGenerator<string> {
  yield `[${first.done ? '' : JSON.stringify(first.value)}`;
  for await (const item of items) yield `,${JSON.stringify(item)}`;
  yield ']';
}

const isAborted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
