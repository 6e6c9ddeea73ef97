import type { HandedOver } from '../../contract/privacy.ts';
import type { WorkspacesFeature } from './feature.ts';
import { end } from './invitations.ts';
import { endMembership } from './members.ts';
import { countShared, handOver } from './sharing.ts';
import { publishClosing, removeWorkspace } from './workspaces.ts';

/** Erases what a user has in workspaces: the one that the user owns as a whole, memberships, and the invitations that the user sent. */
export async function removeAllOf(feature: WorkspacesFeature, userId: string): Promise<void> {
  const { workspaces, memberships, invitations } = feature;
  const owned = await workspaces.ownedBy(userId);
  if (owned) await removeWorkspace(feature, owned);
  await workspaces.endOffersTo(userId);
  await workspaces.forgetRemoved(userId);
  for (const { workspaceId } of await memberships.ofUser(userId)) {
    await endMembership(feature, { workspaceId, userId });
    await publishClosing(feature, workspaceId);
  }
  for (const invitation of await invitations.ofInviter(userId)) await end(feature, invitation);
}

/** The workspaces of others that a user is a member of. */
async function joinedBy({ workspaces, memberships }: WorkspacesFeature, userId: string) {
  const ids = (await memberships.ofUser(userId)).map(({ workspaceId }) => workspaceId);
  return (await workspaces.findMany(ids)).filter(({ ownerId }) => ownerId !== userId);
}

/** For privacy: how much a user shares with workspaces of others. */
export async function countSharedBy(
  feature: WorkspacesFeature,
  userId: string,
): Promise<HandedOver> {
  const joined = await joinedBy(feature, userId);
  const counts = await Promise.all(
    joined.map(({ id: workspaceId }) => countShared(feature, { userId, workspaceId })),
  );
  const sum = (kind: 'shared' | 'personas' | 'files') =>
    counts.reduce((total, one) => total + one[kind], 0);
  return { conversations: sum('shared'), personas: sum('personas'), files: sum('files') };
}

/**
 * For privacy: what a user shares with workspaces of others goes to their owners. What is only passing to the user goes there in any case: it is
 * not the user's yet.
 */
export async function leaveAll(
  feature: WorkspacesFeature,
  from: string,
  { handsOver }: { handsOver: boolean },
): Promise<void> {
  for (const { id: workspaceId, ownerId: to } of await joinedBy(feature, from)) {
    const given = { from, workspaceId, to };
    if (handsOver) await handOver(feature, given);
    else await feature.others.chat.redirectHandovers(given);
  }
}

/** What the export of a user contains of workspaces. */
export async function exportWorkspaces(
  { workspaces, memberships, invitations }: WorkspacesFeature,
  userId: string,
): Promise<object> {
  const own = await memberships.ofUser(userId);
  const ids = own.map(({ workspaceId }) => workspaceId);
  const [found, sent] = await Promise.all([
    workspaces.findAll(ids, userId),
    invitations.ofInviter(userId),
  ]);
  return {
    workspaces: found.map(({ id, name, ownerId, createdAt }) => {
      const { role = null, joinedAt = createdAt } =
        own.find(({ workspaceId }) => workspaceId === id) ?? {};
      return { id, name, role: ownerId === userId ? 'owner' : role, joinedAt };
    }),
    invitations: sent.map(({ workspaceId, email, role, createdAt, expiresAt }) => ({
      workspaceId,
      email,
      role,
      createdAt,
      expiresAt,
    })),
  };
}
