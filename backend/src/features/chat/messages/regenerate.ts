import { randomUUID } from 'node:crypto';
import type { Actor } from '../../../access/index.ts';
import { isActive, type Reply } from '../../../contract/messages.ts';
import type { RegenerateBody } from '../../../contract/replies.ts';
import { notFound } from '../../../errors.ts';
import type { Payer } from '../../payer.ts';
import {
  replyInProgress,
  type SeenConversation,
  seenConversation,
} from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { payerOf } from '../payer.ts';
import { settingsOfReply, tokensOf } from './chosen-settings.ts';
import { releaseUnused, reserveFirstAttempt, takePriority } from './first-attempt.ts';
import { openReply } from './open-reply.ts';
import { lengthDownTo } from './parent.ts';
import { authorsOf, presentSent, seenBy } from './present.ts';
import type { ReplyRecord, UserMessageRecord } from './record.ts';
import { siblingId } from './sent-message-model.ts';
import { repeatSend, startReply } from './start.ts';
import { nextTime, type Place } from './tree.ts';

/** The basis of another reply. */
interface Source {
  conversation: SeenConversation;
  message: UserMessageRecord;
  earlier: ReplyRecord;
  /** All replies to the message. */
  replies: Place[];
}

/**
 * Regenerates the reply to a user message: another queued reply beside `id`, which becomes the leaf that the actor
 * sees. A repeated `clientReplyId` creates nothing new.
 * @throws AppError not_found, forbidden, subscription_required, quota_exceeded, too_many_replies, reply_in_progress,
 * unavailable
 */
export async function regenerateReply(
  chat: ChatFeature,
  actor: Actor,
  { id, clientReplyId = randomUUID() }: RegenerateBody & { id: string },
): Promise<Reply> {
  const { reply: earlier, conversation: found } = await openReply(chat, actor, {
    id,
    action: 'write',
  });
  const conversation = await seenConversation(chat, actor, found);
  const reply = await regenerate(chat, actor, { earlier, conversation, clientReplyId });
  return seenBy(actor.userId, conversation, reply);
}

async function regenerate(
  chat: ChatFeature,
  actor: Actor,
  {
    earlier,
    conversation,
    clientReplyId,
  }: Pick<Source, 'earlier' | 'conversation'> & { clientReplyId: string },
): Promise<Reply> {
  const replyId = siblingId(earlier.parentId, clientReplyId);
  const { known, ...source } = await readSource(chat, { earlier, conversation, replyId });
  const { message, replies } = source;
  const answer = async (reply: ReplyRecord) =>
    (await repeatSend(chat, conversation, { message, reply })).reply;
  if (known) return answer(known);
  if (isActive(earlier.status)) throw await replyInProgress(chat, conversation);
  const payer = await payerOf(chat, actor, conversation);
  const stored = await storeSibling(chat, actor, { source, replyId, payer });
  const { reply, priority, messageSiblings } = stored;
  if (!reply) {
    const found = await storedSibling(chat, { earlier, replyId });
    await releaseUnused(chat, { replyId, payer }, found);
    if (!found) throw await replyInProgress(chat, conversation);
    return answer(found);
  }
  const authors = await authorsOf(chat, conversation, [message, reply]);
  const sent = presentSent({ message, reply }, { siblings: messageSiblings, replies, authors });
  await startReply(chat, conversation, { reply, priority, sent });
  return sent.reply;
}

/** The reply that an earlier call with the same id has stored. */
async function storedSibling(
  { messages }: ChatFeature,
  { earlier, replyId }: { earlier: ReplyRecord; replyId: string },
): Promise<ReplyRecord | null> {
  const found = await messages.find(replyId, earlier);
  return found?.role === 'assistant' ? found : null;
}

async function readSource(
  chat: ChatFeature,
  {
    earlier,
    conversation,
    replyId,
  }: Pick<Source, 'earlier' | 'conversation'> & { replyId: string },
): Promise<Source & { known: ReplyRecord | null }> {
  const { messages } = chat;
  const [message, replies, known] = await Promise.all([
    messages.find(earlier.parentId, earlier),
    messages.children(earlier, earlier),
    storedSibling(chat, { earlier, replyId }),
  ]);
  if (message?.role !== 'user') throw notFound('reply');
  return { conversation, message, earlier, replies, known };
}

/** Reserves quota, then stores the reply; `reply` is null when another reply is active, or it is already stored. */
async function storeSibling(
  chat: ChatFeature,
  actor: Actor,
  { source, replyId, payer }: { source: Source; replyId: string; payer: Payer },
) {
  const { conversation, message, earlier, replies } = source;
  const { conversationId, parentId, depth, ownerId } = earlier;
  const chosen = await settingsOfReply(chat, actor, { earlier: earlier.settings, conversation });
  const pathLength = await lengthDownTo(chat, message);
  const [reserved, lane, messageSiblings] = await Promise.all([
    reserveFirstAttempt(
      chat,
      { replyId, payer },
      { tokens: tokensOf(chosen, { pathLength, messages: depth }) },
    ),
    chat.others.usage.laneOf(payer),
    chat.messages.children(earlier, message),
  ]);
  const priority = takePriority(chat, { conversationId, userId: payer.userId, lane });
  const reply = await chat.sentMessages.insertSibling({
    conversationId,
    ownerId,
    id: replyId,
    parentId,
    depth,
    reserved,
    payer,
    lane,
    settings: chosen.settings,
    leafBefore: conversation.activeLeafId,
    isShared: conversation.grants.length > 0,
    createdAt: nextTime(conversation, replies, chat.now()),
    now: chat.now(),
  });
  return { reply, priority, messageSiblings };
}
