import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/**
 * Starts a server on a free port until the tests of the file have ended.
 * @returns its URL
 */
export async function listen(server: Server): Promise<string> {
  // After five idle seconds, which pass between two calls of a busy machine, it would be closed while a client sends.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
