import { isActive } from '../../../contract/messages.ts';
import type { Lane, ReadAhead } from '../../usage/index.ts';
import type { ChatFeature } from '../feature.ts';
import type { ReplyRecord, ReservedTokens } from './record.ts';

export const FIRST_ATTEMPT = 1;

interface ReplyKey {
  replyId: string;
  payerId: string;
}

/** Whether the first attempt at a reply has not ended. */
export const isStarting = ({ status, attempt }: ReplyRecord): boolean =>
  isActive(status) && attempt <= FIRST_ATTEMPT;

/** Reserves quota for the first attempt at a reply, before the reply is stored. */
export const reserveFirstAttempt = (
  { others: { usage } }: ChatFeature,
  { replyId, payerId }: ReplyKey,
  { tokens, ahead }: { tokens: ReservedTokens; ahead?: ReadAhead },
): Promise<ReservedTokens> =>
  usage.reserve(payerId, { replyId, attempt: FIRST_ATTEMPT, ...tokens }, ahead);

export const releaseFirstAttempt = (
  { others: { usage } }: ChatFeature,
  { replyId, payerId }: ReplyKey,
): Promise<void> => usage.release(payerId, { replyId, attempt: FIRST_ATTEMPT });

/** Takes the priority of a reply while the reply is being stored; a failure counts when the reply is enqueued. */
export function takePriority(
  chat: ChatFeature,
  waits: { conversationId: string; userId: string; lane: Lane },
): Promise<number> {
  const priority = chat.takePriority(waits);
  priority.catch(() => undefined);
  return priority;
}
