import * as z from 'zod';
import { defineJob } from '../../../jobs/define-job.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import type { Core } from '../../define-feature.ts';

/** Computes the vectors of one file by one model. */
export const vectorsJob = defineJob({
  name: 'file-vectors',
  schema: z.object({ fileId: z.string(), ownerId: z.string(), model: z.string() }),
  userOf: ({ ownerId }) => ownerId,
  concurrency: 2,
  retry: { attempts: 5, firstMs: 2_000 },
});

export type VectorsJob = z.infer<typeof vectorsJob.schema>;

/** The parts for search by meaning. */
export interface Vectors {
  /** Vectors are stored under the name of its model. */
  embedder: NonNullable<Core['embedder']>;
  producer: Pick<JobProducer<VectorsJob>, 'add' | 'canRun' | 'remove'>;
  /** Until this time in ms no question is embedded, because the provider has failed. */
  pausedUntil: number;
}

/** @returns null without an embedding model: passages are then found by their words */
export const createVectors = ({
  embedder,
  produce,
}: Pick<Core, 'embedder' | 'produce'>): Vectors | null =>
  embedder && { embedder, producer: produce(vectorsJob), pausedUntil: 0 };
