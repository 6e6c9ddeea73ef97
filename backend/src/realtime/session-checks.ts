import type { Log } from '../log.ts';

/** A session that ends without an event, as when it expires, loses its sockets within this time. */
const PERIOD_MS = 5 * 60_000;
/** Sessions that are checked by one query. */
const PAGE = 500;

/** The part of a socket that identifies its session. */
export interface SessionSocket {
  data: { userId: string; sessionId: string };
}

/** Returns the ids of those sessions that are over. */
export type FindEndedSessions = (
  sessions: readonly SessionSocket['data'][],
) => Promise<readonly string[]>;

export interface SessionChecks<S> {
  watch: (socket: S) => void;
  /** No effect on a socket that is not watched. */
  unwatch: (socket: S) => void;
  close: () => void;
}

interface SessionChecksOptions<S> {
  findEndedSessions: FindEndedSessions;
  /** Called for each socket of a session that has ended. */
  onEnded: (socket: S) => void;
  log: Log;
}

/**
 * Ends the sockets of sessions that are over. The end of a session is pushed, and a socket is checked when it connects, also after Redis
 * was unreachable. What is left are sessions that expire, and events that were lost: all sessions with an open socket are checked
 * together, once per period, which costs the database almost nothing. A check does not count as use of the session.
 */
export function createSessionChecks<S extends SessionSocket>({
  findEndedSessions,
  onEnded,
  log,
}: SessionChecksOptions<S>): SessionChecks<S> {
  const sessions = new Map<string, Set<S>>();

  const check = async () => {
    const watched = [...sessions.values()].flatMap(([socket]) => (socket ? [socket.data] : []));
    for (let start = 0; start < watched.length; start += PAGE) {
      const page = watched.slice(start, start + PAGE);
      for (const sessionId of await findEndedSessions(page))
        for (const socket of sessions.get(sessionId) ?? []) onEnded(socket);
    }
  };
  const timer = setInterval(() => {
    check().catch((error: unknown) => log.warn({ err: error }, 'session check failed'));
  }, PERIOD_MS);

  return {
    watch: (socket) => {
      const { sessionId } = socket.data;
      const sockets = sessions.get(sessionId) ?? new Set<S>();
      sessions.set(sessionId, sockets.add(socket));
    },
    unwatch: (socket) => {
      const { sessionId } = socket.data;
      const sockets = sessions.get(sessionId);
      if (sockets?.delete(socket) && sockets.size === 0) sessions.delete(sessionId);
    },
    close: () => clearInterval(timer),
  };
}
