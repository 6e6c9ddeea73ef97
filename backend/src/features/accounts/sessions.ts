import { AppError } from '../../errors.ts';
import { hashOf, newSecret } from './secrets.ts';
import type { SessionRecord, SessionStore } from './session-model.ts';
import type { UserStore } from './user-model.ts';
import type { AtVersion } from './user-record.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A session ends this long after its last use. */
export const SESSION_MS = 30 * DAY_MS;
/** A session ends this long after the sign-in, however often it is used. */
export const MAX_SESSION_MS = 90 * DAY_MS;
/** The precision of the last use: uses within this time cost no write. */
export const TOUCH_MS = 5 * MINUTE_MS;

/** Sessions of one user at the same time; a sign-in beyond it ends the one that has not been used for longest. */
export const MAX_SESSIONS = 50;

export type SessionEnded = { userId: string; sessionId: string };

export interface SessionsDeps {
  sessions: SessionStore;
  users: UserStore;
  now: () => Date;
  /** Called after the list of a user's sessions has changed. */
  onSessionsChanged: (userId: string) => Promise<void>;
  /** Called after a session is removed from the database, so that its sockets can be closed. */
  onSessionEnded: (ended: SessionEnded) => Promise<void>;
}

/** Opens, checks and ends sessions; only its holder knows a token. */
export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(deps: SessionsDeps) {
  const { sessions, users, now, onSessionsChanged, onSessionEnded } = deps;

  const expiresAt = ({ createdAt, usedAt }: { createdAt: Date; usedAt: Date }) =>
    new Date(Math.min(usedAt.getTime() + SESSION_MS, createdAt.getTime() + MAX_SESSION_MS));
  const bounds = () => {
    const at = now();
    return { now: at, createdAfter: new Date(at.getTime() - MAX_SESSION_MS) };
  };

  const slide = async (session: SessionRecord) => {
    const at = now();
    if (at.getTime() - session.lastUsedAt.getTime() < TOUCH_MS) return;
    const expiry = expiresAt({ createdAt: session.createdAt, usedAt: at });
    if (await sessions.touch(session, { now: at, expiresAt: expiry }))
      await users.touch(session.userId, at);
  };

  const endIds = async (userId: string, ids: string[]): Promise<void> => {
    await Promise.all(ids.map((sessionId) => onSessionEnded({ userId, sessionId })));
  };

  return {
    /**
     * Opens a session for credentials that were verified at a version, and returns its token, the only time it is in the
     * clear. The session is stored first and the version checked after: a change of credentials raises the version first
     * and ends sessions after, so that one of the two always sees the other.
     * @throws AppError unauthenticated when the credentials have changed since
     */
    open: async (
      user: AtVersion,
      userAgent: string,
      authenticatedAt?: Date | null,
    ): Promise<string> => {
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
      // After the own one is stored: of parallel sign-ins, the last one to come here sees them all.
      await endIds(user.id, await sessions.removeBeyond(user.id, MAX_SESSIONS));
      await onSessionsChanged(user.id);
      return token;
    },

    /** The session of a token. This use extends it, unless `touch` is false. */
    find: async (
      token: string,
      { touch = true }: { touch?: boolean } = {},
    ): Promise<SessionRecord | null> => {
      const session = await sessions.findValid({ tokenHash: hashOf(token) }, bounds());
      if (session && touch) await slide(session);
      return session;
    },

    /** A session of a user by its id. */
    findOf: ({ userId, sessionId }: SessionEnded): Promise<SessionRecord | null> =>
      sessions.findValid({ _id: sessionId, userId }, bounds()),

    /** Ends the session of a token; null when there is none. */
    endByToken: async (token: string): Promise<SessionEnded | null> => {
      const session = await sessions.removeByToken(hashOf(token));
      if (!session) return null;
      const ended = { userId: session.userId, sessionId: session.id };
      await onSessionEnded(ended);
      return ended;
    },

    end: async ({ userId, sessionId }: SessionEnded): Promise<boolean> => {
      const ended = await sessions.remove({ id: sessionId, userId });
      if (ended) await onSessionEnded({ userId, sessionId });
      return ended;
    },

    /**
     * Ends the session of a token whose browser goes on in a new one. Its sockets get no event: the tabs switch to the
     * new session by themselves, and would sign out if the event came first.
     */
    replaceByToken: async (token: string): Promise<void> => {
      const session = await sessions.removeByToken(hashOf(token));
      if (session) await onSessionsChanged(session.userId);
    },

    list: (userId: string): Promise<SessionRecord[]> =>
      sessions.list(userId, { ...bounds(), limit: MAX_SESSIONS }),

    endAllOf: async (userId: string, options: { except?: string } = {}): Promise<void> => {
      await endIds(userId, await sessions.removeAllOf(userId, options));
    },
  };
}

const credentialsChanged = () =>
  new AppError('unauthenticated', 'This account was changed a moment ago. Sign in again.');
