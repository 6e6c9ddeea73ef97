import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type Received, receive, type Sends } from './receivers.ts';

/** Sends that ask for replies of this many stamped chunks. */
export interface Load extends Omit<Sends, 'message'> {
  chunks: number;
}

/**
 * Runs a role of this bench in a separate process and returns its measured delays.
 * @throws when the process ends early, or when chunks are missing, which would improve the figures
 */
export async function measureInChild(role: string, url: string, load: Load): Promise<Received> {
  const received = await forkRole<Received>(role, url, JSON.stringify(load)).measured;
  const all = load.replies * load.chunks * (load.tabs ?? 1);
  if (received.delays.length !== all)
    throw new Error(`${role}: ${received.delays.length} of ${all} chunks arrived`);
  return received;
}

/** Runs a role of this bench in a separate process. `measured` is its message, and rejects when it ends without one. */
export function forkRole<Measured>(role: string, ...args: string[]) {
  const child = fork(process.argv[1] ?? '', [role, ...args]);
  const died = once(child, 'exit').then(([code]): never => {
    throw new Error(`${role} ended with ${code} before it had measured`);
  });
  const message = once(child, 'message').then(([measured]) => measured as Measured);
  return { child, measured: Promise.race([message, died]) };
}

/** The address and the load that `measureInChild` has given to this process. */
export function givenLoad(): { url: string; load: Load } {
  const [url = '', load = '{}'] = process.argv.slice(3);
  return { url, load: JSON.parse(load) as Load };
}

/** Sends the delays to the process that started this one, and ends. */
export function report(received: Received): void {
  process.send?.(received, () => process.exit(0));
}

/** The role of users with sockets. */
export async function runReceivers(): Promise<void> {
  const { url, load } = givenLoad();
  report(await receive(url, { ...load, message: `chunks=${load.chunks}` }));
}
