/**
 * Calls `task` repeatedly, `everyMs` after its last run ended. The returned function ends that. Failures are only
 * reported.
 */
export function repeat(
  task: () => Promise<void>,
  { everyMs, onError }: { everyMs: number; onError: (error: unknown) => void },
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout;
  const schedule = () => {
    timer = setTimeout(() => {
      task()
        .catch(onError)
        .finally(() => stopped || schedule());
    }, everyMs);
  };
  schedule();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
