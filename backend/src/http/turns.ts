import PQueue from 'p-queue';
import { unavailable } from '../errors.ts';

/**
 * Calls of a process that run at once: twice its connections to the database, where more would only wait for each other. Where all calls run
 * at once, a burst of them on a slow machine makes each wait so often that all fail, and their repetitions too.
 */
const AT_ONCE = 40;
/** A call that has waited longer is refused before it costs anything. */
const MAX_WAIT_MS = 4_000;

/** Runs a call in its turn. It may need database and Redis only: waiting for others, it would keep the turn from all. */
export type Turn = <Result>(run: () => Promise<Result>) => Promise<Result>;

export interface Turns {
  /** Before all that wait as `later`. */
  sooner: Turn;
  later: Turn;
}

/**
 * Turns for the calls of a process, first come, first served. A call that has waited for more than `maxWaitMs` when its turn comes gets 503
 * `unavailable`, with Retry-After.
 */
export function createTurns({ atOnce = AT_ONCE, maxWaitMs = MAX_WAIT_MS } = {}): Turns {
  const queue = new PQueue({ concurrency: atOnce });
  const withPriority =
    (priority: number): Turn =>
    (run) => {
      const since = performance.now();
      const runInTime = () => {
        if (performance.now() - since > maxWaitMs) throw unavailable();
        return run();
      };
      return queue.add(runInTime, { priority });
    };
  return { sooner: withPriority(1), later: withPriority(0) };
}
