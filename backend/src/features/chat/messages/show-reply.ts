import { type ConversationRecord, mentionedIn } from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import type { ReplyRecord } from './record.ts';

/**
 * Moves what members see to a new reply: the branch of its author, and those that it continues. Views first, so that the leaf of the owner
 * tells whether all of it is done. It can be repeated: whoever has chosen another branch meanwhile stays there.
 * @returns null when repeated, when the author is the owner and sees another branch meanwhile, or when the conversation is being erased
 */
export async function showReply(
  chat: ChatFeature,
  reply: ReplyRecord & { outbox: NonNullable<ReplyRecord['outbox']> },
): Promise<ConversationRecord | null> {
  const { conversationId: id, ownerId, createdAt: at, outbox } = reply;
  if (outbox.isShared) await moveViews(chat, reply);
  const key = { id, ownerId, at, remember: outbox.remember };
  const isOwners = reply.authorId === ownerId;
  const from = isOwners ? outbox.leafBefore : continuedBy(reply);
  const moved = await chat.conversations.moveLeaf({ ...key, from, to: reply.id });
  return moved ?? (isOwners ? null : chat.conversations.touch(key));
}

async function moveViews(
  chat: ChatFeature,
  reply: ReplyRecord & { outbox: NonNullable<ReplyRecord['outbox']> },
) {
  const { id, conversationId, ownerId, authorId: userId, createdAt, outbox } = reply;
  const author = { userId, ...(userId !== ownerId && { leafBefore: outbox.leafBefore }) };
  const mentioned = await mentionedIn(chat, reply, outbox.message?.content ?? '');
  const from = continuedBy(reply);
  const followed = { conversationId, from, to: id, at: createdAt, author, mentioned };
  await chat.views.follow(followed);
}

/** The message that the members who see a reply saw last: null for a first message. A regenerated one continues nothing that ends a branch. */
export const continuedBy = ({
  outbox,
  parentId,
}: Pick<ReplyRecord, 'outbox' | 'parentId'>): string | null =>
  outbox?.message ? outbox.message.parentId : parentId;
