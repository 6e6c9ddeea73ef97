import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { serve } from '../src/http/serve.fixture.ts';

interface Call {
  messages: { role: string; content: string }[];
  /** Ms of `performance.now()`. */
  arrivedAt: number;
  response: ServerResponse;
  /** Streams a piece of the reply. @returns whether the caller is still there */
  write: (content: string) => boolean;
}

/** A model provider that speaks the provider's protocol; `reply` writes each reply, which ends when it returns. */
export async function serveModel(reply: (call: Call) => Promise<void>) {
  const { url, stop } = await serve((request, response) => void answer(request, response, reply));
  const baseUrl = `${url}/v1`;
  /** `settings`: those by which the product uses it. */
  return { url: baseUrl, stop, settings: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'test' } };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  reply: (call: Call) => Promise<void>,
): Promise<void> {
  const arrivedAt = performance.now();
  // The list of models is not needed.
  if (request.method !== 'POST') return void response.writeHead(404).end();
  // A call that takes too long for its caller is aborted.
  const body = await json(request).catch(() => undefined);
  if (body === undefined) return;
  const { messages } = body as Pick<Call, 'messages'>;
  const event = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (content: string) => {
    if (!response.destroyed) response.write(event({ content }, null));
    return !response.destroyed;
  };
  await reply({ messages, arrivedAt, response, write });
  if (!response.destroyed) response.end(`${event({}, 'stop')}data: [DONE]\n\n`);
}
