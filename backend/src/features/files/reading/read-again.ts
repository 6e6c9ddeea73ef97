import type { Actor } from '../../../access/index.ts';
import { AppError, notFound } from '../../../errors.ts';
import { SWEEP_AFTER_MS } from '../../../jobs/durable.ts';
import { fileProblem } from '../../../reading/index.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileRecord } from '../library/file-record.ts';
import { openToChange } from '../library/open.ts';
import { readingQueue } from './queue.ts';

/**
 * Reads a failed file again. A file in any other state stays unchanged.
 * @returns the current file
 * @throws AppError not_found; forbidden for a user who may not change it; file_not_ready for a file that may not be read again
 */
export async function readAgain(
  files: FilesFeature,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<FileRecord> {
  const { readings, publishChange, now } = files;
  const { ownerId } = await openToChange(files, actor, { id, action: 'write' });
  const key = { id, ownerId };
  const dueAt = new Date(now().getTime() + SWEEP_AFTER_MS);
  const waiting = await readings.retryFailed(key, { dueAt });
  if (!waiting) {
    const file = await readings.find(key);
    if (!file) throw notFound('file');
    if (file.state !== 'failed') return file;
    throw new AppError('file_not_ready', fileProblem(file.problem?.code ?? 'too_complex').message);
  }
  // Published before a worker publishes that it reads the file.
  await publishChange(waiting);
  await readingQueue(files).enqueue({ fileId: id, ownerId: waiting.ownerId });
  return waiting;
}
