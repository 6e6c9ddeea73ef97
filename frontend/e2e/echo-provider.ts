import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface EchoProvider {
  /** Settings by which the product uses it. */
  settings: Record<string, string>;
  stop: () => void;
}

interface Completion {
  messages: { role: string; content: string }[];
}

/** A model provider whose reply is the last message, so that a test says what the reply is. */
export async function startEchoProvider(): Promise<EchoProvider> {
  const server = createServer((req, res) => void reply(req, res));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    settings: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'test' },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function reply(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { messages } = (await json(req)) as Completion;
  const text = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const event = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.write(event({ role: 'assistant', content: text }, null));
  res.end(`${event({}, 'stop')}data: [DONE]\n\n`);
}
