/** The number of jobs that the workers of several queues run together in one process. */
export interface SharedLimit {
  /** Takes a place; false when none is free. */
  enter: () => boolean;
  leave: () => void;
  /** The places that are taken. */
  running: () => number;
  /** Called when no place is free, and when one is again. A single worker is not called: its own concurrency limits it. */
  onChange: (handler: (isFull: boolean) => void) => void;
}

export function createSharedLimit(max: number): SharedLimit {
  const handlers: ((isFull: boolean) => void)[] = [];
  let running = 0;
  const tell = () => {
    if (handlers.length > 1) for (const handler of handlers) handler(running >= max);
  };
  return {
    enter: () => {
      const isFree = running < max;
      if (isFree) running += 1;
      if (running >= max) tell();
      return isFree;
    },
    leave: () => {
      running -= 1;
      tell();
    },
    running: () => running,
    onChange: (handler) => {
      handlers.push(handler);
    },
  };
}
