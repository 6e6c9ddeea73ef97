/** Calls `task` again and again, `everyMs` after it ended; what comes back ends that. A failure is reported, no more. */
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
