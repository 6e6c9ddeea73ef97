/** Timers of this process expire at multiples of it. */
const GRANULARITY_MS = 10;

/** Callbacks by the time at which they are due, in milliseconds of `performance.now()`. */
const pending = new Map<number, Set<() => void>>();

/**
 * Calls `wake` at the last multiple of 10 ms that is not after `at`, or at the next one when that has passed. All callbacks that are due at
 * the same time run in one callback of the event loop, so what they send to Redis leaves in one system call.
 * @param at in milliseconds of `performance.now()`
 * @returns cancels the call
 */
export function wakeAt(at: number, wake: () => void): () => void {
  const next = Math.ceil(performance.now() / GRANULARITY_MS) * GRANULARITY_MS;
  const due = Math.max(next, Math.floor(at / GRANULARITY_MS) * GRANULARITY_MS);
  const wakes = pending.get(due) ?? startTimer(due);
  wakes.add(wake);
  return () => wakes.delete(wake);
}

function startTimer(due: number): Set<() => void> {
  const wakes = new Set<() => void>();
  pending.set(due, wakes);
  const run = () => {
    pending.delete(due);
    for (const wake of wakes) wake();
  };
  // Node truncates fractions of a millisecond, and the timer would expire too early. A cancelled call leaves its timer, which must not keep
  // the process running.
  setTimeout(run, Math.ceil(due - performance.now())).unref();
  return wakes;
}
