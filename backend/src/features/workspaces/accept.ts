import { type Actor, requireRegistered } from '../../access/index.ts';
import type { AcceptedInvitation, InvitationView } from '../../contract/workspaces.ts';
import { AppError } from '../../errors.ts';
import { hashOf } from '../accounts/index.ts';
import { nameOf, openSeats } from './access.ts';
import type { WorkspacesFeature } from './feature.ts';
import type { InvitationRecord } from './invitation-model.ts';
import { seatsFull } from './invitations.ts';
import { haveSeat } from './seats.ts';
import type { WorkspaceRecord } from './workspace-model.ts';
import { publishTo } from './workspaces.ts';

/**
 * What the holder of a mailed secret is invited to.
 * @throws AppError forbidden for guests and for another address than the invited one; not_found when the link is unknown, used or expired
 */
export async function readInvitation(
  feature: WorkspacesFeature,
  actor: Actor,
  token: string,
): Promise<InvitationView> {
  const { invitation, workspace } = await find(feature, actor, token);
  const [owner] = await feature.others.accounts.users.findAll([workspace.ownerId]);
  return { workspaceName: workspace.name, ownerName: nameOf(owner), role: invitation.role };
}

/**
 * Makes the actor a member by the secret of a mailed invitation, once. Each write can be repeated: a call that was interrupted is completed
 * by the next one.
 * @throws AppError as `readInvitation`; workspace_closed; seats_full
 */
export async function acceptInvitation(
  feature: WorkspacesFeature,
  actor: Actor,
  token: string,
): Promise<AcceptedInvitation> {
  const { workspaces, memberships, invitations, now } = feature;
  const { userId } = actor;
  const { invitation, workspace } = await find(feature, actor, token);
  const limit = await openSeats(feature, workspace);
  const members = await memberships.ofWorkspace(workspace.id);
  // An invitation keeps its seat when the plan gets smaller; one member more would close the workspace for all.
  if (members.length >= limit && members.every((member) => member.userId !== userId))
    throw seatsFull(limit);
  if (!(await invitations.accept(hashOf(token), userId, now()))) throw linkEnded();
  const { id, workspaceId, role } = invitation;
  // The seat before the membership: the invitation may be revoked at the same time, and frees its seat then.
  await workspaces.moveSeat(workspaceId, id, userId);
  if (!(await haveSeat(feature, workspaceId, { key: userId, limit }))) throw linkEnded();
  // Before the membership: a member who is removed from then on does not join again by the domain.
  await workspaces.forgetRemoved(userId, workspaceId);
  const isNew = await memberships.insert({ workspaceId, userId, role, joinedAt: now() });
  // A user who was a member has a seat.
  await workspaces.freeSeat(workspaceId, id);
  await invitations.remove(invitation);
  await publishTo(feature, workspaceId);
  if (isNew) feature.others.chat.publishAccess([userId]);
  return { workspaceId, wasMember: !isNew };
}

async function find(
  { invitations, workspaces, others, now }: WorkspacesFeature,
  actor: Actor,
  token: string,
): Promise<{ invitation: InvitationRecord; workspace: WorkspaceRecord }> {
  requireRegistered(actor);
  const invitation = await invitations.findByToken(hashOf(token), now());
  if (!invitation) throw linkEnded();
  const [[user], workspace] = await Promise.all([
    others.accounts.users.findAll([actor.userId]),
    workspaces.find(invitation.workspaceId),
  ]);
  if (!workspace) throw linkEnded();
  if (user?.email !== invitation.email) {
    const email = masked(invitation.email);
    throw new AppError('forbidden', `This invitation is for ${email}.`, { details: { email } });
  }
  return { invitation, workspace };
}

const linkEnded = () =>
  new AppError('not_found', 'This invitation was used or revoked, or it is too old.');

/** `ada@example.org` as `a…@example.org`. */
const masked = (email: string): string =>
  `${/^./u.exec(email)?.[0] ?? ''}…${email.slice(email.lastIndexOf('@'))}`;
