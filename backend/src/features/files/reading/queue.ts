import type { FairQueue } from '../../../jobs/fair-queue.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import type { FileKey } from '../store-model.ts';
import type { ReadingJob } from './job.ts';

/** All users are in one group and take turns in it, so that one user's many files do not hold up those of others. */
export const READING_WEIGHTS = { files: 1 };

interface ReadingQueueDeps {
  readingProducer: Pick<JobProducer<ReadingJob>, 'add' | 'canRun' | 'remove'>;
  readingFairQueue: Pick<FairQueue<keyof typeof READING_WEIGHTS>, 'enter'>;
}

export type ReadingQueue = ReturnType<typeof createReadingQueue>;

export const createReadingQueue = ({ readingProducer, readingFairQueue }: ReadingQueueDeps) => ({
  /** Enqueues the reading of a file that has no job which can run. */
  ensureQueued: async ({ id: fileId, ownerId }: FileKey): Promise<void> => {
    if (await readingProducer.canRun(fileId)) return;
    // A job that exists but cannot run would keep its id from being used again.
    await readingProducer.remove(fileId);
    const priority = await readingFairQueue.enter({ group: 'files', member: ownerId });
    await readingProducer.add(fileId, { fileId, ownerId }, { priority });
  },
});
