import type { Actor } from '../../access/index.ts';
import type {
  LeaveQuery,
  Leaving,
  MemberBody,
  WorkspaceMember,
} from '../../contract/workspaces.ts';
import { AppError, invalidField, notFound } from '../../errors.ts';
import { isAdmin, nameOf, requireOpen, requireWorkspace, roleOf } from './access.ts';
import type { WorkspacesFeature } from './feature.ts';
import { end as endInvitation } from './invitations.ts';
import type { MembershipKey } from './membership-model.ts';
import { countShared, endGrantsOf, endGrantsTo, handOver } from './sharing.ts';
import type { WorkspaceRecord } from './workspace-model.ts';
import { alreadyOwner, publishClosing, publishTo } from './workspaces.ts';

/** The members of a workspace, the owner first. @throws AppError not_found */
export async function listMembers(
  feature: WorkspacesFeature,
  actor: Actor,
  id: string,
): Promise<WorkspaceMember[]> {
  const { workspace, role } = await requireWorkspace(feature, actor, id);
  const members = await feature.memberships.ofWorkspace(id);
  const { accounts, usage } = feature.others;
  const [users, pool] = await Promise.all([
    accounts.users.findAll(members.map(({ userId }) => userId)),
    usage.readPool(workspace.ownerId),
  ]);
  const mayRead = (userId: string) => userId === actor.userId || isAdmin(role);
  const byId = new Map(users.map((user) => [user.id, user]));
  return members
    .map((member) => ({
      userId: member.userId,
      name: nameOf(byId.get(member.userId)),
      email: byId.get(member.userId)?.email ?? null,
      role: roleOf(workspace, member),
      joinedAt: member.joinedAt.toISOString(),
      ...(mayRead(member.userId) && {
        usage: { ...(pool.members[member.userId] ?? UNUSED), cap: member.cap },
      }),
    }))
    .toSorted((a, b) => Number(b.role === 'owner') - Number(a.role === 'owner'));
}

const UNUSED = { tokens: 0, lastUsedOn: null };

/**
 * Gives another role or another cap to a member, for admins.
 * @throws AppError not_found; forbidden, also for the owner's; workspace_closed
 */
export async function changeMember(
  feature: WorkspacesFeature,
  actor: Actor,
  { workspaceId, userId, role, cap }: MembershipKey & MemberBody,
): Promise<void> {
  await requireOpen(feature, actor, workspaceId, 'admin');
  // An offer of the ownership ends first, so that no member who is no admin accepts it.
  if (role && role !== 'admin') await feature.workspaces.endOffer(workspaceId, userId);
  await rejectOwner(feature, { workspaceId, userId });
  const changed = await feature.memberships.change({ workspaceId, userId }, { role, cap });
  if (!changed) throw notFound('member');
  await publishTo(feature, workspaceId);
  if (role) feature.others.chat.publishAccess([userId]);
}

/**
 * What becomes of the conversations, personas and files of a member who leaves, for admins and for the member.
 * @throws AppError not_found, forbidden
 */
export async function readLeaving(
  feature: WorkspacesFeature,
  actor: Actor,
  key: MembershipKey,
): Promise<Leaving> {
  await requireLeaving(feature, actor, key);
  const { others, ...shared } = await countShared(feature, key);
  // How much others keep for themselves is nobody's business.
  return { ...shared, ...(key.userId === actor.userId && { others }) };
}

async function requireLeaving(
  feature: WorkspacesFeature,
  actor: Actor,
  key: MembershipKey,
): Promise<WorkspaceRecord> {
  const needed = key.userId === actor.userId ? 'viewer' : 'admin';
  const { workspace } = await requireWorkspace(feature, actor, key.workspaceId, needed);
  if (!(await feature.memberships.find(key))) throw notFound('member');
  return workspace;
}

/**
 * Removes a member, for admins and for the member. What the member shares with the workspace goes to `heirId`, or to the owner.
 * @throws AppError not_found; forbidden, also for the owner; invalid_field for an heir who is a viewer or no other member
 */
export async function removeMember(
  feature: WorkspacesFeature,
  actor: Actor,
  { heirId, ...key }: MembershipKey & LeaveQuery,
): Promise<void> {
  const { workspaceId, userId } = key;
  const { ownerId } = await requireLeaving(feature, actor, key);
  const to = heirId ?? ownerId;
  if (to !== ownerId) await requireHeir(feature, key, to);
  await feature.workspaces.endOffer(workspaceId, userId);
  await rejectOwner(feature, key);
  if (actor.userId !== userId) await preventReturn(feature, key);
  if (!(await endMembership(feature, key, { heirId: to }))) throw notFound('member');
  await publishClosing(feature, workspaceId, [userId]);
}

