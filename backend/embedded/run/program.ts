import { spawn } from 'node:child_process';
import { type Output, type Running, watch } from './running.ts';

/**
 * The program runs with a guard process that reads a pipe from this process. The pipe closes at any end of this process, and then the guard
 * ends the program. The shell forwards SIGTERM to the program.
 */
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
( cat <&3 >/dev/null; kill -TERM $program ) >/dev/null 2>&1 &
guard=$!
exec 3<&-
trap 'kill -TERM $program' TERM
wait $program; status=$?
while kill -0 $program 2>/dev/null; do wait $program; status=$?; done
exit $status
`;

/**
 * Starts a program that is not part of this project (Redis, mongod); it is ready when its output matches `readyWhen`.
 */
export function startProgram(options: {
  name: string;
  command: string;
  args: string[];
  readyWhen: RegExp;
  env?: Record<string, string | undefined>;
  cwd?: string;
  output?: Output;
}): Running {
  const child = spawn('sh', ['-c', GUARD, 'sh', options.command, ...options.args], {
    env: { ...process.env, ...options.env },
    cwd: options.cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // When the shell has ended, closing the pipe ends the guard and the rest of the program.
  child.once('exit', () => child.stdin.destroy());
  return watch({
    name: options.name,
    child,
    output: options.output ?? (() => undefined),
    send: (signal) => signalGroup(child.pid, signal),
    signals: (ready) => {
      let seen = '';
      child.stdout.on('data', (text: string | Buffer) => {
        seen = (seen + String(text)).slice(-10_000);
        if (options.readyWhen.test(seen)) ready();
      });
    },
  });
}

/** The shell leads a group with the program, so one signal reaches both. */
function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
