import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { gate } from './gate.ts';

interface EchoProvider {
  /** Settings by which the product uses it. */
  settings: Record<string, string>;
  /** Replies stop at `HOLD` until the returned function is called. */
  hold: () => () => void;
  stop: () => void;
}

/** Where a reply waits while it is held; not a part of its text. */
export const HOLD = '⏸';

interface Completion {
  messages: { role: string; content: string }[];
}

/** A model provider whose reply is the last message, so that a test says what the reply is. */
export async function startEchoProvider(): Promise<EchoProvider> {
  let held = Promise.resolve();
  const server = createServer((req, res) => void reply(req, res, () => held));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    settings: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'test' },
    hold: () => {
      const { opened, open } = gate();
      held = opened;
      return open;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function reply(
  req: IncomingMessage,
  res: ServerResponse,
  untilReleased: () => Promise<void>,
): Promise<void> {
  // A call that takes too long for its caller is aborted.
  const body = await json(req).catch(() => undefined);
  if (body === undefined) return;
  const { messages } = body as Completion;
  const text = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const event = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const [first = '', ...rest] = text.split(HOLD);
  res.write(event({ role: 'assistant', content: first }, null));
  if (rest.length > 0) {
    await untilReleased();
    res.write(event({ content: rest.join('') }, null));
  }
  res.end(`${event({}, 'stop')}data: [DONE]\n\n`);
}
