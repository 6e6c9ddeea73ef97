import type { ReaderRole, RecordRole, WorkspaceRole } from '../contract/roles.ts';
import { AppError, notFound } from '../errors.ts';

/** The permissions of an actor; a signed-in session has all of its user's. */
export type Scope = 'all';

/** The maker of a request. Services take the actor; `userId` is the user it acts for. */
export interface Actor {
  kind: 'session';
  userId: string;
  sessionId: string;
  /** Whether the user is a guest: in demo mode, without a registered account. */
  isGuest: boolean;
  scopes: readonly Scope[];
}

/** The actor of a signed-in session. */
export const sessionActor = (session: Pick<Actor, 'userId' | 'sessionId' | 'isGuest'>): Actor => ({
  kind: 'session',
  scopes: ['all'],
  ...session,
});

/** What a user or all members of a workspace may do in a record. */
export interface Grant {
  /** See `userPrincipal` and `workspacePrincipal`. */
  principal: string;
  role: RecordRole;
}

export const userPrincipal = (userId: string): string => `user:${userId}`;
export const workspacePrincipal = (workspaceId: string): string => `workspace:${workspaceId}`;

/** The id in a principal of this kind. */
export const idIn = (kind: 'user' | 'workspace', { principal }: Pick<Grant, 'principal'>) =>
  principal.startsWith(`${kind}:`) ? principal.slice(kind.length + 1) : null;

/** A record that belongs to a user, and may be shared with others. */
export interface Owned {
  ownerId: string;
  grants?: readonly Grant[];
  /** Who becomes its owner: it is this user's already for everybody who reads or changes it. */
  givenTo?: string;
}

/** A user and the workspaces by which records may be shared with the user; they are not needed for the user's own records. */
export interface Reader {
  userId: string;
  workspaces?: readonly WorkspacePlace[];
}

/** A user's place in a workspace. */
export interface WorkspacePlace {
  workspaceId: string;
  /** False for a viewer there, and in a workspace that is read-only: its grants then give no more than reading. */
  mayWrite: boolean;
}

/** read: see it; write: change its content; manage: share, rename and delete it. */
export type Action = 'read' | 'write' | 'manage';

const ORDER = ['viewer', 'editor', 'manager', 'owner'] as const satisfies ReaderRole[];
const NEEDED = { read: 'viewer', write: 'editor', manage: 'manager' } as const;

/** The most that the reader may do in the record; null: not even read it. */
export function roleIn(
  reader: Reader,
  { ownerId, grants = [], givenTo }: Owned,
): ReaderRole | null {
  if ((givenTo ?? ownerId) === reader.userId) return 'owner';
  const own = userPrincipal(reader.userId);
  const roles = grants.flatMap(({ principal, role }): RecordRole[] => {
    if (principal === own) return [role];
    const place = reader.workspaces?.find(
      ({ workspaceId }) => workspacePrincipal(workspaceId) === principal,
    );
    if (!place) return [];
    return [place.mayWrite ? role : 'viewer'];
  });
  return ORDER.findLast((role) => roles.includes(role as RecordRole)) ?? null;
}

/** The only access policy. */
export function can(reader: Reader, action: Action, record: Owned): boolean {
  const role = roleIn(reader, record);
  return role !== null && ORDER.indexOf(role) >= ORDER.indexOf(NEEDED[action]);
}

/**
 * The record, when the reader may do this with it.
 * @throws AppError not_found when it does not exist or the reader may not read it, which callers cannot distinguish; forbidden with `role`
 * when the reader may read it only
 */
export function requireCan<R extends Owned>(
  reader: Reader,
  action: Action,
  { record, what }: { record: R | null; what: string },
): R {
  if (!record || !can(reader, 'read', record)) throw notFound(what);
  if (can(reader, action, record)) return record;
  throw needsRole(NEEDED[action]);
}

/** Who may see a record or a workspace needs another role for this. */
export const needsRole = (role: ReaderRole | WorkspaceRole): AppError =>
  new AppError('forbidden', `You need the role ${role} for this.`, { details: { role } });

/**
 * The only policy for calls that guests may not make.
 * @throws AppError forbidden for a guest
 */
export function requireRegistered(actor: Pick<Actor, 'isGuest'>): void {
  if (actor.isGuest)
    throw new AppError('forbidden', 'Create an account first; your conversations stay.');
}
