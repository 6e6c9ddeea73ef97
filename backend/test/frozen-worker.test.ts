import { Redis } from 'ioredis';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import { logKey } from '../src/features/chat/generation/log.ts';
import { startProcess, type TestProcess } from './processes.ts';
import { type ApiClient, longText, type Stack, startStack } from './stack.ts';
import type { Tab } from './tab.ts';

const TEXT = longText(4_000);
const LIMIT_MS = 120_000;

let stack: Stack;
let redis: Redis;
let database: Connection;
/** The worker that is frozen during its reply, and the one that takes over. */
let frozen: TestProcess;
let other: TestProcess;

beforeAll(async () => {
  stack = await startStack();
  await stack.worker.kill();
  stack.provider
    .onMessage('short', { content: 'Owls hoot.' })
    .onMessage(/.*/, { content: TEXT }, { streamingProfile: { tps: 40 } });
  redis = new Redis(stack.redis.url);
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
  return async () => {
    redis.disconnect();
    await database.close();
  };
});

beforeEach(async () => {
  frozen = await startProcess('worker', { env: stack.env });
});

afterEach(async () => {
  await frozen.kill();
  await other.kill();
});

interface Talk {
  anna: ApiClient;
  id: string;
  tab: Tab;
  replyId: string;
}

/** A reply whose worker is frozen while it streams; another worker runs. */
async function freeze(): Promise<Talk> {
  const anna = await stack.guest();
  const id = await anna.conversation();
  const tab = await anna.tab(id);
  const replyId = (await anna.send(id, 'Hello')).body.reply.id;
  await expect.poll(() => tab.reply.text.length).toBeGreaterThan(200);
  frozen.signal('SIGSTOP');
  other = await startProcess('worker', { env: stack.env });
  return { anna, id, tab, replyId };
}

/** Continues the frozen worker and waits until it has noticed the change. */
async function goOn({ replyId }: Talk): Promise<void> {
  frozen.signal('SIGCONT');
  const line = () =>
    frozen
      .output()
      .split('\n')
      .some((text) => text.includes(replyId) && text.includes('attempt lost its reply'));
  await expect.poll(line).toBe(true);
}

it(
  'fault 2: a worker that is frozen while it streams changes nothing when it continues, and serves again',
  async () => {
    const talk = await freeze();
    const { anna, id, tab } = talk;
    const begun = tab.reply.text;
    // The other worker continues the text; the provider of this test begins its text again.
    await expect.poll(() => tab.reply.attempt).toBe(2);
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(begun.length + 200);
    const left = async () =>
      (await anna.get<{ demo: { messagesLeft: number } }>('/auth/user')).body.demo.messagesLeft;
    expect(await left()).toBe(19);
    await goOn(talk);
    await anna.post(`/replies/${talk.replyId}/stop`);
    await expect.poll(() => tab.reply.status).toBe('stopped');
    const { text } = tab.reply;
    expect(await anna.reply(id)).toMatchObject({ status: 'stopped', content: text });
    const kept = text.slice(0, text.indexOf('word-0', 1));
    expect(TEXT.startsWith(kept) && TEXT.startsWith(text.slice(kept.length))).toBe(true);
    expect(kept.startsWith(begun)).toBe(true);
    await other.kill();
    await anna.send(id, 'short');
    await expect.poll(() => tab.reply.text).toBe('Owls hoot.');
    expect(await left()).toBe(18);
  },
  LIMIT_MS,
);

it(
  'fault 34: a worker that continues after the account was deleted leaves no data of it in Redis',
  async () => {
    const talk = await freeze();
    const { anna, id, replyId } = talk;
    expect((await anna.call('DELETE', '/auth/user', {})).status).toBe(202);
    const conversationId = database.base.Types.ObjectId.createFromHexString(id);
    const messages = () => database.collection('messages').countDocuments({ conversationId });
    expect(await messages()).toBe(2);
    await expect.poll(messages).toBe(0);
    expect(await redis.exists(logKey({ id: replyId, conversationId: id }))).toBe(0);
    await goOn(talk);
    expect(await redis.exists(logKey({ id: replyId, conversationId: id }))).toBe(0);
    expect(await messages()).toBe(0);
  },
  LIMIT_MS,
);

it.each([
  ['the log of the ended reply has expired', async () => undefined],
  ['Redis was emptied before the reply was taken over', () => redis.flushall()],
])(
  'a worker that continues after %s logs nothing',
  async (_, meanwhile) => {
    const talk = await freeze();
    const { anna, id, tab, replyId } = talk;
    await meanwhile();
    await expect.poll(() => tab.reply.attempt).toBe(2);
    // Text that was only published is lost with Redis, so the reply may have begun again.
    await anna.post(`/replies/${replyId}/stop`);
    await expect.poll(() => tab.reply.status).toMatch(/interrupted|stopped/);
    const { content, status } = await anna.reply(id);
    await redis.del(logKey({ id: replyId, conversationId: id }));
    await goOn(talk);
    expect(await redis.exists(logKey({ id: replyId, conversationId: id }))).toBe(0);
    expect(await anna.reply(id)).toMatchObject({ status, content });
  },
  LIMIT_MS,
);
