import {
  type Actor,
  can,
  type Grant,
  idIn,
  requireRegistered,
  userPrincipal,
  workspacePrincipal,
} from '../../../access/index.ts';
import type { GrantBody, GrantsBody, RecordGrant, RecordGrants } from '../../../contract/access.ts';
import { AppError, notFound, unavailable } from '../../../errors.ts';
import type { ChatFeature } from '../feature.ts';
import { audienceOf } from './audience.ts';
import { replyInProgress } from './errors.ts';
import type { ConversationRecord } from './model.ts';
import { openConversation } from './open.ts';
import { publishConversation } from './present.ts';

/** Attempts when somebody else shares the conversation at the same time. */
const MAX_ATTEMPTS = 3;

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
 * @throws AppError not_found, also for a workspace of which the actor is no member; forbidden; invalid_field for the owner, for a user who
 * shares no workspace with the actor, and for a temporary conversation; reply_in_progress when it was private while that began
 */
export async function replaceGrants(
  chat: ChatFeature,
  actor: Actor,
  { id, grants: wanted }: GrantsBody & { id: string },
): Promise<RecordGrants> {
  requireRegistered(actor);
  const to = wanted.map(toGrant);
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const conversation = await openConversation(chat, actor, { id, action: 'manage' });
    await checkGrants(chat, actor, { conversation, to });
    await rejectRunning(chat, conversation);
    const before = await audienceOf(chat, conversation);
    // Only the grants that gave the actor the right to change them are replaced.
    const changed = await chat.conversations.replaceGrants(conversation, {
      from: conversation.grants,
      to,
    });
    if (!changed) continue;
    const after = await audienceOf(chat, changed);
    const lost = [...before.keys()].filter((userId) => !after.has(userId));
    for (const userId of lost)
      void chat.bus.publish(userId, 'access:changed', { conversationId: id });
    await updateViews(chat, conversation, { changed, lost });
    void publishConversation(chat, changed).then(() =>
      announce(chat, actor, { changed, to: [...after.keys()].filter((one) => !before.has(one)) }),
    );
    return presentGrants(chat, to);
  }
  throw unavailable();
}

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
async function rejectRunning(chat: ChatFeature, conversation: ConversationRecord) {
  const { id: conversationId, ownerId, grants } = conversation;
  if (grants.length > 0) return;
  if (await chat.messages.activeReplyId({ conversationId, ownerId }))
    throw await replyInProgress(chat, conversation);
}

const toGrant = ({ role, ...to }: GrantBody): Grant => ({
  principal: 'userId' in to ? userPrincipal(to.userId) : workspacePrincipal(to.workspaceId),
  role,
});

/** Who stands in the grants already may stay there: another manager may know members that the actor does not. */
async function checkGrants(
  { others: { workspaces } }: ChatFeature,
  { userId }: Actor,
  { conversation, to }: { conversation: ConversationRecord; to: readonly Grant[] },
) {
  if (conversation.temporary || conversation.trial)
    throw refused('A temporary conversation cannot be shared.');
  const known = new Set(conversation.grants.map(({ principal }) => principal));
  const added = to.filter(({ principal }) => !known.has(principal));
  const users = added.flatMap((grant) => idIn('user', grant) ?? []);
  const workspaceIds = added.flatMap((grant) => idIn('workspace', grant) ?? []);
  if (users.includes(conversation.ownerId))
    throw refused('The owner has every right; name other members.');
  const colleagues = users.length > 0 ? await workspaces.colleagues(userId) : new Set();
  // The same answer for a user who does not exist: nobody is found out by an id.
  if (users.some((id) => !colleagues.has(id)))
    throw refused('You can share with members of your workspaces only.');
  const places = workspaceIds.length > 0 ? await workspaces.places({ userIds: [userId] }) : [];
  if (workspaceIds.some((id) => places.every(({ workspaceId }) => workspaceId !== id)))
    throw notFound('workspace');
}

const refused = (sentence: string) =>
  new AppError('invalid_field', sentence, { details: { field: 'grants' } });

async function presentGrants(
  { others: { workspaces } }: ChatFeature,
  grants: readonly Grant[],
): Promise<RecordGrants> {
  const nameOf = await workspaces.names({
    userIds: grants.flatMap((grant) => idIn('user', grant) ?? []),
    workspaceIds: grants.flatMap((grant) => idIn('workspace', grant) ?? []),
  });
  return {
    grants: grants.map((grant): RecordGrant => {
      const { role } = grant;
      const userId = idIn('user', grant);
      if (userId) return { userId, role, name: nameOf(userId) };
      const workspaceId = idIn('workspace', grant) ?? '';
      return { workspaceId, role, name: nameOf(workspaceId) };
    }),
  };
}

/** For workspaces: ends the grants to a user or a workspace, on the conversations of these owners or on all. */
export const endGrants = (
  { conversations }: Pick<ChatFeature, 'conversations'>,
  to: { userId: string } | { workspaceId: string },
  of?: { ownerIds: string[] },
): Promise<void> =>
  conversations.endGrants(
    'userId' in to ? userPrincipal(to.userId) : workspacePrincipal(to.workspaceId),
    of?.ownerIds,
  );

/** For workspaces: users may have lost access to conversations. */
export function publishLostAccess(
  chat: Pick<ChatFeature, 'bus' | 'conversations' | 'log' | 'others' | 'views'>,
  userIds: readonly string[],
): void {
  for (const userId of userIds)
    void chat.bus.publish(userId, 'access:changed', { conversationId: null });
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
  const foreign = watched.filter((one) => records.get(one.conversationId)?.ownerId !== one.userId);
  const userIds = [...new Set(foreign.map(({ userId }) => userId))];
  const places = userIds.length > 0 ? await workspaces.places({ userIds }) : [];
  return foreign.filter(({ userId, conversationId }) => {
    const record = records.get(conversationId);
    const own = places.filter((place) => place.userId === userId);
    return !record || !can({ userId, workspaces: own }, 'read', record);
  });
}
