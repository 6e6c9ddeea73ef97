import { AppError, notFound } from '../errors.ts';

/** What an actor may do; a signed-in session may do everything that its user may. */
export type Scope = 'all';

/** Who makes a request. Services take the actor; `userId` is the user it acts for. */
export interface Actor {
  kind: 'session';
  userId: string;
  sessionId: string;
  /** Whether the user is a guest: in demo mode, without an account of their own. */
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

/** The one policy: whether the actor may see and change the record. Today only its owner may. */
export const mayAccess = (actor: Pick<Actor, 'userId'>, record: Owned): boolean =>
  record.ownerId === actor.userId;

/**
 * The record, when the actor may access it.
 * @throws AppError not_found when there is none or it belongs to another user; the caller cannot tell the two apart.
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
 * The one policy for what guests may not do.
 * @throws AppError forbidden for a guest
 */
export function requireRegistered(actor: Pick<Actor, 'isGuest'>): void {
  if (actor.isGuest)
    throw new AppError('forbidden', 'Create an account first; your conversations stay.');
}

/** The users whose tabs receive the events of a conversation. */
export const audienceOf = (conversation: Owned): string[] => [conversation.ownerId];
