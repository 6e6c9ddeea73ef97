import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from './start-error.ts';

/** The end of a process: its exit code, or the signal that ended it. */
export type Ending = { code: number | null; signal: NodeJS.Signals | null };

/** A started process. */
export type Running = {
  readonly pid: number;
  /** Settles once it serves; rejects with a StartError when it ends before that or takes too long. */
  readonly ready: Promise<void>;
  readonly ended: Promise<Ending>;
  /** Sends SIGTERM and waits; after `graceMs` it is killed. */
  stop(options?: { graceMs?: number }): Promise<void>;
  kill(signal: NodeJS.Signals): void;
};

export type Output = (text: string) => void;

const START_LIMIT_MS = 180_000;
const KEPT_OUTPUT = 4_000;

export const describeEnding = ({ code, signal }: Ending): string => signal ?? `exit code ${code}`;

/**
 * Wraps a newly spawned child process. `signals` calls its argument once the child serves; `send` delivers a signal to it. When it does not
 * start, its last output becomes part of the error.
 */
export function watch(options: {
  name: string;
  child: ChildProcess;
  output: Output;
  send: (signal: NodeJS.Signals) => void;
  signals: (ready: () => void) => void;
}): Running {
  const { name, child, send } = options;
  const written = collectOutput(child, options.output);
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (error) => {
      options.output(`${error.message}\n`);
      resolve({ code: 1, signal: null });
    });
    // 'close' instead of 'exit': by then all output has been read.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const ready = new Promise<void>((resolve, reject) => {
    const fail = (why: string) =>
      reject(new StartError([`${name} did not start: ${why}`, written()].join('\n').trim()));
    const limit = setTimeout(() => fail('it took more than three minutes'), START_LIMIT_MS);
    void ended.then((how) => fail(describeEnding(how))).finally(() => clearTimeout(limit));
    options.signals(() => {
      clearTimeout(limit);
      resolve();
    });
  });
  // A caller that stops a process before it is ready does not handle the rejection.
  ready.catch(() => undefined);
  return { pid: child.pid ?? -1, ready, ended, stop, kill: send };

  async function stop({ graceMs = 10_000 } = {}): Promise<void> {
    send('SIGTERM');
    const timer = new AbortController();
    const late = sleep(graceMs, 'late' as const, { signal: timer.signal }).catch(() => undefined);
    if ((await Promise.race([ended, late])) === 'late') send('SIGKILL');
    timer.abort();
    await ended;
  }
}

function collectOutput(child: ChildProcess, output: Output): () => string {
  let last = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      last = (last + text).slice(-KEPT_OUTPUT);
      output(text);
    });
  }
  return () => last.trim();
}
