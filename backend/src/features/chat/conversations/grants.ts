import { type Actor, can } from '../../../access/index.ts';
import type { GrantsBody, RecordGrants } from '../../../contract/access.ts';
import { notShareable, replaceRecordGrants } from '../../record-grants.ts';
import type { ChatFeature } from '../feature.ts';
import { replyInProgress } from './errors.ts';
import type { ConversationRecord } from './model.ts';
import { openConversation } from './open.ts';
import { publishConversation } from './present.ts';

/**
 * Replaces all grants of a conversation. Those who lose access by it are told, and their tabs get nothing more of it.
 * @throws AppError as `replaceRecordGrants`; invalid_field for a temporary conversation; reply_in_progress when it was private while that
 * began
 */
export const replaceGrants = (
  chat: ChatFeature,
  actor: Actor,
  { id, grants: wanted }: GrantsBody & { id: string },
): Promise<RecordGrants> =>
  replaceRecordGrants<ConversationRecord>(chat, actor, {
    wanted,
    open: () => openConversation(chat, actor, { id, action: 'manage' }),
    check: (conversation) => checkShareable(chat, conversation),
    replace: chat.conversations.replaceGrants,
    publish: async (changed, { former, lost, gained }) => {
      for (const userId of lost)
        void chat.bus.publish(userId, 'access:changed', { conversationId: id });
      await updateViews(chat, former, { changed, lost });
      endLinks(chat, { conversationId: id });
      void publishConversation(chat, changed).then(() =>
        announce(chat, actor, { changed, to: gained }),
      );
    },
  });

/** The owner has read what was there when it is shared first. Views end with access, all of them when it is private again. */
async function updateViews(
  { views }: ChatFeature,
  { grants: before }: ConversationRecord,
  {
    changed: { id, ownerId, updatedAt, grants },
    lost,
  }: { changed: ConversationRecord; lost: string[] },
) {
  if (grants.length === 0) return views.removeIn([id]);
  if (before.length === 0) await views.markRead({ conversationId: id, userId: ownerId }, updatedAt);
  if (lost.length > 0) await views.remove(id, lost);
}

/** Not awaited: until it is done, no opening of these links succeeds. */
function endLinks(
  { others, log }: Pick<ChatFeature, 'others' | 'log'>,
  of: Parameters<ChatFeature['others']['shares']['endUnmanaged']>[0],
): void {
  void others.shares
    .endUnmanaged(of)
    .catch((error: unknown) => log.warn({ err: error }, 'links not ended'));
}

/** Tells those who may read a conversation now, and could not before, who has shared it. */
async function announce(
  { bus, log, others: { workspaces } }: ChatFeature,
  { userId }: Pick<Actor, 'userId'>,
  { changed: { id, title }, to }: { changed: ConversationRecord; to: string[] },
) {
  if (to.length === 0) return;
  try {
    const by = { id: userId, name: (await workspaces.names({ userIds: [userId] }))(userId) };
    await Promise.all(to.map((one) => bus.publish(one, 'conversation:shared', { id, title, by })));
  } catch (error) {
    log.warn({ err: error, conversationId: id }, 'sharing not announced');
  }
}

/** A reply that runs may have read memories of the owner, who alone saw the conversation when it began. */
async function checkShareable(chat: ChatFeature, conversation: ConversationRecord) {
  const { id: conversationId, ownerId, grants, temporary, trial } = conversation;
  if (temporary || trial) throw notShareable('A temporary conversation cannot be shared.');
  if (grants.length > 0) return;
  if (await chat.messages.activeReplyId({ conversationId, ownerId }))
    throw await replyInProgress(chat, conversation);
}

/** For workspaces: what users may read, or their role in it, may have changed. Their tabs read it again. */
export function publishAccess({ bus }: Pick<ChatFeature, 'bus'>, userIds: readonly string[]): void {
  for (const userId of userIds)
    void bus.publish(userId, 'access:changed', { conversationId: null });
}

/** For workspaces: users may have lost access to conversations. */
export function publishLostAccess(
  chat: Pick<ChatFeature, 'bus' | 'conversations' | 'log' | 'others' | 'views'>,
  userIds: readonly string[],
): void {
  publishAccess(chat, userIds);
  endLinks(chat, { makerIds: userIds });
  void forgetViews(chat, userIds).catch((error: unknown) =>
    chat.log.warn({ err: error }, 'views not removed'),
  );
}

/** Removes the views of users in conversations that they may no longer read. Whatever a crash leaves is read by nobody. */
async function forgetViews(
  chat: Pick<ChatFeature, 'conversations' | 'others' | 'views'>,
  userIds: readonly string[],
): Promise<void> {
  const lost = await findUnreadable(chat, await chat.views.allOf(userIds));
  for (const { conversationId, userId } of lost) await chat.views.remove(conversationId, [userId]);
}

/** For sockets: those of the watched conversations that their users may no longer read. Also one that is deleted. */
export async function findUnreadable<W extends { userId: string; conversationId: string }>(
  { conversations, others: { workspaces } }: Pick<ChatFeature, 'conversations' | 'others'>,
  watched: readonly W[],
): Promise<W[]> {
  const ids = [...new Set(watched.map(({ conversationId }) => conversationId))];
  const records = new Map((await conversations.findMany(ids)).map((record) => [record.id, record]));
  const foreign = watched.filter((one) => {
    const record = records.get(one.conversationId);
    return record?.ownerId !== one.userId || record.givenTo !== undefined;
  });
  const userIds = [...new Set(foreign.map(({ userId }) => userId))];
  const places = userIds.length > 0 ? await workspaces.places({ userIds }) : [];
  return foreign.filter(({ userId, conversationId }) => {
    const record = records.get(conversationId);
    const own = places.filter((place) => place.userId === userId);
    return !record || !can({ userId, workspaces: own }, 'read', record);
  });
}
