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

interface SessionChecksOptions<S> {
  /** Every socket of this process. */
  sockets: () => Iterable<S>;
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
  sockets,
  findEndedSessions,
  onEnded,
  log,
}: SessionChecksOptions<S>): { close: () => void } {
  const check = async () => {
    const open = [...new Map([...sockets()].map(({ data }) => [data.sessionId, data])).values()];
    for (let start = 0; start < open.length; start += PAGE) {
      const ended = new Set(await findEndedSessions(open.slice(start, start + PAGE)));
      if (ended.size === 0) continue;
      for (const socket of sockets()) if (ended.has(socket.data.sessionId)) onEnded(socket);
    }
  };
  const timer = setInterval(() => {
    check().catch((error: unknown) => log.warn({ err: error }, 'session check failed'));
  }, PERIOD_MS);
  return { close: () => clearInterval(timer) };
}
