import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves an app on a free port; `stop` ends its connections too. */
export async function serve(app: RequestListener): Promise<{ url: string; stop: () => void }> {
  const server = createServer(app);
  // After five idle seconds, which pass between two calls of a busy machine, it would be closed while a client sends.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
