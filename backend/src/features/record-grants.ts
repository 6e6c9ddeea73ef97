import {
  type Action,
  type Actor,
  type Grant,
  idIn,
  type Owned,
  type Reader,
  requireCan,
  requireRegistered,
  roleIn,
  userPrincipal,
  workspacePrincipal,
} from '../access/index.ts';
import type { GrantBody, Person, RecordGrant, RecordGrants } from '../contract/access.ts';
import type { ReaderRole } from '../contract/roles.ts';
import { invalidField, notFound, unavailable } from '../errors.ts';
import type { RecordsOf } from './record-grants-model.ts';
import type { WorkspacesService } from './workspaces/index.ts';

// One way to share conversations, personas and files: the grants stand in the record, the workspaces say who may be named.

/** What is needed to know the readers of a record. */
export interface AsksWorkspaces {
  others: { workspaces: Pick<WorkspacesService, 'places' | 'names' | 'colleagues'> };
}

/** A record with the members and workspaces that it is shared with. */
export interface Shareable extends Owned {
  id: string;
  grants: readonly Grant[];
}

/** Attempts when somebody else shares the record at the same time. */
const MAX_ATTEMPTS = 3;

/** A user with the workspaces by which records may be shared with the user. */
export const readerOf = async (
  { workspaces }: AsksWorkspaces['others'],
  userId: string,
): Promise<Reader> => ({ userId, workspaces: await workspaces.places({ userIds: [userId] }) });

/** The principals by which records are shared with a reader. */
export const principalsOf = ({ userId, workspaces = [] }: Reader): string[] => [
  userPrincipal(userId),
  ...workspaces.map(({ workspaceId }) => workspacePrincipal(workspaceId)),
];

/** The indexes by which a reader's records are found: the owner's, and one for each principal. */
export const indexesOf = (reader: Reader): ({ ownerId: string } | { principal: string })[] => [
  { ownerId: reader.userId },
  ...principalsOf(reader).map((principal) => ({ principal })),
];

/** One page of several, each record once, newest first. Its cost depends on its size, not on how many records there are. */
export async function newestOf<R extends { id: string }>(
  pages: Promise<R[]>[],
  { at, limit }: { at: (record: R) => Date; limit: number },
): Promise<R[]> {
  const byId = new Map((await Promise.all(pages)).flat().map((record) => [record.id, record]));
  const newestFirst = (a: R, b: R) => at(b).getTime() - at(a).getTime() || (a.id < b.id ? 1 : -1);
  return [...byId.values()].toSorted(newestFirst).slice(0, limit);
}

/**
 * A record of the user, or one that is shared with them. The user's own is found first and costs no other read. From here on its data is
 * read and changed by its `ownerId`.
 * @throws AppError not_found for one that the user may not read; forbidden with `role` for one that the user may read only
 */
export async function openShared<R extends Owned>(
  { others }: AsksWorkspaces,
  { userId }: Pick<Actor, 'userId'>,
  {
    id,
    action,
    what,
    store,
  }: {
    id: string;
    action: Action;
    what: string;
    store: {
      find: (key: { id: string; ownerId: string }) => Promise<R | null>;
      findShared: (id: string) => Promise<R | null>;
    };
  },
): Promise<R> {
  const own = await store.find({ id, ownerId: userId });
  if (own && !own.givenTo) return own;
  const [record, reader] = await Promise.all([store.findShared(id), readerOf(others, userId)]);
  const opened = requireCan(reader, action, { record, what });
  // Its data is following: for some milliseconds, or until a crashed hand-over is continued.
  if (opened.givenTo === opened.ownerId) throw unavailable();
  return opened;
}

/** The users whose tabs receive the events of a record, each with the role in it; the owner first. */
export async function audienceOf(
  { others: { workspaces } }: AsksWorkspaces,
  { grants, ...record }: Pick<Shareable, 'ownerId' | 'grants' | 'givenTo'>,
): Promise<Map<string, ReaderRole>> {
  const ownerId = record.givenTo ?? record.ownerId;
  const idsOf = (kind: 'user' | 'workspace') => grants.flatMap((grant) => idIn(kind, grant) ?? []);
  const workspaceIds = idsOf('workspace');
  const places = workspaceIds.length > 0 ? await workspaces.places({ workspaceIds }) : [];
  const audience = new Map<string, ReaderRole>([[ownerId, 'owner']]);
  for (const userId of [...idsOf('user'), ...places.map((place) => place.userId)]) {
    const reader = { userId, workspaces: places.filter((place) => place.userId === userId) };
    const role = roleIn(reader, { ownerId, grants });
    if (role) audience.set(userId, role);
  }
  return audience;
}

/** The owners of those records that are shared, by id. */
export async function ownersOf(
  { others: { workspaces } }: AsksWorkspaces,
  records: readonly Pick<Shareable, 'ownerId' | 'grants'>[],
): Promise<(record: Pick<Shareable, 'ownerId' | 'grants'>) => Person | undefined> {
  const shared = records.filter(({ grants }) => grants.length > 0);
  const userIds = [...new Set(shared.map(({ ownerId }) => ownerId))];
  const nameOf = userIds.length > 0 ? await workspaces.names({ userIds }) : () => '';
  return ({ ownerId, grants }) =>
    grants.length > 0 ? { id: ownerId, name: nameOf(ownerId) } : undefined;
}

