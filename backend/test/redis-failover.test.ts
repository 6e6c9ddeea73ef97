import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { atEnd } from './at-end.ts';
import { startRedis, type TestProcess } from './processes.ts';
import { longText, startStack } from './stack.ts';
import { startTcpProxy } from './tcp-proxy.ts';

/** Two Redis servers behind one address, the first one as primary, and a product that uses them. */
async function startPair(env: Record<string, string> = {}) {
  const servers = await Promise.all([startRedis(), startRedis()]);
  const address = await startTcpProxy(servers[0].port);
  const [first, second] = servers.map(({ url }) => {
    const redis = new Redis(url);
    atEnd(() => redis.disconnect());
    return redis;
  }) as [Redis, Redis];
  await follow(second, servers[0]);
  const stack = await startStack({ REDIS_URL: `redis://127.0.0.1:${address.port}`, ...env });
  return { servers, address, first, second, stack };
}

/** Makes `redis` a replica and waits until it has the primary's data. */
async function follow(redis: Redis, primary: TestProcess): Promise<void> {
  await redis.replicaof('127.0.0.1', primary.port);
  const link = () => redis.info('replication');
  await expect.poll(link, { timeout: 30_000 }).toContain('master_link_status:up');
}

it('fault 31: sends work again after Redis has changed its primary and back, while connections to the former one stay open', async () => {
  const { servers, address, first, second, stack } = await startPair();
  const text = longText(40);
  stack.provider.onMessage(/.*/, { content: text });
  const ada = await stack.guest();
  const id = await ada.conversation();
  const tab = await ada.tab(id);
  const answersAgain = async () => {
    const clientMessageId = randomUUID();
    const send = async () => (await ada.send(id, 'Hello', clientMessageId)).status;
    await expect.poll(send, { timeout: 30_000 }).toBe(202);
    await expect
      .poll(async () => (await ada.reply(id)).status, { timeout: 60_000 })
      .toBe('complete');
    expect((await ada.reply(id)).content).toBe(text);
    await expect.poll(() => tab.reply.text, { timeout: 30_000 }).toBe(text);
  };
  await answersAgain();

  await second.replicaof('NO', 'ONE');
  await follow(first, servers[1]);
  address.switchTo(servers[1].port);
  await answersAgain();

  await first.replicaof('NO', 'ONE');
  await follow(second, servers[0]);
  address.switchTo(servers[0].port);
  await answersAgain();
});

it('fault 31: while the memory of Redis is used up, sends answer 503 and the worker logs little; then both recover', async () => {
  const stack = await startStack();
  stack.provider.onMessage(/.*/, { content: 'A reply.' });
  const ada = await stack.guest();
  const id = await ada.conversation();
  const redis = new Redis(stack.redis.url);
  atEnd(() => redis.disconnect());
  await redis.config('SET', 'maxmemory', '1');
  const clientMessageId = randomUUID();
  const send = async () => (await ada.send(id, 'Hello', clientMessageId)).status;
  // The worker runs into the limit meanwhile: its queues ask for jobs every few seconds.
  const refusals = async () => Number(/OOM:count=(\d+)/.exec(await redis.info('errorstats'))?.[1]);
  await expect
    .poll(async () => [await send(), (await refusals()) > 100], { timeout: 60_000 })
    .toEqual([503, true]);
  const lines = stack.worker.output().split('\n');
  expect(lines.length).toBeLessThan(100);

  await redis.config('SET', 'maxmemory', '0');
  await expect.poll(send, { timeout: 30_000 }).toBe(202);
  await expect
    .poll(async () => (await ada.reply(id)).content, { timeout: 60_000 })
    .toBe('A reply.');
}, 150_000);
