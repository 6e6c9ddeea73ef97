import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { StartError } from './start-error.ts';

/**
 * Starts to listen, on this machine alone by default.
 * @returns the port, which is a free one for 0
 * @throws StartError when the port is in use
 */
export async function listen(server: Server, port: number, host = '127.0.0.1'): Promise<number> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new StartError(
      `Port ${port} is in use by another program. Choose another one with --port.`,
    );
  }
  return (server.address() as AddressInfo).port;
}

/** Ends a server; requests that run for more than `graceMs` are cut. */
export async function closeHttp(server: HttpServer, graceMs = 0): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  setTimeout(() => server.closeAllConnections(), graceMs).unref();
  await closed;
}
