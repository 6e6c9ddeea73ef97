/** One group, or all groups together, have too many calls at once. */
export class TooManyCallsError extends Error {
  override name = 'TooManyCallsError';
}

interface Call<T> {
  group: string;
  value: Promise<T>;
  waiting: number;
  abort: AbortController;
}

interface Asked {
  key: string;
  /** Each group may have `maxOfGroup` calls at once. */
  group: string;
  signal?: AbortSignal | undefined;
}

/** Shared calls: one per key, aborted when no caller waits for it any more. */
export function createSharedCalls<T>({ max, maxOfGroup }: { max: number; maxOfGroup: number }) {
  const calls = new Map<string, Call<T>>();

  const begin = ({ key, group }: Asked, run: (signal: AbortSignal) => Promise<T>) => {
    const countOfGroup = [...calls.values()].filter((call) => call.group === group).length;
    if (calls.size >= max || countOfGroup >= maxOfGroup) throw new TooManyCallsError();
    const abort = new AbortController();
    const value = run(abort.signal).finally(() => drop(key, call));
    const call: Call<T> = { group, value, waiting: 0, abort };
    calls.set(key, call);
    return call;
  };
  /** The next caller starts another call. */
  const drop = (key: string, call: Call<T>) => {
    if (calls.get(key) === call) calls.delete(key);
  };
  const leave = (key: string, call: Call<T>, reason: unknown) => {
    call.waiting -= 1;
    if (call.waiting > 0) return;
    drop(key, call);
    call.abort.abort(reason);
  };

  /** @throws TooManyCallsError, the reason of `signal`, and the errors of `run` */
  return async (asked: Asked, run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const { key, signal } = asked;
    signal?.throwIfAborted();
    const call = calls.get(key) ?? begin(asked, run);
    call.waiting += 1;
    if (!signal) return call.value;
    return new Promise<T>((resolve, reject) => {
      const onAbort = () => {
        leave(key, call, signal.reason);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      call.value.finally(() => signal.removeEventListener('abort', onAbort)).then(resolve, reject);
    });
  };
}
