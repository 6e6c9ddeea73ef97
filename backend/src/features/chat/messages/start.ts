import { isActive, type SentMessage } from '../../../contract/messages.ts';
import { orUnavailable } from '../../../errors.ts';
import {
  type ConversationRecord,
  publishConversation,
  type SeenConversation,
} from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { completeSend } from './completion.ts';
import { authorsOf, presentSent } from './present.ts';
import { publishSent } from './publish.ts';
import type { ReplyRecord } from './record.ts';
import type { SentMessageRecord } from './sent-message-model.ts';
import { showReply } from './show-reply.ts';

interface StoredReply {
  reply: ReplyRecord;
  priority: Promise<number>;
  sent: SentMessage;
}

/**
 * The steps after a reply is stored: enqueues it, publishes it to the audience, and shows it to those whose branch it continues.
 * @throws AppError unavailable when the queue does not answer
 */
export async function startReply(
  chat: ChatFeature,
  conversation: SeenConversation,
  { reply, priority, sent }: StoredReply,
): Promise<void> {
  const queued = enqueueOrThrow(chat, reply, priority);
  publishSent(chat, conversation, { reply, sent });
  // Sequential, so that the worker's first query does not wait behind this one.
  try {
    await queued;
  } finally {
    await showLeaf(chat, reply);
  }
}

/** Answers a request whose reply is already stored. */
export async function repeatSend(
  chat: ChatFeature,
  conversation: SeenConversation,
  { message, reply }: SentMessageRecord,
): Promise<SentMessage> {
  const { messages, sentMessages } = chat;
  const scope = { conversationId: conversation.id, ownerId: conversation.ownerId };
  const [siblings, replies, authors] = await Promise.all([
    messages.children(scope, message),
    messages.children(scope, reply),
    authorsOf(chat, conversation, [message, reply]),
    sentMessages.confirm(reply),
  ]);
  const sent = presentSent({ message, reply }, { siblings, replies, authors });
  if (isActive(reply.status)) {
    // The first request may have been interrupted before it published or enqueued.
    if (reply.status === 'queued') publishSent(chat, conversation, { reply, sent });
    await Promise.all([enqueueOrThrow(chat, reply), completeSend(chat, reply)]);
  }
  return sent;
}

/** The reply is stored: if this fails, a repeated send or the sweeper enqueues it. */
async function enqueueOrThrow(
  { enqueue }: ChatFeature,
  reply: ReplyRecord,
  priority?: Promise<number>,
): Promise<void> {
  if (reply.status !== 'queued') return;
  await enqueue(reply, priority).catch(orUnavailable);
}

/** The worker completes it when this fails. */
async function showLeaf(chat: ChatFeature, reply: ReplyRecord): Promise<void> {
  try {
    const moved = await makeLeaf(chat, reply);
    if (moved && !moved.isDeleted) void publishConversation(chat, moved);
  } catch (error) {
    chat.log.warn({ err: error, replyId: reply.id }, 'active leaf not moved');
  }
}

async function makeLeaf(chat: ChatFeature, reply: ReplyRecord): Promise<ConversationRecord | null> {
  const { outbox, conversationId, ownerId, createdAt: at } = reply;
  if (!outbox) return null;
  const moved = await showReply(chat, { ...reply, outbox });
  if (moved || reply.authorId !== ownerId) return moved;
  // Unless a worker was first, another tab has selected a branch meanwhile. While this reply is active, its author selects no other one.
  const { conversations, messages } = chat;
  const key = { id: conversationId, ownerId };
  const [current, activeId] = await Promise.all([
    conversations.find(key),
    messages.activeReplyId({ conversationId, ownerId }),
  ]);
  if (!current || current.activeLeafId === reply.id || activeId !== reply.id) return null;
  const move = { ...key, from: current.activeLeafId, to: reply.id, at };
  return conversations.moveLeaf({ ...move, remember: outbox.remember });
}
