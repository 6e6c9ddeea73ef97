import type { Actor } from '../../access/index.ts';
import { INVITATION_DAYS, MAX_INVITATIONS_PER_DAY } from '../../contract/limits.ts';
import type { Invitation, InviteBody } from '../../contract/workspaces.ts';
import { AppError, notFound, orUnavailable } from '../../errors.ts';
import { requireOpen, requireWorkspace } from './access.ts';
import type { WorkspacesFeature } from './feature.ts';
import type { InvitationKey, InvitationRecord } from './invitation-model.ts';
import { takeSeat } from './seats.ts';
import { publishTo } from './workspaces.ts';

const DAY_MS = 24 * 60 * 60_000;
const INVITATION_MS = INVITATION_DAYS * DAY_MS;
export const INVITATION_SECONDS = INVITATION_MS / 1_000;

export const expiryOf = (now: Date): Date => new Date(now.getTime() + INVITATION_MS);

/** The open invitations of a workspace, for admins. @throws AppError not_found, forbidden */
export async function listInvitations(
  feature: WorkspacesFeature,
  actor: Actor,
  workspaceId: string,
): Promise<Invitation[]> {
  await requireWorkspace(feature, actor, workspaceId, 'admin');
  return (await feature.invitations.ofWorkspace(workspaceId, feature.now())).map(present);
}

/**
 * Mails an invitation to an address, for admins. It takes a seat until it is accepted, is revoked or expires.
 * @throws AppError not_found; forbidden; workspace_closed; already_member; already_invited; seats_full with `included`; too_many_requests
 * with Retry-After; unavailable
 */
export async function invite(
  feature: WorkspacesFeature,
  actor: Actor,
  { workspaceId, email, role }: Pick<InvitationRecord, 'workspaceId'> & InviteBody,
): Promise<Invitation> {
  const { seats } = await requireOpen(feature, actor, workspaceId, 'admin');
  await rejectMember(feature, { workspaceId, email });
  const createdAt = feature.now();
  const id = feature.newInvitationId();
  const expiresAt = expiryOf(createdAt);
  const invitedBy = actor.userId;
  const invitation = { id, workspaceId, email, role, invitedBy, createdAt, expiresAt };
  if (!(await takeSeat(feature, workspaceId, { key: id, limit: seats }))) throw seatsFull(seats);
  try {
    await store(feature, invitation);
    await mail(feature, invitation, actor.userId);
  } catch (error) {
    await end(feature, invitation);
    throw error;
  }
  await publishTo(feature, workspaceId);
  return present(invitation);
}

async function rejectMember(
  { others, memberships }: WorkspacesFeature,
  { workspaceId, email }: Pick<InvitationRecord, 'workspaceId' | 'email'>,
): Promise<void> {
  const user = await others.accounts.users.findByEmail(email);
  if (user && (await memberships.find({ workspaceId, userId: user.id })))
    throw new AppError('already_member', 'The user of this address is a member already.');
}

export const seatsFull = (included: number) =>
  new AppError(
    'seats_full',
    'All seats are taken by members and open invitations. Revoke an invitation, or choose a plan with more seats.',
    { details: { included } },
  );

async function store(
  { invitations }: WorkspacesFeature,
  invitation: InvitationRecord,
): Promise<void> {
  if (await invitations.insert(invitation)) return;
  throw new AppError(
    'already_invited',
    'This address has an open invitation. You can send it again.',
  );
}

/** Counts and requests the mail. */
async function mail(
  { workspaces, mails, now }: WorkspacesFeature,
  { id, workspaceId }: InvitationKey,
  userId: string,
): Promise<void> {
  const at = now();
  const day = at.toISOString().slice(0, 10);
  if (!(await workspaces.countMail(workspaceId, { day, limit: MAX_INVITATIONS_PER_DAY })))
    throw new AppError(
      'too_many_requests',
      'This workspace has sent all invitations of today. Try again tomorrow (UTC).',
      { retryAfter: Math.ceil((DAY_MS - (at.getTime() % DAY_MS)) / 1_000) },
    );
  await mails.add(`${id}-${at.getTime()}`, { userId, invitationId: id }).catch(orUnavailable);
}

/**
 * Mails an open invitation again, for admins: another link, for seven days from now. The earlier link ends.
 * @throws AppError not_found, forbidden, workspace_closed, too_many_requests, unavailable
 */
export async function sendAgain(
  feature: WorkspacesFeature,
  actor: Actor,
  { id, workspaceId }: InvitationKey,
): Promise<Invitation> {
  await requireOpen(feature, actor, workspaceId, 'admin');
  const found = await feature.invitations.find(id, feature.now());
  if (found?.workspaceId !== workspaceId) throw notFound('invitation');
  await mail(feature, found, actor.userId);
  return present({ ...found, expiresAt: expiryOf(feature.now()) });
}

/** Ends an open invitation, for admins. @throws AppError not_found, forbidden */
export async function revoke(
  feature: WorkspacesFeature,
  actor: Actor,
  invitation: InvitationKey,
): Promise<void> {
  const { workspaceId } = invitation;
  await requireWorkspace(feature, actor, workspaceId, 'admin');
  if (!(await end(feature, invitation))) throw notFound('invitation');
  await publishTo(feature, workspaceId);
}

/** Removes an invitation with its seat. */
export async function end(
  { invitations, workspaces }: WorkspacesFeature,
  { id, workspaceId }: InvitationKey,
): Promise<boolean> {
  const wasOpen = await invitations.remove({ id, workspaceId });
  await workspaces.freeSeat(workspaceId, id);
  return wasOpen;
}

const present = ({ id, email, role, createdAt, expiresAt }: InvitationRecord): Invitation => ({
  id,
  email,
  role,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});
