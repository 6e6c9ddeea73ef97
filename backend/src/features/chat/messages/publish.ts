import type { Actor } from '../../../access/index.ts';
import type { CreatedMessage, Reply, SentMessage } from '../../../contract/messages.ts';
import {
  type AsksWorkspaces,
  type ConversationRecord,
  type ConversationStore,
  type Publishing,
  publishToAudience,
  type SeenConversation,
} from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { authorsOf, presentReply, seenBy } from './present.ts';
import type { ReplyRecord } from './record.ts';
import { continuedBy } from './show-reply.ts';
import type { MessageTree } from './tree-model.ts';

type Presenting = AsksWorkspaces & { messages: Pick<MessageTree, 'children'> };
type PublishingReplies = Presenting &
  Publishing & { conversations: Pick<ConversationStore, 'find'> };

interface Stored {
  conversation: Pick<ConversationRecord, 'ownerId' | 'grants'>;
  reply: ReplyRecord;
}

/** A reply of a conversation as the actor sees it, with its siblings as they are stored now. */
export const presentStored = async (
  chat: Presenting,
  { userId }: Pick<Actor, 'userId'>,
  stored: Stored,
): Promise<Reply> => seenBy(userId, stored.reply, await present(chat, stored));

async function present(chat: Presenting, { conversation, reply }: Stored): Promise<Reply> {
  const [siblings, authors] = await Promise.all([
    chat.messages.children(reply, reply),
    authorsOf(chat, conversation, [reply]),
  ]);
  return presentReply(reply, { siblingIds: siblings.map(({ id }) => id), ...authors(reply) });
}

/** Publishes a changed reply. */
export async function publishReply(chat: PublishingReplies, reply: ReplyRecord): Promise<void> {
  const { conversationId: id, ownerId } = reply;
  // Only the owner hears of a deleted conversation, which may be restored.
  const conversation = (await chat.conversations.find({ id, ownerId })) ?? { ownerId, grants: [] };
  const presented = await present(chat, { conversation, reply });
  await publishToAudience(chat, conversation, {
    event: 'message:updated',
    payloadFor: (_role, userId) => seenBy(userId, reply, presented),
  });
}

type PublishingSent = Publishing & Pick<ChatFeature, 'views'>;

interface StoredSend {
  reply: ReplyRecord;
  sent: SentMessage;
}

/** Not awaited: a tab that misses an event catches up. */
export const publishSent = (
  chat: PublishingSent,
  conversation: SeenConversation,
  stored: StoredSend,
): void =>
  void publishTo(chat, conversation, stored).catch((error: unknown) =>
    chat.log.warn({ err: error, replyId: stored.reply.id }, 'message not published'),
  );

async function publishTo(
  chat: PublishingSent,
  conversation: SeenConversation,
  { reply, sent: { message, reply: presented } }: StoredSend,
): Promise<void> {
  const isElsewhere =
    conversation.grants.length > 0 ? await elsewhere(chat, conversation, reply) : () => false;
  await publishToAudience(chat, conversation, {
    event: 'message:created',
    payloadFor: (_role, userId): CreatedMessage => ({
      message: seenBy(userId, conversation, message),
      reply: seenBy(userId, reply, presented),
      ...(isElsewhere(userId) && { elsewhere: true }),
    }),
  });
}

/** Whether a reply is on another branch than a user sees: `showReply`, which may have run, leaves their view. */
async function elsewhere(
  { views }: Pick<ChatFeature, 'views'>,
  { id, ownerId, activeLeafId, ownersLeafId = activeLeafId }: SeenConversation,
  reply: ReplyRecord,
): Promise<(userId: string) => boolean> {
  const stored = await views.inConversation(id);
  const ends = [continuedBy(reply), reply.id];
  const ownerMoves = reply.authorId === ownerId || ends.includes(ownersLeafId);
  return (userId) => {
    if (userId === reply.authorId) return false;
    const view = stored.find((one) => one.userId === userId);
    const moves = view?.leafId && userId !== ownerId ? ends.includes(view.leafId) : ownerMoves;
    return !moves;
  };
}
