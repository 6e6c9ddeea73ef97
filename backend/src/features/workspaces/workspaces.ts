import { type Actor, needsRole, requireRegistered } from '../../access/index.ts';
import type { Workspace } from '../../contract/workspaces.ts';
import { AppError, invalidField } from '../../errors.ts';
import { oneLine } from '../../text/untrusted.ts';
import { isAdmin, nameOf, planOf, requireOpen, requireWorkspace, roleOf } from './access.ts';
import type { WorkspacesFeature } from './feature.ts';
import { domainOf } from './mail-domain.ts';
import { endGrants, endGrantsTo } from './sharing.ts';
import type { WorkspaceRecord } from './workspace-model.ts';

/**
 * Creates the actor's workspace.
 * @throws AppError forbidden for guests; subscription_required without a plan; already_owner when the actor owns one
 */
export async function createWorkspace(
  feature: WorkspacesFeature,
  actor: Actor,
  { name }: { name: string },
): Promise<Workspace> {
  requireRegistered(actor);
  const { workspaces, memberships, now } = feature;
  const { userId } = actor;
  const id = feature.newWorkspaceId();
  const cleaned = cleanName(name);
  const { closed } = await planOf(feature, { ownerId: userId }, 1);
  if (closed) throw new AppError('subscription_required', 'Choose a plan to have a workspace.');
  // First, so that no workspace is without its owner's membership. One without a workspace is in no list.
  const membership = { workspaceId: id, userId };
  await memberships.insert({ ...membership, role: 'admin', joinedAt: now() });
  const created = await workspaces.insert({ id, name: cleaned, ownerId: userId, now: now() });
  if (!created) {
    await memberships.remove(membership);
    throw alreadyOwner();
  }
  feature.publishChange([userId]);
  return present(feature, actor, created);
}

export const alreadyOwner = () =>
  new AppError('already_owner', 'You own a workspace already; a user can own one.');

/** The workspaces of the actor, by name. */
export async function listWorkspaces(
  feature: WorkspacesFeature,
  actor: Pick<Actor, 'userId'>,
): Promise<Workspace[]> {
  const memberships = await feature.memberships.ofUser(actor.userId);
  const ids = memberships.map(({ workspaceId }) => workspaceId);
  const found = await feature.workspaces.findAll(ids, actor.userId);
  const sorted = found.toSorted((a, b) => a.name.localeCompare(b.name));
  return Promise.all(sorted.map((workspace) => present(feature, actor, workspace)));
}

/** @throws AppError not_found, forbidden, workspace_closed */
export async function renameWorkspace(
  feature: WorkspacesFeature,
  actor: Actor,
  { id, name }: { id: string; name: string },
): Promise<Workspace> {
  const cleaned = cleanName(name);
  const { workspace } = await requireOpen(feature, actor, id, 'admin');
  await feature.workspaces.rename(id, cleaned);
  await publishTo(feature, id);
  return present(feature, actor, { ...workspace, name: cleaned });
}

/**
 * Deletes a workspace with its memberships and invitations, for its owner.
 * @throws AppError not_found, forbidden
 */
export async function deleteWorkspace(
  feature: WorkspacesFeature,
  actor: Actor,
  id: string,
): Promise<void> {
  const { workspace } = await requireWorkspace(feature, actor, id, 'owner');
  if (await removeWorkspace(feature, workspace)) return;
  // Unless another request has deleted it.
  if (await feature.workspaces.find(id)) throw needsRole('owner');
}

/**
 * The workspace before its memberships: what a crash leaves of the rest belongs to none, and gives access to nothing.
 * @returns false when another user owns it now
 */
export async function removeWorkspace(
  feature: WorkspacesFeature,
  workspace: WorkspaceRecord,
): Promise<boolean> {
  const { workspaces, memberships, invitations, others } = feature;
  if (!(await workspaces.withdrawOffer(workspace))) return false;
  const members = await memberships.ofWorkspace(workspace.id);
  const workspaceId = workspace.id;
  const end = async () => {
    for (const { userId } of members) await endGrantsTo(feature, { workspaceId, userId });
    await endGrants(feature, { workspaceId });
  };
  await end();
  if (!(await workspaces.remove(workspace))) return false;
  await invitations.removeOfWorkspace(workspace.id);
  await memberships.removeOfWorkspace(workspace.id);
  // What was shared in the same moment.
  await end();
  const userIds = members.map(({ userId }) => userId);
  others.chat.publishLostAccess(userIds);
  feature.publishChange(userIds);
  return true;
}

/** Publishes a change to the members, and to `others` who were some before it. @returns the members */
export async function publishTo(
  feature: WorkspacesFeature,
  id: string,
  others: readonly string[] = [],
): Promise<string[]> {
  const members = await feature.memberships.ofWorkspace(id);
  const userIds = members.map(({ userId }) => userId);
  feature.publishChange([...userIds, ...others]);
  return userIds;
}

/**
 * As `publishTo`, when the workspace may have become read-only or writable: the tabs of its members also read again what they may change.
 */
export async function publishClosing(
  feature: WorkspacesFeature,
  id: string,
  others: readonly string[] = [],
): Promise<void> {
  feature.others.chat.publishAccess(await publishTo(feature, id, others));
}

/** For billing: the plan of a user has changed, and with it the workspace that the user owns. */
export async function publishPlan(feature: WorkspacesFeature, ownerId: string): Promise<void> {
  const workspace = await feature.workspaces.ownedBy(ownerId);
  if (workspace) await publishClosing(feature, workspace.id);
}

function cleanName(name: string): string {
  const cleaned = oneLine(name);
  if (cleaned !== '') return cleaned;
  throw invalidField('name', 'Give the workspace a name.');
}

async function present(
  feature: WorkspacesFeature,
  { userId }: Pick<Actor, 'userId'>,
  workspace: WorkspaceRecord,
): Promise<Workspace> {
  const { id, name, ownerId, transferTo, allowLinks } = workspace;
  const [members, open, [owner]] = await Promise.all([
    feature.memberships.ofWorkspace(id),
    feature.invitations.ofWorkspace(id, feature.now()),
    feature.others.accounts.users.findAll([ownerId]),
  ]);
  const [{ seats, closed }, pool] = await Promise.all([
    planOf(feature, workspace, members.length),
    feature.others.usage.readPool(ownerId),
  ]);
  const own = members.find((member) => member.userId === userId);
  const role = roleOf(workspace, own ?? { userId, role: 'viewer' });
  const domain = domainOf(owner);
  const used = pool.members[userId]?.tokens ?? 0;
  const cap = own?.cap ?? null;
  return {
    id,
    name,
    role,
    seats: { included: seats, taken: members.length + open.length },
    owner: { id: ownerId, name: nameOf(owner) },
    closed,
    transferTo,
    pool: {
      usedUp: pool.isUsedUp ? 'pool' : cap !== null && used >= cap ? 'cap' : null,
      resetsAt: pool.resetsAt,
    },
    allowLinks,
    ...(domain && isAdmin(role) && { join: { domain, isOn: workspace.domains.includes(domain) } }),
  };
}
