import { setTimeout as sleep } from 'node:timers/promises';
import type { FileKind } from '../../../contract/files.ts';
import type { FilesFeature } from '../feature.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;

/**
 * Resolves when none of a user's files is being stored or read any more and none without text is being recognised, or after `timeoutMs`; missing files count as read. Rejects with
 * the signal's reason.
 */
export async function waitUntilRead(
  { readings, now, config }: Pick<FilesFeature, 'readings' | 'now' | 'config'>,
  {
    ownerId,
    fileIds,
    timeoutMs,
    signal,
  }: { ownerId: string; fileIds: readonly string[]; timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  // A model that sees is given the image itself.
  const kinds: FileKind[] = config.OPENAI_VISION ? ['pdf'] : ['pdf', 'image'];
  const end = now().getTime() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    signal.throwIfAborted();
    if (fileIds.length === 0 || (await readings.countUnfinished({ ownerId, fileIds, kinds })) === 0)
      return;
    const leftMs = end - now().getTime();
    if (leftMs <= 0) return;
    // The beginning of the loop rejects with the reason.
    await sleep(Math.min(pauseMs, leftMs), undefined, { signal }).catch(() => undefined);
  }
}
