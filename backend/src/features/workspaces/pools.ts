import type { Actor } from '../../access/index.ts';
import { openSeats, requireOpen } from './access.ts';
import type { WorkspacesFeature } from './feature.ts';
import type { MembershipKey } from './membership-model.ts';

// The pool of a workspace is what its owner's plan pays. Every member but a viewer uses it.

/** The functions for other features, as members: usage comes earlier in the list. */
export const bindPools = (feature: WorkspacesFeature) => ({
  /** @throws AppError not_found; forbidden for a viewer; workspace_closed */
  requirePool: async (actor: Pick<Actor, 'userId'>, workspaceId: string): Promise<void> => {
    await requireOpen(feature, actor, workspaceId, 'member');
  },
  poolFor: (key: MembershipKey) => poolFor(feature, key),
  memberOf: (key: MembershipKey) => memberOf(feature, key),
  poolsOf: (userId: string) => poolsOf(feature, userId),
});

/**
 * The owner whose plan pays in the workspace's conversations; null for a user for whom it does not pay.
 * @throws AppError workspace_closed
 */
async function poolFor(
  feature: WorkspacesFeature,
  { workspaceId, userId }: MembershipKey,
): Promise<string | null> {
  const [workspace, member] = await Promise.all([
    feature.workspaces.find(workspaceId),
    memberOf(feature, { workspaceId, userId }),
  ]);
  if (!workspace || !member) return null;
  await openSeats(feature, workspace);
  return workspace.ownerId;
}

/** The most tokens that a member may use in a usage period, null: all; null for a user for whom the workspace does not pay. */
async function memberOf(
  { memberships }: WorkspacesFeature,
  key: MembershipKey,
): Promise<{ cap: number | null } | null> {
  const membership = await memberships.find(key);
  return membership && membership.role !== 'viewer' ? { cap: membership.cap } : null;
}

async function poolsOf({ workspaces, memberships }: WorkspacesFeature, userId: string) {
  const own = (await memberships.ofUser(userId)).filter(({ role }) => role !== 'viewer');
  const caps = new Map(own.map(({ workspaceId, cap }) => [workspaceId, cap]));
  const found = await workspaces.findAll([...caps.keys()], userId);
  return found.map(({ id, name, ownerId }) => ({ id, name, ownerId, cap: caps.get(id) ?? null }));
}
