import type { Actor } from '../../../access/index.ts';
import { isActive, type MessageMetadata, type Reply } from '../../../contract/messages.ts';
import { AppError } from '../../../errors.ts';
import { openReply, presentStored, publishReply, type ReplyRecord } from '../messages/index.ts';
import type { StepsFeature } from './feature.ts';

/** A post-step on a user's request. */
interface StepRequest {
  step: string;
  /** Stored with the reply and published while the step is pending. */
  metadata: Partial<MessageMetadata>;
  /** Whether the reply needs the step. May throw an AppError for a reply that cannot have it. */
  isWanted: (reply: Pick<ReplyRecord, 'metadata' | 'settings'>) => boolean;
}

/** The type of `requestStep` for other features. */
export type RequestStep = (actor: Actor, replyId: string, request: StepRequest) => Promise<Reply>;

/**
 * Runs a post-step of a complete reply on a user's request. A repeated request changes nothing while the step is pending, or when the reply
 * does not need it.
 * @returns the current reply
 * @throws AppError not_found; forbidden; reply_in_progress; reply_not_retryable when the reply ended early
 */
export async function requestStep(
  feature: StepsFeature,
  actor: Actor,
  { replyId, ...request }: StepRequest & { replyId: string },
): Promise<Reply> {
  const opened = await openReply(feature, actor, { id: replyId, action: 'write' });
  const { conversation } = opened;
  const reply = await makePending(feature, opened.reply, request);
  return presentStored(feature, actor, { conversation, reply });
}

async function makePending(
  feature: StepsFeature,
  reply: ReplyRecord,
  { step, metadata, isWanted }: StepRequest,
): Promise<ReplyRecord> {
  const { steps, stepQueue, now } = feature;
  if (isActive(reply.status))
    throw new AppError('reply_in_progress', 'Wait until the reply is complete.');
  if (reply.status !== 'complete')
    throw new AppError('reply_not_retryable', 'Only a complete reply can be checked.');
  if (!isWanted(reply)) return reply;
  const { id: replyId, conversationId, attempt } = reply;
  const key = { replyId, conversationId, attempt, step };
  const requested = await steps.request(key, { metadata, now: now() });
  // Another tab was first, or the reply was removed.
  if (!requested) return reply;
  await stepQueue.enqueue(key);
  await publishReply(feature, requested);
  return requested;
}
