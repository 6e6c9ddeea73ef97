import * as z from 'zod';
import { defineJob } from '../../../jobs/define-job.ts';
import { createFairQueue, type FairQueue } from '../../../jobs/fair-queue.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import type { Core } from '../../define-feature.ts';

/**
 * Reads one file. The queue redelivers the job of a crashed worker within lock + check. BullMQ renews a lock at half its duration; a worker
 * that loses one continues, because a takeover also needs an expired heartbeat.
 */
export const readingJob = defineJob({
  name: 'file-reading',
  schema: z.object({ fileId: z.string(), ownerId: z.string() }),
  userOf: ({ ownerId }) => ownerId,
  // Child processes do the work; FILE_READERS limits their number.
  concurrency: 4,
  lockMs: 8_000,
  stallCheckMs: 3_000,
  maxStalls: 2,
});

/**
 * Reads files of guests. These jobs have a separate queue with fewer than `FILE_READERS` jobs at once, so that a reader stays free for
 * users with a plan even when many guests upload slow files.
 */
export const guestReadingJob = { ...readingJob, name: 'guest-file-reading' };

export type ReadingJob = z.infer<typeof readingJob.schema>;

/** All users of a queue are in one group and take turns, so that one user's many files do not delay other users. */
export const READING_WEIGHTS = { files: 1 };

/** Waiting jobs of one kind. */
export interface ReadingLane {
  producer: Pick<JobProducer<ReadingJob>, 'add' | 'canRun' | 'remove'>;
  fairQueue: Pick<FairQueue<keyof typeof READING_WEIGHTS>, 'enter' | 'started'>;
}

export function createReadingLanes({ redis, produce }: Pick<Core, 'redis' | 'produce'>) {
  const laneOf = (job: typeof readingJob): ReadingLane => ({
    producer: produce(job),
    fairQueue: createFairQueue(redis, job, { weights: READING_WEIGHTS }),
  });
  return { users: laneOf(readingJob), guests: laneOf(guestReadingJob) };
}
