import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Received {
  rawBody: Buffer;
  signature: string;
}

/** A server in place of the webhook route that records its requests; it answers with `status`. */
export async function startReceiver(status: (received: Received) => number = () => 200) {
  const received: Received[] = [];
  const receive = async (req: IncomingMessage, res: ServerResponse) => {
    const rawBody = await buffer(req);
    const one = { rawBody, signature: String(req.headers['stripe-signature']) };
    received.push(one);
    res.writeHead(status(one)).end();
  };
  const server = createServer((req, res) => void receive(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/stripe/webhook`,
    /** The requests since the last call. */
    take: (): Received[] => received.splice(0),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
