import { connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import { listenOn } from '../src/http/serve.fixture.ts';

/** A proxy to a server on this machine, whose connections a test can cut. */
export interface TcpProxy {
  port: number;
  /** Closes every connection, also new ones. */
  cut: () => void;
  /** Keeps connections open and forwards nothing, in either direction. */
  hang: () => void;
  restore: () => void;
  /** Connects new clients to another port; open connections stay where they are. */
  switchTo: (port: number) => void;
}

/** Starts a proxy to `port`; it ends with the test file. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  let target = port;
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'hanging' = 'open';
  const server = createServer((client) => {
    if (state === 'cut') return client.destroy();
    const upstream = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => to.write(data));
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (state === 'hanging') from.pause();
    }
    return undefined;
  });
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  afterAll(() => {
    server.close();
    closeAll();
  });
  return {
    port: await listenOn(server),
    cut: () => {
      state = 'cut';
      closeAll();
    },
    hang: () => {
      state = 'hanging';
      for (const socket of sockets) socket.pause();
    },
    restore: () => {
      state = 'open';
      for (const socket of sockets) socket.resume();
    },
    switchTo: (next) => {
      target = next;
    },
  };
}
