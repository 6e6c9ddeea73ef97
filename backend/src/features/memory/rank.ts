import { rankTexts } from '../files/index.ts';
import type { MemoryRecord } from './record.ts';

/** The memories that fit a message best, by BM25, the best first. */
export async function bestFor(
  message: string,
  memories: readonly MemoryRecord[],
  most: number,
): Promise<MemoryRecord[]> {
  const ranked = await rankTexts(
    message,
    memories.map(({ text }) => text),
  );
  return ranked.slice(0, most).flatMap((at) => memories[at] ?? []);
}
