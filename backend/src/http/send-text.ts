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

const isAborted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
