import PQueue from 'p-queue';
import { unavailable } from '../errors.ts';
import { toAppError } from './error-handler.ts';

/**
 * Calls of a process that run at once: twice its connections to the database, where more would only wait for each other. Where all calls run
 * at once, a burst of them on a slow machine makes each wait so often that all fail, and their repetitions too.
 */
const AT_ONCE = 40;
/** Waiting costs less than an answer and another call; a page waits longer for its answer. */
const MAX_WAIT_MS = 20_000;

/** Runs a call in its turn. It may need database and Redis only: waiting for others, it would keep the turn from all. */
export type Turn = <Result>(run: () => Promise<Result>) => Promise<Result>;

export interface Turns {
  /** Before all that wait as `later`. */
  sooner: Turn;
  later: Turn;
}

/**
 * Turns for the calls of a process, first come, first served. A call gets 503 `unavailable`, with Retry-After, in place of its turn when it has
 * waited for more than `maxWaitMs`, or when another one failed meanwhile because database or Redis did not answer: it would wait for the same.
 */
export function createTurns({ atOnce = AT_ONCE, maxWaitMs = MAX_WAIT_MS } = {}): Turns {
  const queue = new PQueue({ concurrency: atOnce });
  let failedAt = Number.NEGATIVE_INFINITY;
  const take = async <Result>(since: number, run: () => Promise<Result>): Promise<Result> => {
    if (since < failedAt || performance.now() - since > maxWaitMs) throw unavailable();
    try {
      return await run();
    } catch (error) {
      if (toAppError(error).code === 'unavailable') failedAt = performance.now();
      throw error;
    }
  };
  const withPriority =
    (priority: number): Turn =>
    (run) => {
      const since = performance.now();
      return queue.add(() => take(since, run), { priority });
    };
  return { sooner: withPriority(1), later: withPriority(0) };
}
