import { createHash } from 'node:crypto';
import * as z from 'zod';
import { defineJob } from '../../../jobs/define-job.ts';
import { ensureQueued, type JobProducer } from '../../../jobs/producer.ts';
import type { Core } from '../../define-feature.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileKey } from '../library/records-model.ts';

/** Computes the vectors of one file by one model. */
export const vectorsJob = defineJob({
  name: 'file-vectors',
  schema: z.object({ fileId: z.string(), ownerId: z.string(), model: z.string() }),
  userOf: ({ ownerId }) => ownerId,
  concurrency: 2,
  retry: { attempts: 5, firstMs: 2_000 },
});

export type VectorsJob = z.infer<typeof vectorsJob.schema>;

/** What search by meaning needs. */
export interface Vectors {
  /** Its model names the vectors: each model has vectors of its own. */
  embedder: NonNullable<Core['embedder']>;
  producer: Pick<JobProducer<VectorsJob>, 'add' | 'canRun' | 'remove'>;
  /** No question is embedded before this time in ms: the provider has failed. */
  pausedUntil: number;
}

/** @returns null without an embedding model: passages are found by their words */
export const createVectors = ({
  embedder,
  produce,
}: Pick<Core, 'embedder' | 'produce'>): Vectors | null =>
  embedder && { embedder, producer: produce(vectorsJob), pausedUntil: 0 };

/** The object of the feature where there is an embedding model. */
export type WithVectors<Keys extends keyof FilesFeature> = Pick<FilesFeature, Keys> & {
  vectors: Vectors;
};

/**
 * Enqueues the vectors of a file that was read; nothing happens without an embedding model. A job that is lost is enqueued again by
 * the next reply that needs it.
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
    log.warn({ err: error, fileId }, 'the vectors of a file are computed later');
  });
}
