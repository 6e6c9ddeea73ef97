import type { RateLimiterAbstract } from 'rate-limiter-flexible';

/** Waits that double with each attempt: the first, and the longest. */
export interface BackOff {
  firstSeconds: number;
  maxSeconds: number;
}

export interface Tries {
  /** Takes one attempt. Rejects as the limiter does during a wait. */
  take: (key: string) => Promise<unknown>;
  /** Clears the count of failures after a success. */
  forget: (key: string) => Promise<unknown>;
}

interface TriesOptions {
  /** Counts attempts; never refuses one. */
  counter: RateLimiterAbstract;
  /** Admits one attempt per wait. */
  gate: RateLimiterAbstract;
  /** Attempts without a wait. */
  free: number;
  backOff: BackOff;
}

/**
 * Makes repeated failures wait longer and longer. Each attempt is counted before it is made; after the free ones it must take the gate's
 * one point, which returns after the wait, so that simultaneous guesses cannot pass together.
 */
export function createTries({ counter, gate, free, backOff }: TriesOptions): Tries {
  const waitAfter = (tries: number) =>
    Math.min(backOff.maxSeconds, backOff.firstSeconds * 2 ** (tries - free - 1));

  return {
    take: async (key) => {
      const shut = await gate.get(key);
      // A refused attempt does not count, so it does not extend the wait.
      if (shut && shut.remainingPoints <= 0) throw shut;
      const { consumedPoints } = await counter.penalty(key);
      if (consumedPoints <= free) return;
      await gate.consume(key, 1, { customDuration: waitAfter(consumedPoints) });
    },
    forget: (key) => Promise.all([counter.delete(key), gate.delete(key)]),
  };
}
