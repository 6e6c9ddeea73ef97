import type { FairQueue } from '../../../jobs/fair-queue.ts';
import { ensureQueued, type JobProducer } from '../../../jobs/producer.ts';
import type { FileKey } from '../library/records-model.ts';
import type { ReadingJob } from './job.ts';

/** All users of a queue are in one group and take turns in it, so that one user's many files do not hold up those of others. */
export const READING_WEIGHTS = { files: 1 };

/** Jobs of one kind that wait. */
export interface ReadingLane {
  producer: Pick<JobProducer<ReadingJob>, 'add' | 'canRun' | 'remove'>;
  fairQueue: Pick<FairQueue<keyof typeof READING_WEIGHTS>, 'enter'>;
}

interface ReadingQueueDeps {
  lanes: { users: ReadingLane; guests: ReadingLane };
  isGuest: (userId: string) => Promise<boolean>;
}

export type ReadingQueue = ReturnType<typeof createReadingQueue>;

export const createReadingQueue = ({ lanes: { users, guests }, isGuest }: ReadingQueueDeps) => ({
  /** Enqueues the reading of a file that has no job which can run. */
  ensureQueued: async ({ id: fileId, ownerId }: FileKey): Promise<void> => {
    const [own, other] = (await isGuest(ownerId)) ? [guests, users] : [users, guests];
    // A guest may have registered since.
    if (await other.producer.canRun(fileId)) return;
    await ensureQueued(own.producer, fileId, async () => {
      const priority = await own.fairQueue.enter({ group: 'files', member: ownerId });
      await own.producer.add(fileId, { fileId, ownerId }, { priority });
    });
  },
});
