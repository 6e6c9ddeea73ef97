import { isActive, type SentMessage } from '../../../contract/messages.ts';
import { unavailable } from '../../../errors.ts';
import { type ConversationRecord, publishConversation } from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { completeSend } from './completion.ts';
import { authorsOf, presentReply, presentUserMessage } from './present.ts';
import { publishSent } from './publish.ts';
import type { ReplyRecord } from './record.ts';
import type { SentMessageRecord } from './sent-message-model.ts';
import { withId } from './tree.ts';

interface StoredReply {
  reply: ReplyRecord;
  priority: Promise<number>;
  sent: SentMessage;
}

/**
 * The steps after a reply is stored: enqueues it, publishes it to the audience, and makes it the active leaf.
 * @throws AppError unavailable when the queue does not answer
 */
export async function startReply(
  chat: ChatFeature,
  conversation: ConversationRecord,
  { reply, priority, sent }: StoredReply,
): Promise<void> {
  const queued = enqueueOrThrow(chat, reply, priority);
  publishSent(chat, conversation, sent);
  // Sequential, so that the worker's first query does not wait behind this one.
  try {
    await queued;
  } finally {
    await showLeaf(chat, conversation, reply);
  }
}

/** Answers a request whose reply is already stored. */
export async function repeatSend(
  chat: ChatFeature,
  conversation: ConversationRecord,
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
  const sent = {
    message: presentUserMessage(message, {
      siblingIds: withId(siblings, message.id),
      ...authors(message),
    }),
    reply: presentReply(reply, { siblingIds: withId(replies, reply.id), ...authors(reply) }),
  };
  if (isActive(reply.status)) {
    // The first request may have been interrupted before it published or enqueued.
    if (reply.status === 'queued') publishSent(chat, conversation, sent);
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
  await enqueue(reply, priority).catch((error: unknown) => {
    throw unavailable(error);
  });
}

/** The worker completes it when this fails. */
async function showLeaf(
  chat: ChatFeature,
  conversation: ConversationRecord,
  reply: ReplyRecord,
): Promise<void> {
  try {
    const moved = await makeLeaf(chat, conversation, reply);
    if (moved && !moved.isDeleted) void publishConversation(chat, moved);
  } catch (error) {
    chat.log.warn({ err: error, replyId: reply.id }, 'active leaf not moved');
  }
}

async function makeLeaf(
  { conversations, messages }: ChatFeature,
  { id, ownerId, activeLeafId }: ConversationRecord,
  reply: ReplyRecord,
): Promise<ConversationRecord | null> {
  const move = (from: string | null) =>
    conversations.moveLeaf({
      id,
      ownerId,
      from,
      to: reply.id,
      at: reply.createdAt,
      remember: reply.outbox?.remember,
    });
  const moved = await move(activeLeafId);
  if (moved) return moved;
  // Another tab has selected a branch meanwhile. While this reply is active, no other message can become the leaf.
  const [current, activeId] = await Promise.all([
    conversations.find({ id, ownerId }),
    messages.activeReplyId({ conversationId: id, ownerId }),
  ]);
  return current && activeId === reply.id ? move(current.activeLeafId) : null;
}