interface GrantsChange<R> {
  /** The record before. */
  former: R;
  /** The users who could read it before, and cannot now. */
  lost: string[];
  /** The users who could not read it before. */
  gained: string[];
  audience: Map<string, ReaderRole>;
}

/** How one kind of record is shared. */
interface Replacing<R extends Shareable> {
  wanted: readonly GrantBody[];
  /** The record, when the actor may manage it. */
  open: () => Promise<R>;
  /** Throws when the record cannot be shared now. */
  check?: (record: R) => Promise<void> | void;
  replace: (
    record: R,
    change: { from: readonly Grant[]; to: readonly Grant[] },
  ) => Promise<R | null>;
  /** Tells the tabs of those who have lost access, and of those who read it. */
  publish: (record: R, change: GrantsChange<R>) => Promise<void> | void;
}

/**
 * Replaces all grants of a record. Only the grants that gave the actor the right to change them are replaced.
 * @throws AppError not_found, also for a workspace of which the actor is no member; forbidden; invalid_field for the owner, and for a user
 * who shares no workspace with the actor
 */
export async function replaceRecordGrants<R extends Shareable>(
  feature: AsksWorkspaces,
  actor: Actor,
  { wanted, open, check, replace, publish }: Replacing<R>,
): Promise<RecordGrants> {
  requireRegistered(actor);
  const to = wanted.map(toGrant);
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const record = await open();
    await check?.(record);
    await checkPrincipals(feature, actor, { record, to });
    const before = await audienceOf(feature, record);
    const changed = await replace(record, { from: record.grants, to });
    if (!changed) continue;
    await checkPrincipals(feature, actor, { record, to }).catch(async (error: unknown) => {
      // Nobody else gets access back: who is named no more may have left, too.
      const left = record.grants.filter(({ principal }) =>
        to.some((grant) => grant.principal === principal),
      );
      await replace(changed, { from: to, to: left });
      throw error;
    });
    const audience = await audienceOf(feature, changed);
    await publish(changed, {
      former: record,
      lost: [...before.keys()].filter((id) => !audience.has(id)),
      gained: [...audience.keys()].filter((id) => !before.has(id)),
      audience,
    });
    return presentGrants(feature, { grants: to });
  }
  throw unavailable();
}

const toGrant = ({ role, ...to }: GrantBody): Grant => ({
  principal: 'userId' in to ? userPrincipal(to.userId) : workspacePrincipal(to.workspaceId),
  role,
});

/** Who stands in the grants already may stay there: another manager may know members that the actor does not. */
async function checkPrincipals(
  { others: { workspaces } }: AsksWorkspaces,
  { userId }: Actor,
  { record, to }: { record: Shareable; to: readonly Grant[] },
) {
  const known = new Set(record.grants.map(({ principal }) => principal));
  const added = to.filter(({ principal }) => !known.has(principal));
  const users = added.flatMap((grant) => idIn('user', grant) ?? []);
  const workspaceIds = added.flatMap((grant) => idIn('workspace', grant) ?? []);
  if (users.includes(record.ownerId))
    throw notShareable('The owner has every right; name other members.');
  const colleagues = users.length > 0 ? await workspaces.colleagues(userId) : new Set();
  // The same answer for a user who does not exist: nobody is found out by an id.
  if (users.some((id) => !colleagues.has(id)))
    throw notShareable('You can share with members of your workspaces only.');
  const places = workspaceIds.length > 0 ? await workspaces.places({ userIds: [userId] }) : [];
  if (workspaceIds.some((id) => places.every(({ workspaceId }) => workspaceId !== id)))
    throw notFound('workspace');
}

export const notShareable = (sentence: string) => invalidField('grants', sentence);

/** The grants of a record with the names of whom they are for. */
export async function presentGrants(
  { others: { workspaces } }: AsksWorkspaces,
  { grants }: Pick<Shareable, 'grants'>,
): Promise<RecordGrants> {
  const nameOf = await workspaces.names({
    userIds: grants.flatMap((grant) => idIn('user', grant) ?? []),
    workspaceIds: grants.flatMap((grant) => idIn('workspace', grant) ?? []),
  });
  return {
    grants: grants.map((grant): RecordGrant => {
      const { role } = grant;
      const userId = idIn('user', grant);
      if (userId) return { userId, role, name: nameOf(userId) };
      const workspaceId = idIn('workspace', grant) ?? '';
      return { workspaceId, role, name: nameOf(workspaceId) };
    }),
  };
}

/** The user or the workspace whose grants end, and on which records; by default on all. */
export type GrantsEnd = [to: { userId: string } | { workspaceId: string }, on?: RecordsOf];

/** For workspaces: ends grants on one kind of record. */
export const endGrantsIn = (
  store: { endGrants: (principal: string, on?: RecordsOf) => Promise<void> },
  ...[to, on]: GrantsEnd
): Promise<void> =>
  store.endGrants(
    'userId' in to ? userPrincipal(to.userId) : workspacePrincipal(to.workspaceId),
    on,
  );

/** What workspaces ask of one kind of record. */
export const forWorkspaces = (
  store: Parameters<typeof endGrantsIn>[0] & {
    countSharedBy: (ownerId: string, principal: string) => Promise<number>;
  },
) => ({
  endGrants: (...to: GrantsEnd) => endGrantsIn(store, ...to),
  /** How many of them a user shares with one. */
  countShared: (userId: string, workspaceId: string) =>
    store.countSharedBy(userId, workspacePrincipal(workspaceId)),
});
