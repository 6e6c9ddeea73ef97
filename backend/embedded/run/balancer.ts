import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** Readiness is asked for this often. */
const CHECK_EVERY_MS = 500;
/** A process that answers later is busy, and counts as not ready. */
const CHECK_LIMIT_MS = 4_000;

interface Target {
  port: number;
  isReady: boolean;
}

/**
 * Shares TCP connections out among the web processes of this machine, in turn and without stickiness. It reads nothing of them, so all
 * requests reach the web processes from 127.0.0.1. A process that is not ready gets connections only while no ready one accepts them, so
 * that its answers say what is wrong.
 * @param isReady whether the process on a port answers that it is ready
 */
export function createBalancer(
  ports: readonly number[],
  isReady: (port: number) => Promise<boolean> = answersReady,
): { server: Server; close: () => Promise<void> } {
  const targets = ports.map((port): Target => ({ port, isReady: false }));
  const stopChecks = targets.map((target) => keepChecking(target, isReady));
  const open = new Set<Socket>();
  let turn = 0;

  const inTurn = (): Target[] => {
    turn += 1;
    const next = targets.map((_, i) => targets[(turn + i) % targets.length] as Target);
    return [...next.filter((one) => one.isReady), ...next.filter((one) => !one.isReady)];
  };
  const forward = async (client: Socket) => {
    open.add(client);
    client.on('error', () => undefined).once('close', () => open.delete(client));
    for (const target of inTurn()) {
      const web = await connected(target.port);
      if (!web) {
        target.isReady = false;
        continue;
      }
      // The end of either connection, by whatever cause, ends the other one.
      pipeline(client, web, () => undefined);
      pipeline(web, client, () => undefined);
      return;
    }
    client.destroy();
  };
  // Paused, so that nothing arrives before a process has the connection.
  const options = { allowHalfOpen: true, pauseOnConnect: true, noDelay: true };
  const server = createServer(options, (client) => void forward(client));

  return {
    server,
    close: async () => {
      for (const stop of stopChecks) stop();
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** A connection to a port of this machine; null when it is refused. */
function connected(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(null));
  });
}

function keepChecking(target: Target, isReady: (port: number) => Promise<boolean>): () => void {
  let timer: NodeJS.Timeout;
  let stopped = false;
  const check = async () => {
    target.isReady = await isReady(target.port);
    if (!stopped) timer = setTimeout(() => void check(), CHECK_EVERY_MS);
  };
  void check();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

const answersReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/api/health/ready`, {
    signal: AbortSignal.timeout(CHECK_LIMIT_MS),
  }).then(
    async (answer) => {
      await answer.body?.cancel();
      return answer.ok;
    },
    () => false,
  );
