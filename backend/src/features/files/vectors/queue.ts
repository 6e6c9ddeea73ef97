import { createHash } from 'node:crypto';
import { ensureQueued } from '../../../jobs/producer.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileKey } from '../library/records-model.ts';
import type { Vectors } from './job.ts';

/** The object of the feature with an embedding model. */
export type WithVectors<Keys extends keyof FilesFeature> = Pick<FilesFeature, Keys> & {
  vectors: Vectors;
};

/**
 * Enqueues the vectors of a file that was read; nothing happens without an embedding model. The next reply that needs the vectors enqueues
 * a lost job again.
 */
export async function enqueueVectors(
  { vectors, log }: Pick<FilesFeature, 'vectors' | 'log'>,
  { id: fileId, ownerId }: FileKey,
): Promise<void> {
  if (!vectors) return;
  const { producer, embedder } = vectors;
  const { model } = embedder;
  const jobId = `${fileId}-${createHash('sha256').update(model).digest('hex').slice(0, 16)}`;
  const add = () => producer.add(jobId, { fileId, ownerId, model });
  await ensureQueued(producer, jobId, add).catch((error: unknown) => {
    log.warn({ err: error, fileId }, 'vectors of file will be computed later');
  });
}
