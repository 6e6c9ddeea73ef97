// The common start and end of processes: announce readiness to the parent or explain the failure, and end with the parent.

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

/** Announces to the parent process that this one serves; `port` is its port, if any. */
export function announceReady({ port }: { port?: number } = {}): void {
  if (process.send) process.send({ type: 'ready', port });
  else process.stdout.write(`ready${port === undefined ? '' : ` ${port}`}\n`);
}

/** What a stop may take beyond the time that the settings give it: closing connections. */
const CLOSE_MS = 30_000;

/**
 * Runs `stop` once on SIGTERM, SIGINT or the end of the parent, then exits. A second signal exits at once, so that a hanging stop can
 * always be ended. A stop that hangs ends 30 s after `withinMs`, so that no process stays without its parent.
 */
export function onStop(stop: () => Promise<void>, { withinMs }: { withinMs: number }): void {
  let stopping = false;
  let isOrphan = false;
  // An exit flushes the log. Without its reading parent, that would be retried for ever.
  const exit = (code: number) =>
    isOrphan ? process.kill(process.pid, 'SIGKILL') : process.exit(code);
  const end = () => {
    if (stopping) exit(1);
    stopping = true;
    setTimeout(() => exit(1), withinMs + CLOSE_MS).unref();
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
  // The channel closes when the parent ends in any way, even by kill -9.
  if (process.send)
    process.on('disconnect', () => {
      isOrphan = true;
      if (!stopping) end();
    });
}
