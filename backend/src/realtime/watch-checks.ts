import type { Log } from '../log.ts';
import type { UserSocket, Watched } from './watches.ts';

/** A watch that is no longer allowed ends within this time, also when the event was lost that says so. */
const PERIOD_MS = 4_000;
/** Watches that are checked together. */
const PAGE = 500;

/** Those of the watched conversations that their users may no longer read. */
export type FindUnreadable = (
  watched: readonly { userId: string; conversationId: string }[],
) => Promise<readonly { userId: string; conversationId: string }[]>;

interface WatchChecksOptions {
  findUnreadable: FindUnreadable;
  /** Every socket of this process. */
  sockets: () => Iterable<UserSocket>;
  log: Log;
}

export interface WatchChecks {
  /** Checks all that these sockets watch, at once. */
  check: (sockets: Iterable<UserSocket>) => void;
  close: () => void;
}

/**
 * Ends the watches of conversations that their users may no longer read. All of this process are checked together, with a few queries, and
 * none while everybody watches their own.
 */
export function createWatchChecks({
  findUnreadable,
  sockets,
  log,
}: WatchChecksOptions): WatchChecks {
  const checkNow = async (watched: readonly Watched[]) => {
    for (let start = 0; start < watched.length; start += PAGE)
      await endUnreadable(findUnreadable, watched.slice(start, start + PAGE));
  };
  const check = (watched: readonly Watched[]) =>
    void checkNow(watched).catch((error: unknown) =>
      log.warn({ err: error }, 'watches not checked'),
    );
  const timer = setInterval(
    () => check(watchedBy(sockets()).filter(({ isOwn }) => !isOwn)),
    PERIOD_MS,
  );
  return { check: (checked) => check(watchedBy(checked)), close: () => clearInterval(timer) };
}

const watchedBy = (sockets: Iterable<UserSocket>): Watched[] =>
  [...sockets].flatMap(({ data }) => data.watches?.list() ?? []);

async function endUnreadable(findUnreadable: FindUnreadable, watched: readonly Watched[]) {
  const unreadable = await findUnreadable(watched);
  const isUnreadable = ({ userId, conversationId }: Watched) =>
    unreadable.some((one) => one.userId === userId && one.conversationId === conversationId);
  for (const one of watched) if (isUnreadable(one)) one.unwatch();
}
