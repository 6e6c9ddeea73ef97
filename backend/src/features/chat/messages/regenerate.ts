import { randomUUID } from 'node:crypto';
import { type Actor, requireAccess } from '../../../access/index.ts';
import { isActive, type Reply } from '../../../contract/messages.ts';
import type { RegenerateBody } from '../../../contract/replies.ts';
import { notFound } from '../../../errors.ts';
import type { Payer } from '../../payer.ts';
import { type ConversationRecord, replyInProgress } from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { payerOf } from '../payer.ts';
import { settingsOfReply } from './chosen-settings.ts';
import { estimateTokens } from './estimate.ts';
import {
  isFirstAttemptOf,
  releaseFirstAttempt,
  reserveFirstAttempt,
  takePriority,
} from './first-attempt.ts';
import { lengthDownTo } from './parent.ts';
import { presentReply, presentUserMessage } from './present.ts';
import type { ReplyRecord, UserMessageRecord } from './record.ts';
import { siblingId } from './sent-message-model.ts';
import { callCount } from './settings.ts';
import { repeatSend, startReply } from './start.ts';
import { nextTime, type Place, withId } from './tree.ts';

/** The basis of another reply. */
interface Source {
  conversation: ConversationRecord;
  message: UserMessageRecord;
  earlier: ReplyRecord;
  /** All replies to the message. */
  replies: Place[];
}

/**
 * Regenerates the reply to a user message: another queued reply beside `id`, which becomes the active leaf. A repeated `clientReplyId`
 * creates nothing new.
 * @throws AppError not_found, subscription_required, quota_exceeded, too_many_replies, reply_in_progress, unavailable
 */
export async function regenerateReply(
  chat: ChatFeature,
  actor: Actor,
  { id, clientReplyId = randomUUID() }: RegenerateBody & { id: string },
): Promise<Reply> {
  const earlier = await chat.messages.findReply(id, actor.userId);
  if (!earlier) throw notFound('reply');
  const replyId = siblingId(earlier.parentId, clientReplyId);
  const { known, ...source } = await readSource(chat, actor, { earlier, replyId });
  const { conversation, message, replies } = source;
  const answer = async (reply: ReplyRecord) =>
    (await repeatSend(chat, conversation, { message, reply })).reply;
  if (known) return answer(known);
  if (isActive(earlier.status)) throw replyInProgress();
  const payer = await payerOf(chat, actor, conversation);
  const stored = await storeSibling(chat, actor, { source, replyId, payer });
  const { reply, priority, messageSiblings } = stored;
  if (!reply) {
    const found = await chat.messages.findReply(replyId, actor.userId);
    // The reservation belongs to the stored reply, unless its first attempt has ended.
    if (!found || !isFirstAttemptOf(found, payer))
      await releaseFirstAttempt(chat, { replyId, payer });
    if (!found) throw replyInProgress();
    return answer(found);
  }
  const sent = {
    message: presentUserMessage(message, withId(messageSiblings, message.id)),
    reply: presentReply(reply, withId(replies, replyId)),
  };
  await startReply(chat, conversation, { reply, priority, sent });
  return sent.reply;
}

async function readSource(
  { conversations, messages }: ChatFeature,
  actor: Actor,
  { earlier, replyId }: { earlier: ReplyRecord; replyId: string },
): Promise<Source & { known: ReplyRecord | null }> {
  const { conversationId, ownerId, parentId } = earlier;
  const scope = { conversationId, ownerId };
  const [found, message, replies, known] = await Promise.all([
    conversations.find({ id: conversationId, ownerId: actor.userId }),
    messages.find(parentId, scope),
    messages.children(scope, earlier),
    messages.findReply(replyId, actor.userId),
  ]);
  const conversation = requireAccess(actor, found, 'conversation');
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
  const { conversationId, parentId, depth } = earlier;
  const scope = { conversationId, ownerId: earlier.ownerId };
  const chosen = await settingsOfReply(chat, actor, { earlier: earlier.settings, conversation });
  const { settings, limits, added } = chosen;
  const { parts, summaryBytes } = added;
  const length = (await lengthDownTo(chat, message)) + summaryBytes;
  const calls = callCount(settings);
  const size = { length, parts, messages: depth, depth: settings.depth, calls };
  const [reserved, lane, messageSiblings] = await Promise.all([
    reserveFirstAttempt(chat, { replyId, payer }, { tokens: estimateTokens(size, limits) }),
    chat.others.usage.laneOf(payer),
    chat.messages.children(scope, message),
  ]);
  const priority = takePriority(chat, { conversationId, userId: payer.userId, lane });
  const reply = await chat.sentMessages.insertSibling({
    ...scope,
    id: replyId,
    parentId,
    depth,
    reserved,
    payer,
    lane,
    settings,
    leafBefore: conversation.activeLeafId,
    createdAt: nextTime(conversation, replies, chat.now()),
    now: chat.now(),
  });
  return { reply, priority, messageSiblings };
}
