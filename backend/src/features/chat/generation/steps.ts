/** Milliseconds between two moments at which replies of this process publish. */
const STEP_MS = 10;

/** Who waits for a step, by its number. */
const waiting = new Map<number, Set<() => void>>();

/**
 * Calls `wake` at the last multiple of 10 ms until `at`, or at the next one when that has passed, in one callback with all others that wait
 * for it: what they send to Redis then leaves in one system call.
 * @param at in milliseconds of `performance.now()`
 * @returns cancels the call
 */
export function wakeAt(at: number, wake: () => void): () => void {
  const next = Math.ceil(performance.now() / STEP_MS);
  const step = Math.max(next, Math.floor(at / STEP_MS));
  const wakes = waiting.get(step) ?? addStep(step);
  wakes.add(wake);
  return () => wakes.delete(wake);
}

function addStep(step: number): Set<() => void> {
  const wakes = new Set<() => void>();
  waiting.set(step, wakes);
  const run = () => {
    waiting.delete(step);
    for (const wake of wakes) wake();
  };
  // Node cuts fractions of a millisecond off: the timer would end too early.
  setTimeout(run, Math.ceil(step * STEP_MS - performance.now())).unref();
  return wakes;
}
