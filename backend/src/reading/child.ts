import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { CHILD_DATA_KB, CHILD_HEAP_MB, MAX_RESULT_BYTES } from './limits.ts';
import { linesOf } from './lines.ts';
import { UnreadableFileError } from './port.ts';
import { Message, RESULT_DESCRIPTOR, type Request } from './protocol.ts';

const STDERR_KEPT = 4_000;

export interface Asked {
  request: Request;
  timeoutMs: number;
  /** Called for each message of the child except the one that ends its answer. */
  onMessage: (message: Message) => void;
  /** Kills the child. */
  signal?: AbortSignal | undefined;
}

/** The child ended or was killed before the end of its answer, and accepts no further request. */
export class LostChildError extends Error {
  override name = 'LostChildError';
  constructor(override readonly cause: Error) {
    super(cause.message);
  }
}

export type Child = ReturnType<typeof startChild>;

/** Starts a child process with limits. `cpuSeconds` limits its CPU time. */
export function startChild({ script, cpuSeconds }: { script: string; cpuSeconds: number }) {
  const child = spawnLimited(script, cpuSeconds);
  const exit = exitOf(child);
  const complaints = keepTail(child.stderr as Readable);
  const results = child.stdio[RESULT_DESCRIPTOR] as Readable;
  const lines = linesOf(results, MAX_RESULT_BYTES);
  child.stdin?.on('error', () => undefined);

  /** The message that ends an answer; undefined when the child ended without one. Its messages are not trusted. */
  const readAnswer = async (onMessage: Asked['onMessage']) => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      const message = Message.safeParse(JSON.parse(line.value));
      if (!message.success) throw new Error(`The reader's child sent a message that is not valid.`);
      const { data } = message;
      if (data.is === 'done' || data.is === 'failed' || data.is === 'fault') return data;
      onMessage(data);
    }
    return undefined;
  };

  return {
    /**
     * One request at a time.
     * @returns whether the file was cut
     * @throws UnreadableFileError when the child reports a fault of the file; LostChildError
     */
    ask: async ({ request, timeoutMs, onMessage, signal }: Asked) => {
      let stopped: Error | undefined;
      const stop = (reason: Error) => {
        stopped ??= reason;
        killGroup(child);
      };
      const abort = () => stop(signal?.reason as Error);
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
      const timer = setTimeout(() => stop(new UnreadableFileError('timed_out')), timeoutMs);
      try {
        child.stdin?.write(`${JSON.stringify(request)}\n`);
        const last = await readAnswer(onMessage).catch((error: Error) => stop(error));
        if (!last) killGroup(child);
        if (last && !stopped) return endOf(last);
        const ending = await exit;
        throw new LostChildError(stopped ?? failureOfEnding(ending, complaints()));
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      }
    },

    /** Whether this process waits for the child before it can end; otherwise the child ends with this process. */
    setAwaited: (isAwaited: boolean) => {
      const pipes = [child.stdin, child.stderr, results] as (Socket | null)[];
      for (const it of [child, ...pipes])
        if (isAwaited) it?.ref();
        else it?.unref();
    },

    kill: () => killGroup(child),
  };
}

/**
 * The shell sets limits that node cannot set: memory of all kinds, CPU time (also after the end of this process), and no written files.
 * Without a shell (Windows) only node's own limits apply.
 */
function spawnLimited(script: string, cpuSeconds: number): ChildProcess {
  const node = [`--max-old-space-size=${CHILD_HEAP_MB}`, '--max-semi-space-size=8', script];
  const limits = `ulimit -d ${CHILD_DATA_KB}; ulimit -t ${cpuSeconds}; ulimit -f 0; ulimit -c 0`;
  const [command, args] =
    process.platform === 'win32'
      ? [process.execPath, node]
      : [
          '/bin/sh',
          ['-c', `{ ${limits}; } 2>/dev/null; exec "$0" "$@"`, process.execPath, ...node],
        ];
  return spawn(command, args, {
    // The child gets no secrets of this process. Windows starts no program without its SystemRoot.
    env: process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot } : {},
    cwd: tmpdir(),
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    // A separate process group, so that the whole group can be killed.
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

function endOf(last: Extract<Message, { is: 'failed' | 'fault' | 'done' }>) {
  if (last.is === 'done') return { truncated: last.truncated };
  if (last.is === 'failed') throw new UnreadableFileError(last.code, last.detail || undefined);
  throw new Error(`Reading failed: ${last.detail}`);
}

/** A child that ended by a signal exceeded its limits. A child that could not start is a fault of the server. */
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
