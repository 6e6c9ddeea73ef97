import { createHash } from 'node:crypto';
import { MAX_REPLY_QUEUES } from '../../../config.ts';

/** The number of the queue in which the replies of a conversation wait. */
export const queueOfConversation = (conversationId: string, queues: number): number =>
  queues === 1 ? 0 : createHash('sha256').update(conversationId).digest().readUInt32BE() % queues;

/**
 * The id of a reply's job. It names the queue, unless that is the first one, so that the job is found when the number of queues has
 * changed.
 * @param attempt of the reply; BullMQ ignores a job whose id exists, so each one has its own
 */
export function replyJobId(
  { id, conversationId, attempt }: { id: string; conversationId: string; attempt?: number },
  queues: number,
): string {
  const queue = queueOfConversation(conversationId, queues);
  return `${id}${attempt === undefined ? '' : `.${attempt}`}${queue === 0 ? '' : `@${queue}`}`;
}

/** The number of the queue of a job. */
export function queueOfJob(jobId: string): number {
  const queue = Number(jobId.split('@')[1] ?? 0);
  return queue < MAX_REPLY_QUEUES ? queue : 0;
}

/** The reply of a job. */
export const replyOfJob = (jobId: string): string => jobId.split(/[.@]/)[0] ?? jobId;
