import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The resolution of the measurement, which is part of every measured delay. */
const RESOLUTION_MS = 10;
const WINDOW_MS = 500;

export interface LoopDelay {
  /** Calls `handler` after each window with the 95th percentile of the delays of this process's event loop in it, in ms. */
  onWindow: (handler: (delayMs: number) => void) => void;
  stop: () => void;
}

/** Measures how late the event loop of this process runs its timers. */
export function measureLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const handlers = new Set<(delayMs: number) => void>();
  histogram.enable();
  const timer = setInterval(() => {
    const delayMs = histogram.count === 0 ? 0 : histogram.percentile(95) / 1e6 - RESOLUTION_MS;
    histogram.reset();
    for (const handler of handlers) handler(Math.max(0, delayMs));
  }, WINDOW_MS);
  timer.unref();
  return {
    onWindow: (handler) => {
      handlers.add(handler);
    },
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
