import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { CHILD_DATA_KB, CHILD_HEAP_MB, MAX_RESULT_BYTES } from './limits.ts';
import { linesOf } from './lines.ts';
import { UnreadableFileError } from './port.ts';
import { Message, RESULT_DESCRIPTOR, type Request } from './protocol.ts';

const STDERR_KEPT = 4_000;

interface Run {
  /** The built child. */
  script: string;
  request: Request;
  timeoutMs: number;
  /** Called for each message of the child except the ones that end it. */
  onMessage: (message: Message) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Runs one request in a child process of its own, until the child says that it is done.
 * @returns whether the file was cut
 * @throws UnreadableFileError when the file is at fault, also when it exhausts the child; the signal's reason when aborted
 */
export async function runChild({ script, request, timeoutMs, onMessage, signal }: Run) {
  signal?.throwIfAborted();
  const child = spawnLimited(script, timeoutMs);
  const exit = exitOf(child);
  let stopped: Error | undefined;
  const stop = (reason: Error) => {
    stopped ??= reason;
    killGroup(child);
  };
  const abort = () => stop(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => stop(new UnreadableFileError('timed_out')), timeoutMs);
  const complaints = keepTail(child.stderr as Readable);
  try {
    child.stdin?.on('error', () => undefined).end(JSON.stringify(request));
    const last = await readMessages(child, onMessage).catch((error: Error) => stop(error));
    if (!last) killGroup(child);
    const ending = await exit;
    if (stopped) throw stopped;
    if (last?.is === 'done') return { truncated: last.truncated };
    throw last ? failureOf(last) : failureOfEnding(ending, complaints());
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    killGroup(child);
  }
}

/**
 * The shell sets limits that node cannot set: memory of all kinds, CPU time (which holds when this process is gone too), and no
 * written file at all. Without a shell (Windows) only node's own limits apply.
 */
function spawnLimited(script: string, timeoutMs: number): ChildProcess {
  const node = [`--max-old-space-size=${CHILD_HEAP_MB}`, '--max-semi-space-size=8', script];
  const cpuSeconds = Math.ceil(timeoutMs / 1_000) + 10;
  const limits = `ulimit -d ${CHILD_DATA_KB}; ulimit -t ${cpuSeconds}; ulimit -f 0; ulimit -c 0`;
  const [command, args] =
    process.platform === 'win32'
      ? [process.execPath, node]
      : [
          '/bin/sh',
          ['-c', `{ ${limits}; } 2>/dev/null; exec "$0" "$@"`, process.execPath, ...node],
        ];
  return spawn(command, args, {
    // Secrets of this process stay here. Windows starts no program without its SystemRoot.
    env: process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot } : {},
    cwd: tmpdir(),
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    // A process group of its own, so that the whole group can be killed.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: Error;
}

/** Listens from the start, because a child that ends early emits its exit only once. */
async function exitOf(child: ChildProcess): Promise<Ending> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return { code, signal };
  } catch (error) {
    return { code: null, signal: null, error: error as Error };
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended in between.
  }
}

/** The last message; undefined when the child ended without one. What the child sends is not trusted. */
async function readMessages(child: ChildProcess, onMessage: (message: Message) => void) {
  const results = child.stdio[RESULT_DESCRIPTOR] as Readable;
  for await (const line of linesOf(results, MAX_RESULT_BYTES)) {
    const message = Message.safeParse(JSON.parse(line));
    if (!message.success) throw new Error(`The reader's child sent a message that is not valid.`);
    const { data } = message;
    if (data.is === 'done' || data.is === 'failed' || data.is === 'fault') return data;
    onMessage(data);
  }
  return undefined;
}

function failureOf(last: Extract<Message, { is: 'failed' | 'fault' | 'done' }>): Error {
  if (last.is === 'failed') return new UnreadableFileError(last.code, last.detail || undefined);
  return new Error(`Reading failed: ${last.is === 'fault' ? last.detail : last.is}`);
}

/** A child that ended by a signal used more than it may. A child that could not even start is a fault of the server. */
function failureOfEnding({ code, signal, error }: Ending, complaints: string): Error {
  if (error) return error;
  const how = `${signal ?? `exit code ${code}`} ${complaints}`.trim();
  if (signal === 'SIGXCPU') return new UnreadableFileError('timed_out', how);
  if (signal !== null || (code !== null && code > 128))
    return new UnreadableFileError('too_complex', how);
  return new Error(`The reader's child ended: ${how}`);
}

function keepTail(stream: Readable): () => string {
  let tail = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    tail = `${tail}${text}`.slice(-STDERR_KEPT);
  });
  return () => tail;
}
