import { type Actor, can } from '../../../access/index.ts';
import type { GrantsBody, RecordGrants } from '../../../contract/access.ts';
import {
  endGrantsIn,
  type GrantsEnd,
  notShareable,
  presentGrants,
  replaceRecordGrants,
} from '../../record-grants.ts';
import type { ChatFeature } from '../feature.ts';
import { replyInProgress } from './errors.ts';
import type { ConversationRecord } from './model.ts';
import { openConversation } from './open.ts';
import { publishConversation } from './present.ts';

/** With whom a conversation is shared, for those who may share it. @throws AppError not_found, forbidden */
export async function readGrants(
  chat: ChatFeature,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<RecordGrants> {
  const { grants } = await openConversation(chat, actor, { id, action: 'manage' });
  return presentGrants(chat, grants);
}

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
    publish: (changed, { lost }) => {
      for (const userId of lost)
        void chat.bus.publish(userId, 'access:changed', { conversationId: id });
      void publishConversation(chat, changed);
    },
  });

/** A reply that runs may have read memories of the owner, who alone saw the conversation when it began. */
async function checkShareable(chat: ChatFeature, conversation: ConversationRecord) {
  const { id: conversationId, ownerId, grants, temporary, trial } = conversation;
  if (temporary || trial) throw notShareable('A temporary conversation cannot be shared.');
  if (grants.length > 0) return;
  if (await chat.messages.activeReplyId({ conversationId, ownerId }))
    throw await replyInProgress(chat, conversation);
}

/** For workspaces: see `endGrantsIn`. */
export const endGrants = (
  { conversations }: Pick<ChatFeature, 'conversations'>,
  ...to: GrantsEnd
): Promise<void> => endGrantsIn(conversations, ...to);

/** For workspaces: users may have lost access to conversations. */
export function publishLostAccess(
  { bus }: Pick<ChatFeature, 'bus'>,
  userIds: readonly string[],
): void {
  for (const userId of userIds)
    void bus.publish(userId, 'access:changed', { conversationId: null });
}

/** For sockets: those of the watched conversations that their users may no longer read. Also one that is deleted. */
export async function findUnreadable<W extends { userId: string; conversationId: string }>(
  { conversations, others: { workspaces } }: Pick<ChatFeature, 'conversations' | 'others'>,
  watched: readonly W[],
): Promise<W[]> {
  const ids = [...new Set(watched.map(({ conversationId }) => conversationId))];
  const records = new Map((await conversations.findMany(ids)).map((record) => [record.id, record]));
  const foreign = watched.filter((one) => records.get(one.conversationId)?.ownerId !== one.userId);
  const userIds = [...new Set(foreign.map(({ userId }) => userId))];
  const places = userIds.length > 0 ? await workspaces.places({ userIds }) : [];
  return foreign.filter(({ userId, conversationId }) => {
    const record = records.get(conversationId);
    const own = places.filter((place) => place.userId === userId);
    return !record || !can({ userId, workspaces: own }, 'read', record);
  });
}
