import type { Reply, SentMessage } from '../../../contract/messages.ts';
import {
  type AsksWorkspaces,
  type ConversationRecord,
  type ConversationStore,
  type Publishing,
  publishToAudience,
} from '../conversations/index.ts';
import { authorsOf, presentReply, seenBy } from './present.ts';
import type { ReplyRecord } from './record.ts';
import type { MessageTree } from './tree-model.ts';

type Presenting = AsksWorkspaces & { messages: Pick<MessageTree, 'children'> };
type PublishingReplies = Presenting &
  Publishing & { conversations: Pick<ConversationStore, 'find'> };

/** A reply of a conversation for its owner, with its siblings as they are stored now. */
export async function presentStored(
  chat: Presenting,
  conversation: Pick<ConversationRecord, 'ownerId' | 'grants'>,
  reply: ReplyRecord,
): Promise<Reply> {
  const [siblings, authors] = await Promise.all([
    chat.messages.children(reply, reply),
    authorsOf(chat, conversation, [reply]),
  ]);
  return presentReply(reply, { siblingIds: siblings.map(({ id }) => id), ...authors(reply) });
}

/**
 * Publishes a changed reply.
 * @returns the published reply
 */
export async function publishReply(chat: PublishingReplies, reply: ReplyRecord): Promise<Reply> {
  const { conversationId: id, ownerId } = reply;
  // Only the owner hears of a deleted conversation, which may be restored.
  const conversation = (await chat.conversations.find({ id, ownerId })) ?? { ownerId, grants: [] };
  const presented = await presentStored(chat, conversation, reply);
  await publishToAudience(chat, conversation, {
    event: 'message:updated',
    payloadFor: (role) => seenBy(role, presented),
  });
  return presented;
}

/** Not awaited: a tab that misses an event catches up. */
export const publishSent = (
  chat: Publishing,
  conversation: ConversationRecord,
  { message, reply }: SentMessage,
): void =>
  void publishToAudience(chat, conversation, {
    event: 'message:created',
    payloadFor: (role) => ({ message: seenBy(role, message), reply: seenBy(role, reply) }),
  });
