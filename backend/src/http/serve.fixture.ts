import { once } from 'node:events';
import { createServer, type RequestListener, Server } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';

/** Lets a server listen on a free port of this machine. @returns the port */
export async function listenOn(server: TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Serves an app on a free port; `stop` ends its connections too. */
export async function serve(
  app: RequestListener | Server,
): Promise<{ url: string; stop: () => void }> {
  const server = app instanceof Server ? app : createServer(app);
  // After five idle seconds, which pass between two calls of a busy machine, it would be closed while a client sends.
  server.keepAliveTimeout = 0;
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