/** Until they are invited again. An invitation to their address may be from before they joined by the domain. */
async function preventReturn(
  feature: WorkspacesFeature,
  { workspaceId, userId }: MembershipKey,
): Promise<void> {
  const { workspaces, invitations, others, now } = feature;
  await workspaces.noteRemoved(workspaceId, userId);
  const [user] = await others.accounts.users.findAll([userId]);
  for (const invitation of await invitations.ofWorkspace(workspaceId, now()))
    if (invitation.email === user?.email) await endInvitation(feature, invitation);
}

async function requireHeir(
  { memberships }: WorkspacesFeature,
  { workspaceId, userId }: MembershipKey,
  heirId: string,
): Promise<void> {
  const heir = await memberships.find({ workspaceId, userId: heirId });
  if (heir && heir.role !== 'viewer' && heirId !== userId) return;
  throw invalidField('heirId', 'Choose another member who may write.');
}

/** Removes a membership with its seat, what could make it again, and what the others have shared with the member. */
export async function endMembership(
  feature: WorkspacesFeature,
  key: MembershipKey,
  { heirId }: { heirId?: string } = {},
): Promise<boolean> {
  const { workspaces, memberships, invitations, others } = feature;
  const { workspaceId, userId: from } = key;
  const end = async () => {
    if (heirId) await handOver(feature, { from, workspaceId, to: heirId });
    await endGrantsOf(feature, key);
    await endGrantsTo(feature, key);
  };
  // First: after a crash the member leaves once more, and nothing shared has left the workspace.
  await end();
  await invitations.removeAccepted(workspaceId, from);
  const wasMember = await memberships.remove(key);
  // What was shared in the same moment.
  await end();
  others.chat.publishLostAccess([from]);
  await workspaces.freeSeat(workspaceId, from);
  return wasMember;
}

const STAYS = 'The owner stays until an admin has taken over the ownership.';

/** Read after the offer to this user has ended: then the user cannot become the owner. */
async function rejectOwner(
  { workspaces }: WorkspacesFeature,
  { workspaceId, userId }: MembershipKey,
): Promise<void> {
  if ((await workspaces.find(workspaceId))?.ownerId === userId)
    throw new AppError('forbidden', STAYS, { details: { role: 'owner' } });
}

/**
 * Offers the ownership to an admin, for the owner. The offer replaces an earlier one.
 * @throws AppError not_found, also for a user who is no member; forbidden; invalid_field for a member who is no admin
 */
export async function offerOwnership(
  feature: WorkspacesFeature,
  actor: Actor,
  { workspaceId, userId }: MembershipKey,
): Promise<void> {
  const { workspace } = await requireWorkspace(feature, actor, workspaceId, 'owner');
  const membership = await feature.memberships.find({ workspaceId, userId });
  if (!membership) throw notFound('member');
  if (membership.role !== 'admin' || userId === workspace.ownerId)
    throw invalidField('userId', 'Only an admin can take over the ownership.');
  if (!(await feature.workspaces.offer(workspace, userId))) throw notFound('workspace');
  await publishTo(feature, workspaceId);
}

/**
 * Ends the offer, for the owner and for the admin to whom it is made.
 * @throws AppError not_found, also without an offer; forbidden
 */
export async function endOffer(
  feature: WorkspacesFeature,
  actor: Actor,
  id: string,
): Promise<void> {
  const { workspace, role } = await requireWorkspace(feature, actor, id, 'admin');
  const { transferTo } = workspace;
  if (transferTo === null || (role !== 'owner' && transferTo !== actor.userId))
    throw notFound('offer');
  await feature.workspaces.endOffer(id, transferTo);
  await publishTo(feature, id);
}

/**
 * Takes over the ownership that is offered to the actor; the former owner becomes an admin. From then on the actor's plan counts.
 * @throws AppError not_found, also without an offer to the actor; forbidden; already_owner
 */
export async function acceptOwnership(
  feature: WorkspacesFeature,
  actor: Actor,
  id: string,
): Promise<void> {
  const { workspace } = await requireWorkspace(feature, actor, id, 'admin');
  if (workspace.transferTo !== actor.userId) throw notFound('offer');
  // Who cannot take over keeps the cap.
  if (await feature.workspaces.ownedBy(actor.userId)) throw alreadyOwner();
  // Before, so that no owner has a cap.
  await feature.memberships.change({ workspaceId: id, userId: actor.userId }, { cap: null });
  const result = await feature.workspaces.acceptOffer(workspace, actor.userId);
  if (result === 'owner') throw alreadyOwner();
  if (result === 'ended') throw notFound('offer');
  await publishClosing(feature, id);
}
