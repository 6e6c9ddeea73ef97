import { readdirSync, readFileSync } from 'node:fs';

const WATCH_EVERY_MS = 20;

/** Peak resident memory of the children of this process in MB, as reported by Linux; call the result to end watching. */
export function watchMemory(): () => number {
  let peak = 0;
  const look = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        if (Number(/PPid:\s+(\d+)/.exec(status)?.[1]) !== process.pid) continue;
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
      } catch {
        // It has ended in between.
      }
    }
  };
  const timer = setInterval(look, WATCH_EVERY_MS);
  return () => {
    clearInterval(timer);
    return Math.round(peak);
  };
}
