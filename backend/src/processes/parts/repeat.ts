/** Late enough not to slow the start of the process, and early enough for hourly tasks in processes that run for less. */
const FIRST_MS = 5_000;

/**
 * Calls `task` repeatedly: 5 s after the start, or after `everyMs` when that is sooner, then `everyMs` after its last end. The returned
 * function stops that. Failures are only reported.
 */
export function repeat(
  task: () => Promise<void>,
  { everyMs, onError }: { everyMs: number; onError: (error: unknown) => void },
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout;
  const schedule = (afterMs: number) => {
    timer = setTimeout(() => {
      task()
        .catch(onError)
        .finally(() => stopped || schedule(everyMs));
    }, afterMs);
  };
  schedule(Math.min(everyMs, FIRST_MS));
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
