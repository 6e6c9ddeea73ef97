import { isActive } from '../../../contract/messages.ts';
import type { Payer } from '../../payer.ts';
import type { Lane, ReadAhead } from '../../usage/index.ts';
import type { ChatFeature } from '../feature.ts';
import type { ReplyRecord, ReservedTokens } from './record.ts';

export const FIRST_ATTEMPT = 1;

interface ReplyKey {
  replyId: string;
  payer: Payer;
}

/** Reserves quota for the first attempt at a reply, before the reply is stored. */
export const reserveFirstAttempt = (
  { others: { usage } }: ChatFeature,
  { replyId, payer }: ReplyKey,
  { tokens, ahead }: { tokens: ReservedTokens; ahead?: ReadAhead },
): Promise<ReservedTokens> =>
  usage.reserve(payer, { replyId, attempt: FIRST_ATTEMPT, ...tokens }, ahead);

export const releaseFirstAttempt = (
  { others: { usage } }: ChatFeature,
  { replyId, payer }: ReplyKey,
): Promise<void> => usage.release(payer, { replyId, attempt: FIRST_ATTEMPT });

/** Releases a reservation, unless it is that of a stored reply whose first attempt has not ended. */
export async function releaseUnused(
  chat: ChatFeature,
  key: ReplyKey,
  stored: ReplyRecord | null | undefined,
): Promise<void> {
  const isUsed =
    stored &&
    isActive(stored.status) &&
    stored.attempt <= FIRST_ATTEMPT &&
    stored.payer.ownerId === key.payer.ownerId;
  if (!isUsed) await releaseFirstAttempt(chat, key);
}

/** Takes the priority of a reply while the reply is being stored; a failure counts when the reply is enqueued. */
export function takePriority(
  chat: ChatFeature,
  waits: { conversationId: string; userId: string; lane: Lane },
): Promise<number> {
  const priority = chat.takePriority(waits);
  priority.catch(() => undefined);
  return priority;
}
