import { type Actor, sessionActor } from '../../access/index.ts';
import { AppError, notFound } from '../../errors.ts';
import { publishSessionEnd, publishSessions } from './events.ts';
import type { AccountsFeature } from './feature.ts';
import { hashOf, newSecret } from './secrets.ts';
import {
  MAX_SESSION_MS,
  SESSION_MS,
  type SessionRecord,
  type SessionRef,
  TOUCH_MS,
} from './session-model.ts';
import type { AtVersion, UserRecord } from './user-record.ts';

/** Maximum number of sessions of one user; a further sign-in ends the least recently used one. */
const MAX_SESSIONS = 50;

type SessionParts = Pick<AccountsFeature, 'sessions' | 'bus'>;

/** The origin of a new session. */
interface Opening {
  userAgent: string;
  /** When the user proved their identity: the default is now, null is unknown. */
  authenticatedAt?: Date | null | undefined;
}

/**
 * Opens a session for credentials that were verified at a version, and returns its token, which is stored nowhere. The session is stored
 * before the version is checked, and a change of credentials raises the version before it ends sessions, so one of the two always sees the
 * other.
 * @throws AppError unauthenticated when the credentials have changed since
 */
export async function openSession(
  accounts: AccountsFeature,
  user: AtVersion,
  { userAgent, authenticatedAt }: Opening,
): Promise<string> {
  const { sessions, users, now } = accounts;
  const token = newSecret();
  const at = now();
  const session = await sessions.create({
    tokenHash: hashOf(token),
    userId: user.id,
    credentialVersion: user.credentialVersion,
    userAgent: userAgent.slice(0, 256),
    authenticatedAt: authenticatedAt === undefined ? at : authenticatedAt,
    now: at,
    expiresAt: expiresAt({ createdAt: at, usedAt: at }),
  });
  if (!(await users.recordSignIn(user, at))) {
    await sessions.remove({ id: session.id, userId: user.id });
    throw credentialsChanged();
  }
  // After the own session is stored, so that the last of several parallel sign-ins sees all sessions.
  await publishEnds(accounts, user.id, await sessions.removeBeyond(user.id, MAX_SESSIONS));
  await publishSessions(accounts, user.id);
  return token;
}

/** The actor of a session token, or null. Using a session extends it by 30 days. */
export async function authenticate(
  accounts: AccountsFeature,
  token: string,
): Promise<Actor | null> {
  const { sessionOwners, users } = accounts;
  const tokenHash = hashOf(token);
  const ownerId = sessionOwners.of(tokenHash);
  const [session, owner] = await Promise.all([
    findByToken(accounts, tokenHash),
    ownerId === undefined ? null : users.find(ownerId),
  ]);
  if (!session) {
    sessionOwners.forget(tokenHash);
    return null;
  }
  sessionOwners.know(tokenHash, session.userId);
  const user = owner?.id === session.userId ? owner : await users.find(session.userId);
  if (!user) return null;
  if (!isCurrent(session, user)) {
    // A crash between the change of credentials and the end of the other sessions has left it.
    await removeSession(accounts, { userId: user.id, sessionId: session.id });
    return null;
  }
  const isGuest = user.subscriptionStatus === 'guest';
  return sessionActor({ userId: user.id, sessionId: session.id, isGuest });
}

/** A session of a user by its id; null when it is over. */
export const findSession = (
  { sessions, now }: Pick<AccountsFeature, 'sessions' | 'now'>,
  { userId, sessionId }: SessionRef,
): Promise<SessionRecord | null> => sessions.findValid({ _id: sessionId, userId }, boundsAt(now()));

