import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    const { messages } = JSON.parse(body) as Completion;
    const text = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const event = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(event({ role: 'assistant', content: text }, null));
    res.end(`${event({}, 'stop')}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    settings: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'test' },
    stop: () => server.close(),
  };
}
