import { domainToASCII } from 'node:url';
import { type Actor, requireRegistered } from '../../access/index.ts';
import type { AcceptedInvitation, JoinableWorkspace } from '../../contract/workspaces.ts';
import { invalidField, notFound } from '../../errors.ts';
import { openSeats, planOf, requireOpen, requireWorkspace } from './access.ts';
import type { WorkspacesFeature } from './feature.ts';
import { seatsFull } from './invitations.ts';
import { domainOf, PUBLIC_MAIL_HOSTS } from './mail-domain.ts';
import { endMembership } from './members.ts';
import { haveSeat } from './seats.ts';
import type { WorkspaceRecord } from './workspace-model.ts';
import { publishTo } from './workspaces.ts';

const domainOfUser = async ({ others }: WorkspacesFeature, userId: string) =>
  domainOf((await others.accounts.users.findAll([userId]))[0]);

/**
 * Replaces the domains whose verified addresses may join, for admins. Members stay. A workspace whose owner has no verified address in one of
 * them any more loses it.
 * @throws AppError not_found, forbidden, workspace_closed; invalid_field for a domain in which the owner has no verified address, for a public
 * host, and for a domain of another workspace
 */
export async function setDomains(
  feature: WorkspacesFeature,
  actor: Actor,
  { id, domains }: { id: string; domains: readonly string[] },
): Promise<void> {
  // To take something away is possible in a read-only workspace too.
  const require = domains.length > 0 ? requireOpen : requireWorkspace;
  const { workspace } = await require(feature, actor, id, 'admin');
  const wanted = [...new Set(domains.map((domain) => domainToASCII(domain.toLowerCase())))];
  const owned = await domainOfUser(feature, workspace.ownerId);
  for (const domain of wanted) {
    if (PUBLIC_MAIL_HOSTS.has(domain)) throw refused('Everybody can have an address there.');
    if (domain === '' || domain !== owned)
      throw refused('The owner needs a verified address in this domain.');
  }
  for (const domain of wanted) await releaseUnproven(feature, domain);
  if (!(await feature.workspaces.setDomains(workspace, wanted)))
    throw refused('Another workspace has this domain.');
  await publishTo(feature, id);
}

/** The proof of a domain ends with its owner's address, or when the ownership moves. */
async function releaseUnproven(feature: WorkspacesFeature, domain: string): Promise<void> {
  const holder = await feature.workspaces.findByDomain(domain);
  if (!holder || (await domainOfUser(feature, holder.ownerId)) === domain) return;
  await feature.workspaces.releaseDomain(holder, domain);
}

const refused = (sentence: string) => invalidField('domains', sentence);

/** The workspace that a user may join by the domain of their address. */
async function joinableFor(
  feature: WorkspacesFeature,
  userId: string,
): Promise<WorkspaceRecord | null> {
  const domain = await domainOfUser(feature, userId);
  const workspace = domain && (await feature.workspaces.findByDomain(domain, { except: userId }));
  // Ownership may have moved, and the owner's address changed.
  if (!workspace || (await domainOfUser(feature, workspace.ownerId)) !== domain) return null;
  return workspace;
}

/** The open workspaces that the actor may join by the domain of their address. */
export async function listJoinable(
  feature: WorkspacesFeature,
  actor: Actor,
): Promise<JoinableWorkspace[]> {
  if (actor.isGuest) return [];
  const workspace = await joinableFor(feature, actor.userId);
  if (!workspace) return [];
  const members = await feature.memberships.ofWorkspace(workspace.id);
  if (members.some(({ userId }) => userId === actor.userId)) return [];
  const [{ seats, closed }, open] = await Promise.all([
    planOf(feature, workspace, members.length),
    feature.invitations.ofWorkspace(workspace.id, feature.now()),
  ]);
  const full = members.length + open.length >= seats;
  return closed ? [] : [{ id: workspace.id, name: workspace.name, full }];
}

/**
 * Makes the actor a member by the domain of their address. It can be repeated.
 * @throws AppError forbidden for guests; not_found, also without a verified address in a domain of the workspace and for a user whom an admin
 * has removed; workspace_closed; seats_full
 */
export async function joinByDomain(
  feature: WorkspacesFeature,
  actor: Actor,
  id: string,
): Promise<AcceptedInvitation> {
  requireRegistered(actor);
  const { userId } = actor;
  const workspace = await joinableFor(feature, userId);
  if (workspace?.id !== id) throw notFound('workspace');
  const { memberships, now } = feature;
  if (await memberships.find({ workspaceId: id, userId }))
    return { workspaceId: id, wasMember: true };
  const limit = await openSeats(feature, workspace);
  if (!(await haveSeat(feature, id, { key: userId, limit }))) throw seatsFull(limit);
  const key = { workspaceId: id, userId };
  const isNew = await memberships.insert({ ...key, role: 'member', joinedAt: now() });
  // An admin may have removed the user after the first look.
  if (isNew && (await joinableFor(feature, userId))?.id !== id) {
    await endMembership(feature, key, { heirId: workspace.ownerId });
    throw notFound('workspace');
  }
  await publishTo(feature, id);
  if (isNew) feature.others.chat.publishAccess([userId]);
  return { workspaceId: id, wasMember: !isNew };
}
