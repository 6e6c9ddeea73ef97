import type { Authenticate } from '../http/index.ts';
import type { Log } from '../log.ts';

/** A session that ends without an event (it expires) loses its sockets within this time. */
const PERIOD_MS = 30_000;
const TICK_MS = 1_000;

/** The part of a socket that identifies its session. */
export interface SessionSocket {
  data: { sessionId: string; token: string };
}

interface WatchedSession<S> {
  token: string;
  sockets: Set<S>;
  dueAt: number;
}

export interface SessionChecks<S> {
  watch: (socket: S) => void;
  /** No effect on a socket that is not watched. */
  unwatch: (socket: S) => void;
  close: () => void;
}

interface SessionChecksOptions<S> {
  authenticate: Authenticate;
  /** Called for each socket of a session that has ended. */
  onEnded: (socket: S) => void;
  log: Log;
  now?: () => number;
  random?: () => number;
}

/**
 * Checks once per period whether each session with an open socket is still valid: one query per session, distributed over the period even
 * when all sockets connected at once. A check does not count as use of the session.
 */
export function createSessionChecks<S extends SessionSocket>(
  options: SessionChecksOptions<S>,
): SessionChecks<S> {
  const { authenticate, onEnded, log, now = Date.now, random = Math.random } = options;
  const sessions = new Map<string, WatchedSession<S>>();

  const check = async ({ token, sockets }: WatchedSession<S>) => {
    if (await authenticate(token, { touch: false })) return;
    for (const socket of sockets) onEnded(socket);
  };
  const timer = setInterval(() => {
    for (const session of sessions.values()) {
      if (session.dueAt > now()) continue;
      session.dueAt = now() + PERIOD_MS;
      check(session).catch((error: unknown) => log.warn({ err: error }, 'session check failed'));
    }
  }, TICK_MS);

  return {
    watch: (socket) => {
      const { sessionId, token } = socket.data;
      const session = sessions.get(sessionId) ?? {
        token,
        sockets: new Set<S>(),
        dueAt: now() + random() * PERIOD_MS,
      };
      sessions.set(sessionId, session);
      session.sockets.add(socket);
    },
    unwatch: (socket) => {
      const session = sessions.get(socket.data.sessionId);
      if (session?.sockets.delete(socket) && session.sockets.size === 0)
        sessions.delete(socket.data.sessionId);
    },
    close: () => clearInterval(timer),
  };
}
