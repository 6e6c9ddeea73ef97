import { type Actor, needsRole } from '../../access/index.ts';
import { FORMER_MEMBER, WORKSPACE_ROLES, type WorkspaceRole } from '../../contract/roles.ts';
import { type WorkspaceClosed } from '../../contract/workspaces.ts';
import { AppError, notFound } from '../../errors.ts';
import type { WorkspacesFeature } from './feature.ts';
import type { MembershipRecord } from './membership-model.ts';
import type { WorkspaceRecord } from './workspace-model.ts';

// Who may do what in a workspace.

/** A workspace, and the actor's role in it. */
export interface Found {
  workspace: WorkspaceRecord;
  role: WorkspaceRole;
}

export const roleOf = (
  { ownerId }: Pick<WorkspaceRecord, 'ownerId'>,
  { userId, role }: Pick<MembershipRecord, 'userId' | 'role'>,
): WorkspaceRole => (userId === ownerId ? 'owner' : role);

const includes = (role: WorkspaceRole, needed: WorkspaceRole): boolean =>
  WORKSPACE_ROLES.indexOf(role) <= WORKSPACE_ROLES.indexOf(needed);

export const isAdmin = (role: WorkspaceRole): boolean => includes(role, 'admin');

/**
 * The workspace, when the actor is a member with at least the needed role.
 * @throws AppError not_found for others; forbidden with `role` for a lesser role
 */
export async function requireWorkspace(
  { workspaces, memberships }: Pick<WorkspacesFeature, 'workspaces' | 'memberships'>,
  { userId }: Pick<Actor, 'userId'>,
  id: string,
  needed: WorkspaceRole = 'viewer',
): Promise<Found> {
  const [workspace, membership] = await Promise.all([
    workspaces.find(id),
    memberships.find({ workspaceId: id, userId }),
  ]);
  if (!workspace || !membership) throw notFound('workspace');
  const role = roleOf(workspace, membership);
  if (includes(role, needed)) return { workspace, role };
  throw needsRole(needed);
}

/** The seats of a workspace by the plan of its owner, and why it is read-only. */
export interface WorkspacePlan {
  seats: number;
  closed: WorkspaceClosed | null;
}

/** Reads what the owner's plan gives to the workspace, for a number of members. */
export async function planOf(
  { others, seatsPro }: Pick<WorkspacesFeature, 'others' | 'seatsPro'>,
  { ownerId }: Pick<WorkspaceRecord, 'ownerId'>,
  members: number,
): Promise<WorkspacePlan> {
  const { kind, subscribed, subscriptionPlan } = await others.billing.entitlementsOf(ownerId);
  if (kind !== 'user' || !subscribed) return { seats: 0, closed: 'plan' };
  const seats = subscriptionPlan === 'pro' ? seatsPro : 1;
  return { seats, closed: members > seats ? 'seats' : null };
}

/**
 * As `requireWorkspace`, for a call that adds or changes something. What takes something away is possible in a read-only workspace too.
 * @throws AppError workspace_closed with `closed` and the owner's name
 */
export async function requireOpen(
  feature: WorkspacesFeature,
  actor: Pick<Actor, 'userId'>,
  id: string,
  needed: WorkspaceRole,
): Promise<Found & { seats: number }> {
  const found = await requireWorkspace(feature, actor, id, needed);
  return { ...found, seats: await openSeats(feature, found.workspace) };
}

/** @throws AppError workspace_closed */
export async function openSeats(
  feature: WorkspacesFeature,
  workspace: WorkspaceRecord,
): Promise<number> {
  const members = await feature.memberships.ofWorkspace(workspace.id);
  const { seats, closed } = await planOf(feature, workspace, members.length);
  if (closed === null) return seats;
  const [owner] = await feature.others.accounts.users.findAll([workspace.ownerId]);
  const name = nameOf(owner);
  const sentence =
    closed === 'plan'
      ? `The plan of ${name} has ended. Everything is kept.`
      : `The plan of ${name} has fewer seats than the workspace has members. Everything is kept.`;
  throw new AppError('workspace_closed', sentence, { details: { closed, owner: name } });
}

/** A user as other members see them; an account that is being deleted has no name. */
export const nameOf = (
  user: { firstName: string; lastName: string; email: string | null } | undefined,
): string =>
  user ? `${user.firstName} ${user.lastName}`.trim() || (user.email ?? '') : FORMER_MEMBER;
