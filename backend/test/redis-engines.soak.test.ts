import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Node, startRedisCluster, startSentinels } from './redis-sets.ts';
import { type ApiClient, longText, type Stack, startStack } from './stack.ts';

const STREAMS = 50;
/** About 20 s of text. */
const TEXT = longText(400);
const WAIT = { interval: 500 };

/** A product on these servers whose replies take 20 s. */
async function startProduct(env: Record<string, string>): Promise<Stack> {
  const stack = await startStack(env);
  stack.provider.onMessage(/.*/, { content: TEXT }, { streamingProfile: { tps: 20 } });
  return stack;
}

/** As a page: a send is repeated with the same id until it is accepted. */
async function send(ada: ApiClient, id: string): Promise<void> {
  const clientMessageId = randomUUID();
  const status = async () => (await ada.send(id, 'Hello', clientMessageId)).status;
  await expect.poll(status, WAIT).toBe(202);
}

/** Replies in many conversations, each with a tab, that have all begun to stream. */
async function startStreams({ guest }: Stack) {
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, async () => {
      const ada = await guest();
      const id = await ada.conversation();
      const tab = await ada.tab(id);
      await send(ada, id);
      return { ada, id, tab };
    }),
  );
  const silent = () => streams.filter(({ tab }) => tab.reply.text.length === 0).length;
  await expect.poll(silent, WAIT).toBe(0);
  return streams;
}

type Streams = Awaited<ReturnType<typeof startStreams>>;

/** Waits for the end of all replies. @returns the texts that are not whole, in the tab or stored */
async function brokenTexts(streams: Streams): Promise<string[]> {
  const running = () => streams.filter(({ tab }) => tab.reply.status !== 'complete').length;
  await expect.poll(running, WAIT).toBe(0);
  const stored = await Promise.all(streams.map(async ({ ada, id }) => ada.reply(id)));
  const texts = [...streams.map(({ tab }) => tab.reply.text), ...stored.map((one) => one.content)];
  return texts.filter((text) => text !== TEXT);
}

/** New sends are accepted and answered. */
async function expectService({ guest }: Stack): Promise<void> {
  const users = await Promise.all(Array.from({ length: 12 }, guest));
  await Promise.all(
    users.map(async (ada) => {
      const id = await ada.conversation();
      const tab = await ada.tab(id);
      await send(ada, id);
      await expect.poll(() => tab.reply.text, WAIT).toBe(TEXT);
    }),
  );
}

const isQueueServed = async (nodes: Node[], key: string) => {
  const lengths = await Promise.all(nodes.map(({ redis }) => redis.llen(key).catch(() => 0)));
  return lengths.every((length) => length === 0);
};

it('a primary of a Redis Cluster is killed under 50 streams: every tab has every character, and sends go on', async () => {
  const { env, primaryOf, slotOf, nodes } = await startRedisCluster();
  const stack = await startProduct(env);
  const streams = await startStreams(stack);
  // The one with the queue of replies is the worst.
  const killed = await primaryOf(await slotOf('{replies}:replies:wait'));
  await killed.process.kill();
  expect(await brokenTexts(streams)).toEqual([]);
  await expectService(stack);
  const left = nodes.filter((node) => node !== killed);
  await expect.poll(() => isQueueServed(left, '{replies}:replies:active'), WAIT).toBe(true);
});

it('slots of a Redis Cluster are moved under 50 streams: every tab has every character', async () => {
  const { env, moveSlot, slotOf } = await startRedisCluster();
  const stack = await startProduct(env);
  const streams = await startStreams(stack);
  const keys = ['{replies}:replies:wait', ...streams.slice(0, 3).map(({ id }) => `{${id}}`)];
  for (const key of keys) await moveSlot(await slotOf(key));
  expect(await brokenTexts(streams)).toEqual([]);
  await expectService(stack);
});

it('the primary of Redis Sentinels is killed under 50 streams: every tab has every character, and sends go on', async () => {
  const { env, nodes } = await startSentinels();
  const stack = await startProduct(env);
  const streams = await startStreams(stack);
  await nodes[0]?.process.kill();
  expect(await brokenTexts(streams)).toEqual([]);
  await expectService(stack);
});
