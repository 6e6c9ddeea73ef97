// What every process does: start or say why not, tell its parent that it is ready, and end with it.

import { ConfigError } from '../config.ts';

/** Ends the process with one clear message when it cannot start; only unexpected errors show a stack. */
export async function orExplain(start: Promise<void>): Promise<void> {
  try {
    await start;
  } catch (error) {
    const plain = error instanceof ConfigError || (error instanceof Error && 'code' in error);
    process.stderr.write(`${plain ? error.message : String((error as Error).stack ?? error)}\n`);
    process.exit(1);
  }
}

/** Tells the parent process that this one serves; `port` is the one it listens on, if any. */
export function announceReady({ port }: { port?: number } = {}): void {
  if (process.send) process.send({ type: 'ready', port });
  else process.stdout.write(`ready${port === undefined ? '' : ` ${port}`}\n`);
}

/** Longer than any drain: a stop that hangs must not keep the process alive without its parent. */
const STOP_DEADLINE_MS = 60_000;

/**
 * Runs `stop` once when the process is asked to end (SIGTERM, SIGINT) or its parent is gone, then exits. A second
 * signal ends at once, so that a hanging stop can always be ended.
 */
export function onStop(stop: () => Promise<void>): void {
  let stopping = false;
  let isOrphan = false;
  // An exit writes what is left of the log. When the parent that read it is gone, that would be tried for ever.
  const exit = (code: number) =>
    isOrphan ? process.kill(process.pid, 'SIGKILL') : process.exit(code);
  const end = () => {
    if (stopping) exit(1);
    stopping = true;
    setTimeout(() => exit(1), STOP_DEADLINE_MS).unref();
    stop().then(
      () => exit(0),
      (error: unknown) => {
        process.stderr.write(`stopping failed: ${String(error)}\n`);
        exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  // The channel closes when the parent dies, however it dies: also after kill -9.
  if (process.send)
    process.on('disconnect', () => {
      isOrphan = true;
      if (!stopping) end();
    });
}
