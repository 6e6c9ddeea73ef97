import { ApiError } from '../../../lib/api.ts';
import { pause } from '../../../lib/pause.ts';

/** Delays before the retries of a call that failed temporarily (docs/product.md, 'Limits'). */
export const RETRY_DELAYS_MS = [0, 1_000, 3_000, 5_000];

/** Delays between the checks whether the server is reachable again. */
const POLL_MS = 2_000;

/** Whether a call with this answer may succeed later. */
export const isTransient = (status: number): boolean =>
  [408, 409, 418, 423, 429].includes(status) || (status >= 500 && status !== 501 && status !== 505);

/** Whether our server answers. An object store may be blocked at the same time. */
export async function isServerReachable(): Promise<boolean> {
  try {
    await fetch('/api/health/live', { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the server answers again. @throws the signal's reason when it is aborted */
export async function serverReachable(signal?: AbortSignal): Promise<void> {
  while (!(await isServerReachable())) {
    signal?.throwIfAborted();
    await nextChance();
    signal?.throwIfAborted();
  }
}

/** The browser is online again, or some time has passed. */
const nextChance = (): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, POLL_MS);
    window.addEventListener('online', done);
  });

/**
 * Repeats a call of our server: without a network until there is one, after an answer that may pass by the delays above.
 * `call` must be repeatable.
 * @throws what `call` throws otherwise
 */
export async function patiently<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let failures = 0; ; ) {
    signal?.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      if (error instanceof TypeError) {
        if (navigator.onLine) await pause(RETRY_DELAYS_MS[1] ?? 0);
        await serverReachable(signal);
        continue;
      }
      const delay = RETRY_DELAYS_MS[failures];
      if (!(error instanceof ApiError) || delay === undefined || !isTransient(error.status)) {
        throw error;
      }
      failures += 1;
      await pause(delay);
    }
  }
}
