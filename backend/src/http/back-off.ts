import type { RateLimiterAbstract } from 'rate-limiter-flexible';

/** Waits that double with each try: the first, and the longest. */
export interface BackOff {
  firstSeconds: number;
  maxSeconds: number;
}

export interface Tries {
  /** Takes one try. Rejects as the limiter does when the wait is not over. */
  take: (key: string) => Promise<void>;
  /** It was right after all: the failures before it are forgotten. */
  forget: (key: string) => Promise<void>;
}

interface TriesOptions {
  /** Counts tries; never refuses one. */
  counter: RateLimiterAbstract;
  /** Lets one try through per wait. */
  gate: RateLimiterAbstract;
  /** Tries without a wait. */
  free: number;
  backOff: BackOff;
}

/**
 * Failures that cost more and more time. Each try is counted before it is made, and past the free ones it has to win the
 * gate, which is shut for the wait that follows: guesses made at the same moment do not slip through together.
 */
export function createTries({ counter, gate, free, backOff }: TriesOptions): Tries {
  const waitAfter = (tries: number) =>
    Math.min(backOff.maxSeconds, backOff.firstSeconds * 2 ** (tries - free - 1));

  return {
    take: async (key) => {
      const shut = await gate.get(key);
      // A try that is refused does not count: waiting out what was asked for is enough.
      if (shut && shut.remainingPoints <= 0) throw shut;
      const { consumedPoints } = await counter.penalty(key);
      if (consumedPoints <= free) return;
      await gate.consume(key, 1, { customDuration: waitAfter(consumedPoints) });
    },
    forget: async (key) => {
      await Promise.all([counter.delete(key), gate.delete(key)]);
    },
  };
}