/** The ids of those sessions that are over: ended, expired, or opened with former credentials. Takes two queries. */
export async function findEndedSessions(
  { sessions, users, now }: Pick<AccountsFeature, 'sessions' | 'users' | 'now'>,
  refs: readonly SessionRef[],
): Promise<string[]> {
  const [valid, owners] = await Promise.all([
    sessions.findAllValid(refs, boundsAt(now())),
    users.findAll(refs.map(({ userId }) => userId)),
  ]);
  const ownerOf = new Map(owners.map((owner) => [owner.id, owner]));
  const current = new Set(
    valid
      .filter((session) => {
        const owner = ownerOf.get(session.userId);
        return owner && isCurrent(session, owner);
      })
      .map(({ id }) => id),
  );
  return refs.map(({ sessionId }) => sessionId).filter((id) => !current.has(id));
}

/** The sessions of a user, last used first. */
export const listSessions = (
  { sessions, now }: Pick<AccountsFeature, 'sessions' | 'now'>,
  userId: string,
): Promise<SessionRecord[]> => sessions.list(userId, { ...boundsAt(now()), limit: MAX_SESSIONS });

/** Ends the session of a token; null when there is none. */
export async function endSessionOfToken(
  accounts: SessionParts,
  token: string,
): Promise<SessionRef | null> {
  const session = await accounts.sessions.removeByToken(hashOf(token));
  if (!session) return null;
  const ended = { userId: session.userId, sessionId: session.id };
  await publishSessionEnd(accounts, ended);
  return ended;
}

/**
 * Ends the session of a token after the browser received a new one. Its sockets get no event: an event that arrives before the tabs switch
 * to the new session would sign them out.
 */
export async function replaceSession(accounts: SessionParts, token: string): Promise<void> {
  const session = await accounts.sessions.removeByToken(hashOf(token));
  if (session) await publishSessions(accounts, session.userId);
}

/** @throws AppError not_found when the session has ended or belongs to another user */
export async function endSession(accounts: SessionParts, session: SessionRef): Promise<void> {
  if (!(await removeSession(accounts, session))) throw notFound('session');
}

/** Ends all sessions of a user, or all but `except`. */
export async function endAllSessions(
  accounts: SessionParts,
  userId: string,
  options: { except?: string } = {},
): Promise<void> {
  await publishEnds(accounts, userId, await accounts.sessions.removeAllOf(userId, options));
}

async function removeSession(accounts: SessionParts, session: SessionRef): Promise<boolean> {
  const { userId, sessionId } = session;
  const ended = await accounts.sessions.remove({ id: sessionId, userId });
  if (ended) await publishSessionEnd(accounts, session);
  return ended;
}

async function findByToken(
  accounts: AccountsFeature,
  tokenHash: string,
): Promise<SessionRecord | null> {
  const session = await accounts.sessions.findValid({ tokenHash }, boundsAt(accounts.now()));
  if (session) await extend(accounts, session);
  return session;
}

async function extend(
  { sessions, users, now }: AccountsFeature,
  session: SessionRecord,
): Promise<void> {
  const at = now();
  if (at.getTime() - session.lastUsedAt.getTime() < TOUCH_MS) return;
  const expiry = expiresAt({ createdAt: session.createdAt, usedAt: at });
  if (await sessions.touch(session, { now: at, expiresAt: expiry }))
    await users.touch(session.userId, at);
}

async function publishEnds(accounts: SessionParts, userId: string, ids: string[]): Promise<void> {
  await Promise.all(ids.map((sessionId) => publishSessionEnd(accounts, { userId, sessionId })));
}

const expiresAt = ({ createdAt, usedAt }: { createdAt: Date; usedAt: Date }) =>
  new Date(Math.min(usedAt.getTime() + SESSION_MS, createdAt.getTime() + MAX_SESSION_MS));

const boundsAt = (at: Date) => ({
  now: at,
  createdAfter: new Date(at.getTime() - MAX_SESSION_MS),
});

/** Whether a session was opened with the current credentials, or is the session that changed them. */
const isCurrent = ({ id, credentialVersion }: SessionRecord, user: UserRecord): boolean =>
  credentialVersion === user.credentialVersion || id === user.keptSessionId;

const credentialsChanged = () =>
  new AppError('unauthenticated', 'This account was changed a moment ago. Sign in again.');
