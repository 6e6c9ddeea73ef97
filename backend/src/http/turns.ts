import PQueue from 'p-queue';
import { unavailable } from '../errors.ts';
import { isUnreachable } from './error-handler.ts';

/**
 * Calls of a process that run at once: twice its connections to the database, where more would only wait for each other. Where all calls run
 * at once, a burst of them on a slow machine makes each wait so often that all fail, and their repetitions too.
 */
const AT_ONCE = 40;
/** Waiting costs less than an answer and another call; a page waits longer for its answer. */
const MAX_WAIT_MS = 20_000;

/** Runs a call when its turn comes. The call may wait for database and Redis only: one that waits for others would keep the turn from all. */
export type Turn = <Result>(run: () => Promise<Result>) => Promise<Result>;

/**
 * The turns of the calls of a process, first come, first served. A call gets 503 `unavailable`, with Retry-After, in place of its turn when it
 * has waited for more than `maxWaitMs`, or when database or Redis did not answer another one meanwhile: it would wait for the same.
 */
export function createTurn({ atOnce = AT_ONCE, maxWaitMs = MAX_WAIT_MS } = {}): Turn {
  const queue = new PQueue({ concurrency: atOnce });
  let failedAt = Number.NEGATIVE_INFINITY;
  const take = async <Result>(since: number, run: () => Promise<Result>): Promise<Result> => {
    if (since < failedAt || performance.now() - since > maxWaitMs) throw unavailable();
    try {
      return await run();
    } catch (error) {
      if (isUnreachable(error)) failedAt = performance.now();
      throw error;
    }
  };
  return (run) => {
    const since = performance.now();
    return queue.add(() => take(since, run));
  };
}
