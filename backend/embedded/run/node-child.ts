import { fork } from 'node:child_process';
import { type Output, type Running, watch } from './running.ts';

type Environment = Record<string, string | undefined>;

/**
 * Starts a Node process of this project. It announces readiness over its channel, and ends when the channel closes, so it ends with its
 * parent, even after kill -9.
 */
export function startNodeChild(options: {
  name: string;
  script: string;
  args?: string[];
  env?: Environment;
  /** Options of Node itself. */
  nodeOptions?: readonly string[];
  output?: Output;
  onReady?: (message: { port?: number }) => void;
}): Running {
  const child = fork(options.script, options.args ?? [], {
    env: { ...process.env, ...options.env },
    // In a separate process group: Ctrl-C reaches only the supervisor, which then stops the children in order.
    detached: true,
    execArgv: [...(options.nodeOptions ?? [])],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  return watch({
    name: options.name,
    child,
    output: options.output ?? (() => undefined),
    send: (signal) => void child.kill(signal),
    signals: (ready) =>
      child.on('message', (message) => {
        if (!isReady(message)) return;
        options.onReady?.(message);
        ready();
      }),
  });
}

const isReady = (message: unknown): message is { type: 'ready'; port?: number } =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
