/** At most `size` tasks at once; the others wait in order. */
export function createSlots(size: number) {
  let free = size;
  const waiting: (() => void)[] = [];

  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };

  const acquire = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      if (free > 0) {
        free -= 1;
        return resolve();
      }
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(signal?.reason as Error);
      };
      waiting.push(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });

  /** Runs `task` when there is a slot for it. @throws the signal's reason when it is aborted while waiting */
  return async function inSlot<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await acquire(signal);
    try {
      return await task();
    } finally {
      release();
    }
  };
}
