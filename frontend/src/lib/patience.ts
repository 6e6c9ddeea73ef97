import { create } from 'zustand';
import { pause } from './pause.ts';

/** Longer than an election of the database, which takes 10 to 12 s. */
const PATIENCE_MS = 30_000;

/** The calls that wait for a server that is busy. Aborting one ends its wait. */
export const usePatience = create<{ calls: readonly AbortController[] }>(() => ({ calls: [] }));

/** Ends the waits: the calls fail by the answers that they have. */
export function stopWaiting(): void {
  for (const call of usePatience.getState().calls) call.abort();
}

interface Patience {
  /** Milliseconds after which the server wants the call again; undefined for an error that is final. */
  pauseAfter: (error: unknown) => number | undefined;
  signal?: AbortSignal | undefined;
}

/** Repeats a call for up to 30 s while the server asks for that. @throws its last error, or the signal's reason */
export async function patiently<T>(
  call: () => Promise<T>,
  { pauseAfter, signal }: Patience,
): Promise<T> {
  const waiting = new AbortController();
  const ends = AbortSignal.any([waiting.signal, ...(signal ? [signal] : [])]);
  const until = Date.now() + PATIENCE_MS;
  try {
    for (;;)
      try {
        return await call();
      } catch (error) {
        const pauseMs = pauseAfter(error);
        if (pauseMs === undefined || Date.now() + pauseMs > until) throw error;
        show(waiting);
        await Promise.race([pause(pauseMs), ended(ends)]);
        signal?.throwIfAborted();
        if (ends.aborted) throw error;
      }
  } finally {
    hide(waiting);
  }
}

const ended = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

const show = (call: AbortController) =>
  usePatience.setState(({ calls }) => ({ calls: calls.includes(call) ? calls : [...calls, call] }));

const hide = (call: AbortController) =>
  usePatience.setState(({ calls }) =>
    calls.includes(call) ? { calls: calls.filter((other) => other !== call) } : { calls },
  );
