import type { Actor } from '../../../access/index.ts';
import { notFound } from '../../../errors.ts';
import type { ChatFeature } from '../feature.ts';
import { replyInProgress } from './errors.ts';
import type { ConversationRecord } from './model.ts';
import { openConversation } from './open.ts';
import { presentTo } from './present.ts';

/** A conversation with the branch that a reader sees as its active one. */
export type SeenConversation = ConversationRecord & {
  /** The leaf of the owner, when the reader is somebody else. */
  ownersLeafId?: string | null;
};

/** The conversation as the reader has it. The owner's branch stands in it; the view of another member takes one read. */
export async function seenConversation(
  { views }: Pick<ChatFeature, 'views'>,
  { userId }: Pick<Actor, 'userId'>,
  conversation: ConversationRecord,
): Promise<SeenConversation> {
  const { id, ownerId, activeLeafId } = conversation;
  if (ownerId === userId) return conversation;
  const [view] = await views.of(userId, [id]);
  return {
    ...conversation,
    ownersLeafId: activeLeafId,
    activeLeafId: view?.leafId ?? activeLeafId,
  };
}

/**
 * Shows the reader another branch: the newest leaf below a message.
 * @throws AppError not_found; reply_in_progress while a reply runs that the reader has asked for
 */
export async function selectBranch(
  chat: ChatFeature,
  { userId }: Pick<Actor, 'userId'>,
  { conversation, messageId }: { conversation: ConversationRecord; messageId: string },
): Promise<ConversationRecord> {
  const { id: conversationId, ownerId } = conversation;
  const scope = { conversationId, ownerId };
  const active = await chat.messages.activeReply(scope);
  if (active?.authorId === userId) throw await replyInProgress(chat, conversation);
  const message = await chat.messages.find(messageId, scope);
  if (!message) throw notFound('message');
  const key = { conversationId, userId };
  let shown: string | undefined;
  // A message that is sent meanwhile below the leaf either finds the view there or is found here.
  for (;;) {
    const leafId = await chat.messages.newestLeafBelow(message);
    if (leafId === shown) return conversation;
    await chat.views.show(key, leafId);
    shown = leafId;
  }
}

/** The reader has seen a conversation as it is now. One that is shared with nobody has nothing to mark. @throws AppError not_found */
export async function markRead(
  chat: ChatFeature,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<void> {
  const { userId } = actor;
  const conversation = await openConversation(chat, actor, { id, action: 'read' });
  const { grants, updatedAt } = conversation;
  if (grants.length === 0) return;
  const [view] = await chat.views.of(userId, [id]);
  if (view?.readAt && view.readAt >= updatedAt) return;
  await chat.views.markRead({ conversationId: id, userId }, updatedAt);
  // The other tabs of the same user may know more than was read above.
  const current = await openConversation(chat, actor, { id, action: 'read' });
  const seen = await presentTo(chat, actor, current);
  void chat.bus.publish(userId, 'conversation:changed', seen);
}
