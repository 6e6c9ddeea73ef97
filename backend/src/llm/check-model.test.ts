import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../embedded/run/ports.ts';
import { checkModel, offerEmbeddings } from './check-model.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const refuses =
  (status: number, error: object): RequestListener =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error }));

const check = (baseUrl: string, options: { waitMs?: number; now?: () => number } = {}) =>
  checkModel({ baseUrl, apiKey: 'sk-secret', model: 'llama3.2', ...options });

it('reports that the model answers, and the time it took', async () => {
  const bodies: unknown[] = [];
  const baseUrl = await serve((request, response) => {
    const answer = (body: unknown) => {
      bodies.push(body);
      response.setHeader('content-type', 'text/event-stream');
      response.end(
        'data: {"choices":[{"index":0,"delta":{"content":"ready"}}]}\n\ndata: [DONE]\n\n',
      );
    };
    json(request).then(answer, (error: Error) => response.destroy(error));
  });
  const times = [0, 400];
  expect(await check(baseUrl, { now: () => times.shift() ?? 0 })).toEqual({
    answers: true,
    line: `llama3.2 at ${baseUrl} answers (0.4 s)`,
  });
  expect(bodies).toEqual([expect.objectContaining({ model: 'llama3.2', max_tokens: 16 })]);
});

it('reports that nothing listens there', async () => {
  const baseUrl = `http://127.0.0.1:${await freePort()}/v1`;
  expect(await check(baseUrl)).toEqual({
    answers: false,
    line: `llama3.2 at ${baseUrl}: connection refused; start the server there, or check OPENAI_BASE_URL`,
  });
});

it('leaves the password out of the URL that it names', async () => {
  const { line } = await check('http://ada:hidden@127.0.0.1/v1?key=hidden');
  expect(line).toMatch(/^llama3\.2 at http:\/\/127\.0\.0\.1\/v1: /);
  expect(line).not.toContain('hidden');
});

it('reports that the server does not know the model', async () => {
  const baseUrl = await serve(refuses(404, { message: 'try pulling it first' }));
  const { answers, line } = await check(baseUrl);
  expect(answers).toBe(false);
  expect(line).toContain(`llama3.2 at ${baseUrl}: the model provider does not know the model`);
  expect(line).toContain('ollama pull');
});

it('reports that the key is wrong, without the key', async () => {
  const message = 'Incorrect API key provided: sk-secret';
  const baseUrl = await serve(refuses(401, { message, code: 'invalid_api_key' }));
  const { line } = await check(baseUrl);
  expect(line).toContain('does not accept the key: check OPENAI_API_KEY');
  expect(line).not.toContain('sk-secret');
});

it('does not wait for a model that is still loading', async () => {
  const baseUrl = await serve(() => undefined);
  expect(await check(baseUrl, { waitMs: 50 })).toEqual({
    answers: false,
    line: `llama3.2 at ${baseUrl}: no answer after 0.05 s; it may be loading`,
  });
});

describe('embeddings are offered', () => {
  const lists = (...ids: string[]) =>
    serve((request, response) => {
      const body = { object: 'list', data: ids.map((id) => ({ id, object: 'model' })) };
      response.setHeader('content-type', 'application/json');
      response.end(request.url === '/v1/models' ? JSON.stringify(body) : '{}');
    });
  const offer = async (...ids: string[]) =>
    offerEmbeddings({ baseUrl: await lists(...ids), apiKey: 'sk-secret' });

  it.each([
    ['a server that has one', ['llama3.2', 'nomic-embed-text:latest'], 'nomic-embed-text:latest'],
    ['first one for several languages', ['all-minilm', 'bge-m3', 'llama3.2'], 'bge-m3'],
    ['a hosted provider', ['gpt-5', 'text-embedding-3-small'], 'text-embedding-3-small'],
  ])('of %s', async (_, ids, model) => {
    expect(await offer(...ids)).toBe(
      `Files can be searched by meaning too: set EMBEDDING_MODEL=${model}`,
    );
  });

  it('not of a server without one, or with a name that a terminal would obey', async () => {
    expect(await offer('llama3.2', '\u001b[2Jembed')).toBeUndefined();
  });

  it('not of a server that refuses, is late or answers something else', async () => {
    const of = async (listener: RequestListener, waitMs = 5_000) =>
      offerEmbeddings({ baseUrl: await serve(listener), apiKey: 'k', waitMs });
    expect(await of(refuses(404, { message: 'no list' }))).toBeUndefined();
    expect(await of(() => undefined, 50)).toBeUndefined();
    expect(await of((_, response) => response.end('[]'))).toBeUndefined();
  });
});
