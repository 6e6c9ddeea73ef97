import { readFileSync } from 'node:fs';

const PARENT_CHECK_MS = 1_000;
/** npm forwards the Ctrl-C that the terminal has already sent to this process: both count as one request. */
const SAME_REQUEST_MS = 1_000;

/**
 * Resolves when this process is to end: by Ctrl-C, SIGTERM, a closed terminal, or the end of npm, its parent. `again` is called for every
 * later request.
 */
export function untilStopped(again: () => void): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const ask = () => {
      if (first === undefined) {
        first = Date.now();
        resolve();
      } else if (Date.now() - first > SAME_REQUEST_MS) again();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
    if (process.env.npm_lifecycle_event) watchParent(ask);
  });
}

function watchParent(gone: () => void): void {
  const before = parents();
  const timer = setInterval(() => {
    if (parents() === before) return;
    clearInterval(timer);
    gone();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** The parent process and, where the system reports it, its parent, because npm puts a shell in between. */
function parents(): string {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    const [, grandparent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${process.ppid} ${grandparent}`;
  } catch {
    return String(process.ppid);
  }
}
