import type { WorkspacePlace } from '../../access/index.ts';
import type { HandingOver } from '../record-grants-model.ts';
import { nameOf, planOf } from './access.ts';
import type { WorkspacesFeature } from './feature.ts';
import type { MembershipKey } from './membership-model.ts';

/** What features with shared records ask of workspaces, as members. */
export const bindSharing = (feature: WorkspacesFeature) => ({
  places: (wanted: Wanted) => placesOf(feature, wanted),
  names: (wanted: Named) => namesOf(feature, wanted),
  colleagues: (userId: string) => colleaguesOf(feature, userId),
});

/** A user in a workspace. */
type Place = WorkspacePlace & MembershipKey;

/** The users or the workspaces that are asked for. */
type Wanted = { userIds: readonly string[] } | { workspaceIds: readonly string[] };

/** The places of users, or the users of workspaces; those of deleted workspaces are left out. */
async function placesOf(feature: WorkspacesFeature, wanted: Wanted): Promise<Place[]> {
  const memberships = await feature.memberships.among(wanted);
  const ids = [...new Set(memberships.map(({ workspaceId }) => workspaceId))];
  const found = ids.length > 0 ? await feature.workspaces.findMany(ids) : [];
  const all = 'workspaceIds' in wanted ? memberships : await membersOf(feature, ids);
  const isOpen = new Map(
    await Promise.all(
      found.map(async (workspace) => {
        const members = all.filter(({ workspaceId }) => workspaceId === workspace.id).length;
        return [workspace.id, (await planOf(feature, workspace, members)).closed === null] as const;
      }),
    ),
  );
  return memberships.flatMap(({ workspaceId, userId, role }) => {
    const open = isOpen.get(workspaceId);
    if (open === undefined) return [];
    return [{ workspaceId, userId, mayWrite: open && role !== 'viewer' }];
  });
}

const membersOf = async ({ memberships }: WorkspacesFeature, workspaceIds: readonly string[]) =>
  workspaceIds.length > 0 ? memberships.among({ workspaceIds }) : [];

interface Named {
  userIds?: string[];
  workspaceIds?: string[];
}

/** The names of users and of workspaces, by id. */
async function namesOf(
  { workspaces, others }: WorkspacesFeature,
  { userIds = [], workspaceIds = [] }: Named,
): Promise<(id: string) => string> {
  const [users, named] = await Promise.all([
    userIds.length > 0 ? others.accounts.users.findAll(userIds) : [],
    workspaceIds.length > 0 ? workspaces.findMany(workspaceIds) : [],
  ]);
  const names = new Map([
    ...users.map((user) => [user.id, nameOf(user)] as const),
    ...named.map(({ id, name }) => [id, name] as const),
  ]);
  return (id) => names.get(id) ?? nameOf(undefined);
}

/** The users who share a workspace with this one. */
async function colleaguesOf(
  feature: WorkspacesFeature,
  userId: string,
  { except }: { except?: string } = {},
): Promise<Set<string>> {
  const places = await placesOf(feature, { userIds: [userId] });
  const ids = places.map(({ workspaceId }) => workspaceId).filter((id) => id !== except);
  const all = await membersOf(feature, ids);
  return new Set(all.map((member) => member.userId).filter((id) => id !== userId));
}

/**
 * Takes back what was shared with a member who leaves the workspace, by whom the user meets in no other one. Before the membership ends: a
 * crash in between leaves a member for whom things are to be shared again, and nobody who has left and still reads them.
 */
export async function endGrantsTo(
  feature: WorkspacesFeature,
  { workspaceId, userId }: MembershipKey,
): Promise<void> {
  const userIds = [...(await colleaguesOf(feature, userId, { except: workspaceId }))];
  const places = userIds.length > 0 ? await feature.memberships.among({ userIds }) : [];
  const managing = places.filter(({ role }) => role !== 'viewer');
  const workspaceIds = [...new Set(managing.map((place) => place.workspaceId))];
  await endGrants(feature, { userId }, { noManagerIn: { userIds, workspaceIds } });
}

/** What a user shares with a workspace, and how many other conversations the user has. */
export async function countShared(
  { others: { chat, personas, files } }: Pick<WorkspacesFeature, 'others'>,
  { userId, workspaceId }: MembershipKey,
) {
  const [conversations, sharedPersonas, sharedFiles] = await Promise.all([
    chat.countOwned(userId, workspaceId),
    personas.countShared(userId, workspaceId),
    files.countShared(userId, workspaceId),
  ]);
  return { ...conversations, personas: sharedPersonas, files: sharedFiles };
}

/** Gives what a member shares with the workspace to another one; it can be repeated. */
export async function handOver(
  { others: { chat, personas, files } }: Pick<WorkspacesFeature, 'others'>,
  given: HandingOver,
): Promise<void> {
  await chat.beginHandover(given);
  await personas.handOver(given);
  await files.handOver(given);
}

/** Takes back the files and personas that a member shares with the workspace and that go to nobody: they stay the member's own. */
export async function endGrantsOf(
  { others: { personas, files } }: Pick<WorkspacesFeature, 'others'>,
  { workspaceId, userId }: MembershipKey,
): Promise<void> {
  const of = { ownerIds: [userId] };
  await Promise.all([personas, files].map((feature) => feature.endGrants({ workspaceId }, of)));
}

/** Ends grants on records of every kind. */
export async function endGrants(
  { others: { chat, personas, files } }: Pick<WorkspacesFeature, 'others'>,
  ...to: Parameters<WorkspacesFeature['others']['chat']['endGrants']>
): Promise<void> {
  await Promise.all([chat, personas, files].map((feature) => feature.endGrants(...to)));
}
