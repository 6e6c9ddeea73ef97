import type { WorkspacesFeature } from './feature.ts';
import { end } from './invitations.ts';
import { endMembership } from './members.ts';
import { publishTo, removeWorkspace } from './workspaces.ts';

/** Erases what a user has in workspaces: the one that the user owns as a whole, memberships, and the invitations that the user sent. */
export async function removeAllOf(feature: WorkspacesFeature, userId: string): Promise<void> {
  const { workspaces, memberships, invitations } = feature;
  const owned = await workspaces.ownedBy(userId);
  if (owned) await removeWorkspace(feature, owned);
  await workspaces.endOffersTo(userId);
  for (const { workspaceId } of await memberships.ofUser(userId)) {
    await endMembership(feature, { workspaceId, userId });
    await publishTo(feature, workspaceId);
  }
  for (const invitation of await invitations.ofInviter(userId)) await end(feature, invitation);
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
