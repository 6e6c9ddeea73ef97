import { type Actor, requireCan } from '../../../access/index.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import { RESTORE_SECONDS } from '../../../contract/limits.ts';
import { notFound } from '../../../errors.ts';
import { sweepEach } from '../../../jobs/sweep-each.ts';
import { readerOf } from '../../record-grants.ts';
import type { ChatFeature } from '../feature.ts';
import { publishToAudience } from './audience.ts';
import { openConversation } from './open.ts';
import { presentTo, publishConversation } from './present.ts';

/** By then a request to restore has ended, even with clock differences between processes. */
export const ERASE_AFTER_MS = 2 * RESTORE_SECONDS * 1_000;
const BATCH = 50;
/** Longer than the erasure of one conversation takes. */
const LEASE_MS = 10 * 60_000;

export const ERASE_EVERY_MS = 10_000;

/** Counted from its creation. */
export const TEMPORARY_LIFETIME_MS = 24 * 3_600_000;

export const TEMPORARY_EVERY_MS = 60_000;

/**
 * The conversation answers 404 from now on, and its running reply ends.
 * @throws AppError not_found, forbidden
 */
export async function deleteConversation(
  chat: ChatFeature,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<void> {
  const { deletions, stopReplies, others, now, log } = chat;
  const { ownerId } = await openConversation(chat, actor, { id, action: 'manage' });
  const deleted = await deletions.markDeleted({ id, ownerId }, now());
  if (!deleted) throw notFound('conversation');
  void publishToAudience(chat, deleted, {
    event: 'conversation:deleted',
    payloadFor: () => ({ id }),
  });
  // If this fails, the reply is stopped before the conversation is erased.
  await stopReplies({ conversationId: id, ownerId: deleted.ownerId }).catch((error: unknown) =>
    log.warn({ err: error, conversationId: id }, 'reply not stopped yet'),
  );
  // Links show nothing of a deleted conversation, whether this succeeds or not.
  await others.shares
    .endOfConversation(id)
    .catch((error: unknown) => log.warn({ err: error, conversationId: id }, 'links not ended yet'));
}

/** @throws AppError not_found when the time to restore it has passed */
export async function restoreConversation(
  chat: ChatFeature,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<Conversation> {
  const owner = { id, ownerId: await ownerOfDeleted(chat, actor, id) };
  // Before it is found again, so that no crash brings links back.
  const isDeleted = !(await chat.conversations.find(owner));
  if (isDeleted && (await chat.conversations.exists(owner)))
    await chat.others.shares.endOfConversation(id);
  const since = new Date(chat.now().getTime() - RESTORE_SECONDS * 1_000);
  const restored = await chat.deletions.restore(owner, { since });
  if (!restored) throw notFound('conversation');
  void publishConversation(chat, restored);
  return presentTo(chat, actor, restored);
}

/** The owner of a conversation that the actor may have deleted: the actor, unless it was shared. */
async function ownerOfDeleted(
  { conversations, others }: ChatFeature,
  { userId }: Pick<Actor, 'userId'>,
  id: string,
): Promise<string> {
  const record = await conversations.findShared(id, { withDeleted: true });
  if (!record || record.ownerId === userId) return userId;
  const reader = await readerOf(others, userId);
  return requireCan(reader, 'manage', { record, what: 'conversation' }).ownerId;
}

/** Deletes temporary conversations after 24 hours; they are erased after the same delay as other deleted conversations. */
export async function deleteExpired({
  deletions,
  stopReplies,
  bus,
  now,
}: Pick<ChatFeature, 'deletions' | 'stopReplies' | 'bus' | 'now'>): Promise<void> {
  const before = new Date(now().getTime() - TEMPORARY_LIFETIME_MS);
  const expired = await deletions.markExpired({ before, now: now() });
  await sweepEach(expired, async ({ id, ownerId }) => {
    await bus.publish(ownerId, 'conversation:deleted', { id });
    await stopReplies({ conversationId: id, ownerId });
  });
}

/**
 * Erases deleted conversations; the record is removed last, so that an interrupted erasure is found again after the end of its lease. Two
 * workers on one conversation do no harm.
 */
export async function eraseDeleted({
  deletions,
  removeMessages,
  search,
  views,
  others,
  now,
}: ChatFeature): Promise<void> {
  const before = new Date(now().getTime() - ERASE_AFTER_MS);
  const due = await deletions.deleted({ before, now: now(), limit: BATCH });
  await sweepEach(due, async (conversation) => {
    const scope = { conversationId: conversation.id, ownerId: conversation.ownerId };
    const at = now();
    const lease = { leasedUntil: new Date(at.getTime() + LEASE_MS) };
    if (!(await deletions.beginErasing(conversation, { before, now: at, ...lease }))) return;
    if (!(await removeMessages(scope))) return deletions.release(conversation, lease);
    await search.remove(scope);
    await others.shares.endOfConversation(conversation.id);
    for (const ownerId of [conversation.ownerId, ...conversation.formerOwners])
      await others.files.releaseConversation({ ...scope, ownerId });
    await views.removeIn([conversation.id]);
    return deletions.remove(conversation);
  });
}
