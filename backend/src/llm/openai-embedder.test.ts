import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { createOpenAiEmbedder } from './openai-embedder.ts';

interface Asked {
  authorization: string | undefined;
  body: unknown;
}

/** A server that gives every request the same answer. */
async function serve(answer: unknown, status = 200, headers: Record<string, string> = {}) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const respond = async () => {
      asked.push({ authorization: request.headers.authorization, body: await json(request) });
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(answer));
    };
    respond().catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const embedder = createOpenAiEmbedder({ baseUrl, apiKey: 'key', model: 'small' });
  return {
    asked,
    baseUrl,
    embed: (...texts: string[]) => embedder.embed(texts, AbortSignal.timeout(5_000)),
  };
}

const data = (...vectors: [index: number, embedding: unknown][]) => ({
  data: vectors.map(([index, embedding]) => ({ object: 'embedding', index, embedding })),
});

it('requests plain numbers and answers the vectors in the order of the texts', async () => {
  const { asked, embed } = await serve(data([1, [0, 1]], [0, [1, 0]]));
  expect(await embed('one', 'two')).toEqual([Float32Array.of(1, 0), Float32Array.of(0, 1)]);
  expect(asked).toEqual([
    {
      authorization: 'Bearer key',
      body: { model: 'small', input: ['one', 'two'], encoding_format: 'float' },
    },
  ]);
});

it.each([
  ['too few vectors', data([0, [1, 0]])],
  ['vectors of different lengths', data([0, [1, 0]], [1, [1]])],
  ['empty vectors', data([0, []], [1, []])],
  ['what is no number', data([0, ['x']], [1, [1]])],
  ['no vectors at all', {}],
  ['what is no list', data([0, { length: 1e15 }], [1, [1]])],
  ['an answer without an end', { ...data([0, [1, 0]], [1, [1, 0]]), more: 'x'.repeat(2 ** 24) }],
])('refuses %s', async (_, answer) => {
  const { embed } = await serve(answer);
  await expect(embed('one', 'two')).rejects.toMatchObject({ code: 'provider_bad_response' });
});

it('names a failure without the sent text', async () => {
  const { asked, embed } = await serve({ error: { message: 'No room for: secret' } }, 429);
  const failed: unknown = await embed('secret').catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'provider_rate_limited' });
  expect(JSON.stringify(failed, Object.getOwnPropertyNames(failed))).not.toContain('secret');
  expect(asked).toHaveLength(1);
});

it('sends no text to another server', async () => {
  const other = await serve(data([0, [1]]));
  const { embed } = await serve({}, 307, { location: `${other.baseUrl}/embeddings` });
  await expect(embed('secret')).rejects.toMatchObject({ code: 'provider_unavailable' });
  expect(other.asked).toEqual([]);
});

it('an abort ends the call with its reason', async () => {
  const embedder = createOpenAiEmbedder({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k', model: 'm' });
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(embedder.embed(['one'], signal)).rejects.toThrow('stopped');
});
