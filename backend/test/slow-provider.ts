import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const CHUNKS_PER_SECOND = 4;

/**
 * A model provider whose replies all have the same text and take `seconds`. A prompt that ends with the beginning of the text is answered
 * with the rest, as by a model that continues a reply.
 */
export async function startSlowProvider(seconds: number) {
  const chunks = Array.from({ length: seconds * CHUNKS_PER_SECOND }, (_, i) => `word-${i} 🦉 `);
  const content = chunks.join('');
  let aborted = 0;
  const server = createServer((request, response) => {
    // The list of models is not needed.
    if (request.method === 'POST') void answer(request, response, content);
    else response.writeHead(404).end();
    response.once('close', () => {
      if (!response.writableEnded) aborted += 1;
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    content,
    /** The number of calls that the product ended before their text. */
    aborted: () => aborted,
    settings: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'test' },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, content: string) {
  const { messages } = (await json(request)) as { messages: { role: string; content: string }[] };
  const begun = messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  stream(response, content.startsWith(begun) ? content.slice(begun.length) : content);
}

function stream(response: ServerResponse, text: string): void {
  const chunks = text.match(/.{1,12}/gsu) ?? [];
  const event = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const timer = setInterval(() => {
    const chunk = chunks.shift();
    if (chunk !== undefined) {
      response.write(event({ content: chunk }, null));
      return;
    }
    clearInterval(timer);
    response.end(`${event({}, 'stop')}data: [DONE]\n\n`);
  }, 1_000 / CHUNKS_PER_SECOND);
  response.once('close', () => clearInterval(timer));
}
