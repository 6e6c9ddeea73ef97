import * as z from 'zod';
import { defineJob } from '../../../jobs/define-job.ts';

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
 * Reads files of guests. Jobs of their own, fewer than `FILE_READERS` at once, so that however many guests upload files that take the
 * longest time, a reader is left for users with a plan.
 */
export const guestReadingJob = { ...readingJob, name: 'guest-file-reading' };

export type ReadingJob = z.infer<typeof readingJob.schema>;
