import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Message } from '../src/contract/messages.ts';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import type { PostStepInput } from '../src/features/post-step.ts';
import { buildWithFeatures } from './build.ts';
import { startProcess } from './processes.ts';
import { type Stack, startStack } from './stack.ts';

/** The input of the step. */
type Call = Omit<PostStepInput, 'signal'>;

const calls: Call[] = [];
const succeed = (response: ServerResponse, { reply }: Call) =>
  void response.end(JSON.stringify({ insightCards: [{ insight: `About ${reply.id}` }] }));
let perform: (response: ServerResponse, call: Call) => void = succeed;
let folder: string;
let stack: Stack;
let database: Connection;

beforeAll(async () => {
  const server = createServer((request, response) => {
    const answer = (call: unknown) => {
      calls.push(call as Call);
      perform(response, call as Call);
    };
    json(request).then(answer, (error: Error) => response.destroy(error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  folder = await buildWithFeatures(
    path.join(import.meta.dirname, 'fixtures/features-with-a-post-step.ts'),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stack = await startStack({ STOLAS_TEST_STEP_URL: url }, { folder });
  stack.provider
    .onMessage('slow', { content: 'Owls hoot. '.repeat(30) }, { streamingProfile: { tps: 25 } })
    .onMessage(/.*/, { content: 'Owls hoot.' });
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
  afterAll(() => database.close());
});

beforeEach(() => {
  perform = succeed;
});

async function talk() {
  const ada = await stack.guest();
  const id = await ada.conversation();
  const tab = await ada.tab(id);
  const updated: Message[] = [];
  tab.socket.on('message:updated', (message) => updated.push(message));
  const send = async (text: string) => (await ada.send(id, text)).body.reply.id;
  return { ada, id, tab, updated, send };
}

const callsOf = (replyId: string) => calls.filter(({ reply }) => reply.id === replyId);
const metadataOf = (replyId: string) => ({ insightCards: [{ insight: `About ${replyId}` }] });

/** The stored reply. */
async function stored(replyId: string) {
  const messages = database.collection<{
    status: string;
    postSteps?: object[];
    failedSteps?: string[];
  }>('messages');
  const docs = await messages.find({ role: 'assistant' }).toArray();
  return docs.find(({ _id }) => String(_id) === replyId);
}

it('a step runs once after a complete reply, and its result reaches every tab', async () => {
  const { ada, id, tab, updated, send } = await talk();
  const replyId = await send('What do owls do?');
  await expect.poll(() => updated).toHaveLength(1);
  expect(tab.reply.status).toBe('complete');
  const reply = await ada.reply(id);
  expect(reply).toMatchObject({ content: 'Owls hoot.', metadata: metadataOf(replyId) });
  expect(updated).toEqual([reply]);
  expect(callsOf(replyId)).toMatchObject([
    { message: { content: 'What do owls do?' }, reply: { attempt: 1, content: 'Owls hoot.' } },
  ]);
  expect((await stored(replyId))?.postSteps).toEqual([]);
});

it('a step runs although Redis was lost and the worker was killed before it was enqueued', async () => {
  const { ada, id, tab, send } = await talk();
  const replyId = await send('slow');
  await expect.poll(() => tab.reply.text.length).toBeGreaterThan(20);
  await stack.redis.kill();
  await expect.poll(async () => (await stored(replyId))?.status).toBe('complete');
  await stack.worker.kill();
  expect((await stored(replyId))?.postSteps).toHaveLength(1);
  expect(callsOf(replyId)).toEqual([]);
  await stack.redis.restart();
  await stack.worker.restart();
  const metadata = async () => (await ada.reply(id)).metadata;
  await expect.poll(metadata).toMatchObject(metadataOf(replyId));
  expect(callsOf(replyId)).toHaveLength(1);
});

it('a step runs again when its worker is killed in the middle', async () => {
  const { ada, id, send } = await talk();
  perform = () => undefined;
  const replyId = await send('Hello');
  await expect.poll(() => callsOf(replyId)).toHaveLength(1);
  await stack.worker.kill();
  perform = succeed;
  await stack.worker.restart();
  const metadata = async () => (await ada.reply(id)).metadata;
  await expect.poll(metadata).toMatchObject(metadataOf(replyId));
  const [first, second] = callsOf(replyId);
  expect([first?.run, second]).toEqual([1, { ...first, run: 2 }]);
});

it('fault 33: a step that crashes its worker twice is given up, and other replies have theirs', async () => {
  const { send } = await talk();
  perform = () => undefined;
  const replyId = await send('Hello');
  for (const runs of [1, 2]) {
    await expect.poll(() => callsOf(replyId)).toHaveLength(runs);
    await stack.worker.kill();
    await stack.worker.restart();
  }
  const left = async () => {
    const reply = await stored(replyId);
    return [reply?.postSteps, reply?.failedSteps];
  };
  await expect.poll(left).toEqual([[], ['notes']]);
  expect(callsOf(replyId)).toHaveLength(2);
  perform = succeed;
  const next = await talk();
  await next.send('Hello');
  await expect.poll(() => next.updated).toHaveLength(1);
});

it('a failed step is retried although Redis was emptied meanwhile', async () => {
  const { ada, id, send } = await talk();
  perform = (response) => void response.writeHead(500).end();
  const replyId = await send('Hello');
  const redis = new Redis(stack.redis.url);
  const waits = () => redis.zcard('{post-steps}:post-steps:delayed');
  await expect.poll(waits).toBe(1);
  perform = succeed;
  await redis.flushall();
  redis.disconnect();
  const metadata = async () => (await ada.reply(id)).metadata;
  await expect.poll(metadata).toMatchObject(metadataOf(replyId));
  expect(callsOf(replyId)).toHaveLength(2);
});

it('two workers run each step once', async () => {
  await startProcess('worker', { env: stack.env, folder });
  const talks = await Promise.all(Array.from({ length: 8 }, talk));
  const ids = await Promise.all(talks.map(({ send }) => send('Hello')));
  await expect.poll(() => talks.map(({ updated }) => updated.length)).toEqual(ids.map(() => 1));
  expect(ids.map((replyId) => callsOf(replyId).length)).toEqual(ids.map(() => 1));
});
