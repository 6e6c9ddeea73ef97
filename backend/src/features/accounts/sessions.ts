import { hashOf, newSecret } from './secrets.ts';
import type { SessionRecord, SessionStore } from './session-model.ts';
import type { UserStore } from './user-model.ts';

const MINUTE = 60_000;
/** A session ends this long after it was last used (sliding). */
export const SESSION_MS = 30 * 24 * 60 * MINUTE;
/** How exactly the last use is known; every use within it costs no write. */
export const TOUCH_MS = 5 * MINUTE;

export type SessionEnded = { userId: string; sessionId: string };

export interface SessionsDeps {
  sessions: SessionStore;
  users: UserStore;
  now: () => Date;
  onSessionOpened: (userId: string) => Promise<void>;
  /** Told after a session is gone from the database, so that its sockets can be closed. */
  onSessionEnded: (ended: SessionEnded) => Promise<void>;
}

/** Opens, checks and ends sessions; a token is known to its holder only. */
export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(deps: SessionsDeps) {
  const { sessions, users, now, onSessionOpened, onSessionEnded } = deps;
  const expiry = (from: Date) => new Date(from.getTime() + SESSION_MS);

  const touchNowAndThen = async (session: SessionRecord) => {
    const at = now();
    if (at.getTime() - session.lastUsedAt.getTime() < TOUCH_MS) return;
    if (await sessions.touch(session, { now: at, expiresAt: expiry(at) }))
      await users.touch(session.userId, at);
  };

  return {
    /** Opens a session and returns its token, the only time it is seen in the clear. */
    open: async (userId: string, userAgent: string): Promise<string> => {
      const token = newSecret();
      const at = now();
      await sessions.create({
        tokenHash: hashOf(token),
        userId,
        userAgent: userAgent.slice(0, 256),
        now: at,
        expiresAt: expiry(at),
      });
      await onSessionOpened(userId);
      return token;
    },

    find: async (token: string): Promise<SessionRecord | null> => {
      const session = await sessions.findValid(hashOf(token), now());
      if (session) await touchNowAndThen(session);
      return session;
    },

    endByToken: async (token: string): Promise<void> => {
      const ended = await sessions.removeByToken(hashOf(token));
      if (ended) await onSessionEnded({ userId: ended.userId, sessionId: ended.id });
    },

    end: async ({ userId, sessionId }: SessionEnded): Promise<boolean> => {
      const ended = await sessions.remove({ id: sessionId, userId });
      if (ended) await onSessionEnded({ userId, sessionId });
      return ended;
    },

    /**
     * Ends a session whose person goes on in a new one. Its sockets are not told: the tabs take up the new session by
     * themselves, and would sign out if they heard of the end of the old one first.
     */
    retire: async ({ userId, sessionId }: SessionEnded): Promise<void> => {
      await sessions.remove({ id: sessionId, userId });
    },

    list: (userId: string): Promise<SessionRecord[]> => sessions.list(userId, now()),

    endAllOf: async (userId: string, options: { except?: string } = {}): Promise<void> => {
      const ids = await sessions.removeAllOf(userId, options);
      await Promise.all(ids.map((sessionId) => onSessionEnded({ userId, sessionId })));
    },
  };
}
