import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Output } from './running.ts';

const MAX_BYTES = 5_000_000;
const WARN = 40;
/** Maximum number of a process's warnings that are printed per interval. */
const SHOWN = 3;
const WINDOW_MS = 10_000;

/**
 * Writes the output of a process to `<dir>/<name>.log` (and the previous 5 MB to `<name>.1.log`). `warn` receives its warnings and errors,
 * limited in number, so that the terminal stays readable.
 */
export function openLog(options: {
  dir: string;
  name: string;
  warn: (text: string) => void;
  now?: () => number;
}): Output {
  const { dir, name, warn, now = Date.now } = options;
  const file = path.join(dir, `${name}.log`);
  let bytes = prepare();
  let lossWarnedAt = Number.NEGATIVE_INFINITY;
  let rest = '';
  let window = { since: 0, shown: 0 };

  return (text) => {
    keep(text);
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-MAX_BYTES);
    for (const line of lines) show(line);
  };

  /** Makes the folder. @returns the size of the log */
  function prepare(): number {
    mkdirSync(dir, { recursive: true });
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Text that cannot be written is lost: a full disk must not end the supervisor, and all services with it. */
  function keep(text: string) {
    try {
      write(text);
    } catch (error) {
      if (now() - lossWarnedAt <= WINDOW_MS) return;
      lossWarnedAt = now();
      warn(`${name}: its log cannot be written (${String(error)})`);
    }
  }

  function write(text: string) {
    try {
      append(text);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // The logs have been deleted.
      bytes = prepare();
      append(text);
    }
  }

  function append(text: string) {
    if (bytes > MAX_BYTES) {
      renameSync(file, path.join(dir, `${name}.1.log`));
      bytes = 0;
    }
    appendFileSync(file, text);
    bytes += Buffer.byteLength(text);
  }

  function show(line: string) {
    const message = warning(line);
    if (message === undefined) return;
    if (now() - window.since > WINDOW_MS) window = { since: now(), shown: 0 };
    window.shown += 1;
    if (window.shown < SHOWN) warn(`${name}: ${message}`);
    if (window.shown === SHOWN) warn(`${name}: ${message} (more of it in ${file})`);
  }
}

/** The message of a log line in JSON (pino's) with level warning or higher. */
function warning(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry = JSON.parse(line) as { level?: number; msg?: string; err?: { message?: string } };
    if (typeof entry.level !== 'number' || entry.level < WARN) return undefined;
    const parts = new Set([entry.msg, entry.err?.message].filter(Boolean));
    return [...parts].join(': ').slice(0, 300);
  } catch {
    return undefined;
  }
}
