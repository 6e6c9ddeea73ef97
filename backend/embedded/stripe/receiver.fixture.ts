import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serve } from '../../src/http/serve.fixture.ts';

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
  const { url, stop } = await serve((req, res) => void receive(req, res));
  return {
    url: `${url}/api/stripe/webhook`,
    /** The requests since the last call. */
    take: (): Received[] => received.splice(0),
    close: stop,
  };
}
