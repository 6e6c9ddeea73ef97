import * as z from 'zod';
import { defineJob } from '../../../jobs/define-job.ts';
import { createFairQueue, type FairQueue } from '../../../jobs/fair-queue.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import type { Core } from '../../define-feature.ts';

/**
 * Reads one file. The job of a crashed worker is delivered again within lock + check. BullMQ renews a lock at half its life; a
 * worker that loses one goes on, because a takeover needs a late heartbeat as well.
 */
export const readingJob = defineJob({
  name: 'file-reading',
  schema: z.object({ fileId: z.string(), ownerId: z.string() }),
  userOf: ({ ownerId }) => ownerId,
  // The work is done by child processes, whose number FILE_READERS bounds.
  concurrency: 4,
  lockMs: 8_000,
  stallCheckMs: 3_000,
  maxStalls: 2,
});

/**
 * Reads files of guests. These jobs run in a queue of their own, fewer than `FILE_READERS` at once, so that a reader is left for
 * users with a plan however many guests upload files that take the longest time.
 */
export const guestReadingJob = { ...readingJob, name: 'guest-file-reading' };

export type ReadingJob = z.infer<typeof readingJob.schema>;

/** All users of a queue are in one group and take turns in it, so that one user's many files do not hold up those of others. */
export const READING_WEIGHTS = { files: 1 };

/** Jobs of one kind that wait. */
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
