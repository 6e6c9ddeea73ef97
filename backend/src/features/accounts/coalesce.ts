interface CoalesceOptions {
  onError: (error: unknown, key: string) => void;
  /** Resolves after the pause before each run; calls within it are one run. */
  pause: () => Promise<void>;
}

/**
 * Runs `task` for a key in the background, never twice at the same time: calls during a run cause one more run, so that the last run begins
 * after the last call.
 */
export function coalesce(
  task: (key: string) => Promise<void>,
  { onError, pause }: CoalesceOptions,
): (key: string) => void {
  /** Running keys, and whether each is to run again. */
  const running = new Map<string, boolean>();

  const run = async (key: string): Promise<void> => {
    running.set(key, true);
    do {
      await pause();
      running.set(key, false);
      await task(key).catch((error: unknown) => onError(error, key));
    } while (running.get(key));
    running.delete(key);
  };

  return (key) => {
    if (running.has(key)) running.set(key, true);
    else void run(key);
  };
}
