/** Guards one call: its signal is aborted when `parent` is, or when the expected data does not arrive in time. */
export interface Watchdog {
  readonly signal: AbortSignal;
  /** Whether the timeout ended the call. */
  readonly expired: boolean;
  /** Starts the timeout again, with `ms` from now. */
  expect(ms: number): void;
  /** Stops the timeout: no data is expected. */
  rest(): void;
  /** Ends the watchdog and aborts the rest of the call. */
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
