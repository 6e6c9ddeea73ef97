import * as z from 'zod';
import { defineJob } from '../../../jobs/define-job.ts';

// The job of a crashed worker is delivered again within lock + check, 11 s, so that takeover stays below 15 s. BullMQ
// renews a lock at half its life. A worker that loses one goes on, because a takeover needs a stale heartbeat as well.
const LOCK_MS = 8_000;
const STALL_CHECK_MS = 3_000;

/** Generates one reply. The payload has ids only; everything else is read when the job runs. */
export const replyJob = defineJob({
  name: 'replies',
  schema: z.object({ replyId: z.string(), conversationId: z.string() }),
  lockMs: LOCK_MS,
  stallCheckMs: STALL_CHECK_MS,
  maxStalls: 2,
});

export type ReplyJob = { replyId: string; conversationId: string };

/** The reply of a job. */
export const replyIdOf = (jobId: string): string => jobId.split('.')[0] ?? jobId;

/** BullMQ ignores a job whose id exists, so each attempt has its own. */
export const nextJobId = ({ id, attempt }: { id: string; attempt: number }): string =>
  `${id}.${attempt + 1}`;
