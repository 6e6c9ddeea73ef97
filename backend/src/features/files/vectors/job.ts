import { createHash } from 'node:crypto';
import * as z from 'zod';
import { defineJob } from '../../../jobs/define-job.ts';
import { ensureQueued, type JobProducer } from '../../../jobs/producer.ts';
import type { Log } from '../../../log.ts';
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

/** Enqueues the vectors of files. One that is lost is enqueued again by the next reply that needs it. */
export const createVectorQueue =
  ({
    producer,
    model,
    log,
  }: {
    producer: Pick<JobProducer<VectorsJob>, 'add' | 'canRun' | 'remove'>;
    model: string;
    log: Pick<Log, 'warn'>;
  }) =>
  async ({ id: fileId, ownerId }: FileKey): Promise<void> => {
    const jobId = `${fileId}-${createHash('sha256').update(model).digest('hex').slice(0, 16)}`;
    const add = () => producer.add(jobId, { fileId, ownerId, model });
    await ensureQueued(producer, jobId, add).catch((error: unknown) => {
      log.warn({ err: error, fileId }, 'the vectors of a file are computed later');
    });
  };
