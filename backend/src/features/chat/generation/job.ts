import * as z from 'zod';
import { defineJob } from '../../../jobs/define-job.ts';

/** Produces one reply. The payload is the reply's id alone; everything else is read when the job runs. */
export const replyJob = defineJob({
  name: 'replies',
  schema: z.object({ replyId: z.string(), conversationId: z.string().optional() }),
});

export type ReplyJob = { replyId: string; conversationId?: string | undefined };

/** BullMQ ignores a job whose id exists, so each time a reply is queued again its job has another id. */
export const nextJobId = ({ id, attempt }: { id: string; attempt: number }): string =>
  `${id}.${attempt + 1}`;
