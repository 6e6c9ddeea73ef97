// Passages found by meaning, with an embedding model beside the model, in real processes.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import { beforeAll, expect, it } from 'vitest';
import { createDemoModel } from '../embedded/model/server.ts';
import type { Reply, SentMessage } from '../src/contract/messages.ts';
import { vectorsKey } from '../src/features/files/library/file-record.ts';
import { createS3ObjectStore } from '../src/objects/s3/index.ts';
import { embeddedStore } from '../src/objects/s3/s3.fixture.ts';
import { listen } from './listen.ts';
import { startProcess } from './processes.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';

const objects = createS3ObjectStore(embeddedStore());
/** The requests to the embedding model. */
let asked: { model: string; input: string[] }[] = [];
let isDown = false;
let stack: Stack;

beforeAll(async () => {
  const demo = await listen(createDemoModel({ apiKey: 'test' }));
  const forward = createServer((request, response) => {
    const run = async () => {
      const body = await text(request);
      if (request.url?.endsWith('/embeddings')) {
        asked.push(JSON.parse(body) as (typeof asked)[number]);
        if (isDown) return response.writeHead(503).end();
      }
      const headers = { authorization: 'Bearer test', 'content-type': 'application/json' };
      const answer = await fetch(`${demo}${request.url}`, { method: 'POST', headers, body });
      const type = answer.headers.get('content-type') ?? '';
      response.writeHead(answer.status, { 'content-type': type });
      return Readable.fromWeb(answer.body as ReadableStream).pipe(response);
    };
    run().catch(() => response.destroy());
  });
  const url = `${await listen(forward)}/v1`;
  stack = await startStack({
    OPENAI_BASE_URL: url,
    CONTEXT_TOKENS: '4000',
    EMBEDDING_MODEL: 'first',
    EMBEDDING_BASE_URL: url,
  });
});

const PAGES = Array.from({ length: 60 }, (_, at) =>
  at === 36
    ? 'Section 37. The wingspan of the boreal owl reaches 62 centimetres.'
    : `Section ${at + 1} treats harbours, cranes and tide tables of port number ${at + 1}. ${'Ships are loaded from the quay by cranes and leave with the tide. '.repeat(6)}`,
);

/** A guest with a long file in a conversation. */
async function talk() {
  const ada: ApiClient = await stack.guest();
  const id = await ada.conversation();
  const { file } = await ada.upload('handbook.txt', PAGES.join('\n\n'));
  const { body: user } = await ada.get<{ id: string }>('/auth/user');
  const key = { id: file.id, ownerId: user.id };
  return { ada, id, file, key };
}

async function answerTo(
  { ada, id, file }: Awaited<ReturnType<typeof talk>>,
  content: string,
): Promise<Reply> {
  const body = { content, files: [{ id: file.id }], clientMessageId: randomUUID() };
  const sent = await ada.post<SentMessage>(`/conversations/${id}/messages`, body);
  expect(sent.status).toBe(202);
  const isDone = ({ status, metadata }: Reply) =>
    status === 'complete' && metadata?.citations !== undefined;
  await expect.poll(async () => isDone(await ada.reply(id))).toBe(true);
  return ada.reply(id);
}

const questions = () => asked.flatMap(({ input }) => (input.length === 1 ? input : []));
const hasVectors = (key: { id: string; ownerId: string }, model: string) => async () =>
  (await objects.head(vectorsKey(key, model))) !== null;

it('the vectors of a file are computed once it was read, and rank its passages with its words', async () => {
  asked = [];
  const one = await talk();
  await expect.poll(hasVectors(one.key, 'first')).toBe(true);
  expect(asked.flatMap(({ input }) => input).join()).toContain('boreal owl');
  const question = 'What is the wingspan of the boreal owl?';
  const answer = await answerTo(one, question);
  expect(questions()).toContain(question);
  expect(answer.content).toContain('62 centimetres');
});

it('without the embedding model, passages are found by their words, which is logged', async () => {
  const one = await talk();
  await expect.poll(hasVectors(one.key, 'first')).toBe(true);
  isDown = true;
  try {
    const answer = await answerTo(one, 'What is the wingspan of the boreal owl?');
    expect(answer.content).toContain('62 centimetres');
    expect(stack.worker.output()).toContain('searching by words only');
  } finally {
    isDown = false;
  }
});

it('another embedding model computes separate vectors for a question about the file', async () => {
  const one = await talk();
  await expect.poll(hasVectors(one.key, 'first')).toBe(true);
  await stack.worker.kill('SIGTERM');
  const second = await startProcess('worker', { env: { ...stack.env, EMBEDDING_MODEL: 'second' } });
  const answer = await answerTo(one, 'What is the wingspan of the boreal owl?');
  expect(answer.content).toContain('62 centimetres');
  await expect.poll(hasVectors(one.key, 'second')).toBe(true);
  await second.kill('SIGTERM');
});

it('the vectors of a file are removed with it', async () => {
  await stack.worker.restart();
  const { ada, file, key } = await talk();
  await expect.poll(hasVectors(key, 'first')).toBe(true);
  expect((await ada.call('DELETE', `/files/${file.id}`)).status).toBe(204);
  await expect.poll(hasVectors(key, 'first')).toBe(false);
});
