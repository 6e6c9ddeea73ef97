/** Guards one call: its signal is aborted when `parent` is, or when what was expected does not come in time. */
export interface Watchdog {
  readonly signal: AbortSignal;
  /** Whether it was the waiting that ended the call. */
  readonly expired: boolean;
  /** Waits for a sign of life for `ms` from now on. */
  expect(ms: number): void;
  /** Waits for nothing: it is not the other side's turn. */
  rest(): void;
  /** Ends the guard, and what is still open of the call. */
  close(): void;
}

export function createWatchdog(parent: AbortSignal): Watchdog {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let expired = false;
  const abort = () => controller.abort();
  if (parent.aborted) abort();
  // Not AbortSignal.any: on Node 20 its dependants outlive the call.
  parent.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    expect(ms) {
      clearTimeout(timer);
      timer = setTimeout(() => {
        expired = true;
        abort();
      }, ms);
    },
    rest: () => clearTimeout(timer),
    close() {
      clearTimeout(timer);
      parent.removeEventListener('abort', abort);
      abort();
    },
  };
}
