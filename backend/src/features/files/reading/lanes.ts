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

/** Recognises text in the pictures of one file, for some seconds at a time; files of a plan get four turns for one of a guest's. */
export const recognitionJob = { ...readingJob, name: 'file-recognition', concurrency: 1 };
export const RECOGNITION_WEIGHTS = { users: 4, guests: 1 };

export type ReadingJob = z.infer<typeof readingJob.schema>;

/** All users of a queue are in one group and take turns, so that one user's many files do not delay other users. */
export const READING_WEIGHTS = { files: 1 };

/** Waiting jobs of one kind. */
export interface ReadingLane {
  producer: Pick<JobProducer<ReadingJob>, 'add' | 'canRun' | 'remove' | 'waiting'>;
  fairQueue: FairQueue<keyof typeof READING_WEIGHTS>;
}

/** Waiting recognitions. */
export interface RecognitionLane {
  producer: Pick<JobProducer<ReadingJob>, 'add' | 'canRun' | 'remove'>;
  fairQueue: FairQueue<keyof typeof RECOGNITION_WEIGHTS>;
}

export const createRecognitionLane = ({
  redis,
  produce,
}: Pick<Core, 'redis' | 'produce'>): RecognitionLane => ({
  producer: produce(recognitionJob),
  fairQueue: createFairQueue(redis, recognitionJob, { weights: RECOGNITION_WEIGHTS }),
});

/** Whether a file waits to be read. Its text comes before the recognition of any picture. */
export async function isReadingWaiting(lanes: Record<string, ReadingLane>): Promise<boolean> {
  for (const { producer } of Object.values(lanes)) {
    const { ahead, jobIds } = await producer.waiting({ limit: 1 });
    if (ahead + jobIds.length > 0) return true;
  }
  return false;
}

export function createReadingLanes({ redis, produce }: Pick<Core, 'redis' | 'produce'>) {
  const laneOf = (job: typeof readingJob): ReadingLane => ({
    producer: produce(job),
    fairQueue: createFairQueue(redis, job, { weights: READING_WEIGHTS }),
  });
  return { users: laneOf(readingJob), guests: laneOf(guestReadingJob) };
}
