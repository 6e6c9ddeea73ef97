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

/** A record that belongs to a user. */
export interface Owned {
  ownerId: string;
}

/** The only access policy: whether the actor may see and change the record. Today only its owner may. */
export const mayAccess = (actor: Pick<Actor, 'userId'>, record: Owned): boolean =>
  record.ownerId === actor.userId;

/**
 * The record, when the actor may access it.
 * @throws AppError not_found when it does not exist or belongs to another user; callers cannot distinguish the two
 */
export function requireAccess<R extends Owned>(
  actor: Pick<Actor, 'userId'>,
  record: R | null,
  what: string,
): R {
  if (!record || !mayAccess(actor, record)) throw notFound(what);
  return record;
}

/**
 * The only policy for calls that guests may not make.
 * @throws AppError forbidden for a guest
 */
export function requireRegistered(actor: Pick<Actor, 'isGuest'>): void {
  if (actor.isGuest)
    throw new AppError('forbidden', 'Create an account first; your conversations stay.');
}

/** The users whose tabs receive the events of a conversation. */
export const audienceOf = (conversation: Owned): string[] => [conversation.ownerId];
