import type { TaskQueue } from '../../../jobs/durable.ts';
import type { FairQueue } from '../../../jobs/fair-queue.ts';
import { ensureQueued, type JobProducer } from '../../../jobs/producer.ts';
import type { Log } from '../../../log.ts';
import { type ReadingJob, readingJob } from './job.ts';

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
  log: Pick<Log, 'warn'>;
}

/** The queue of files that are to be read, in the lane of their owner. */
export function createReadingQueue({ lanes, isGuest, log }: ReadingQueueDeps) {
  const { users, guests } = lanes;
  const placeOf = ({ fileId }: ReadingJob) => ({ queue: readingJob.name, jobId: fileId });

  const ensure = async ({ fileId, ownerId }: ReadingJob): Promise<void> => {
    const [own, other] = (await isGuest(ownerId)) ? [guests, users] : [users, guests];
    // A guest may have registered since.
    if (await other.producer.canRun(fileId)) return;
    await ensureQueued(own.producer, fileId, async () => {
      const priority = await own.fairQueue.enter({ group: 'files', member: ownerId });
      await own.producer.add(fileId, { fileId, ownerId }, { priority });
    });
  };

  return {
    placeOf,
    ensure,
    enqueue: (key) =>
      ensure(key).catch((error: unknown) =>
        log.warn({ err: error, ...placeOf(key) }, 'a task is enqueued later'),
      ),
  } satisfies TaskQueue<ReadingJob>;
}
