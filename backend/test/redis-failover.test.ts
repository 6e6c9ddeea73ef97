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
  await expect.poll(link).toContain('master_link_status:up');
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
    const begunAt = performance.now();
    const send = async () => (await ada.send(id, 'Hello', clientMessageId)).status;
    await expect.poll(send).toBe(202);
    // 10 s, with room for a machine that does other work.
    expect(performance.now() - begunAt).toBeLessThan(20_000);
    await expect.poll(async () => (await ada.reply(id)).status).toBe('complete');
    expect((await ada.reply(id)).content).toBe(text);
    await expect.poll(() => tab.reply.text).toBe(text);
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

/** The number in the answer of INFO, 0 without it. */
const numberIn = (info: string, name: RegExp) => Number(name.exec(info)?.[1] ?? 0);

it('fault 31: while the memory of Redis is used up, sends answer 503 and web and worker each log at most 2 lines a second; then all recover', async () => {
  const stack = await startStack();
  stack.provider.onMessage(/.*/, { content: 'A reply.' });
  const ada = await stack.guest();
  const id = await ada.conversation();
  const tab = await ada.tab(id);
  const redis = new Redis(stack.redis.url);
  atEnd(() => redis.disconnect());
  const refusals = async () => numberIn(await redis.info('errorstats'), /OOM:count=(\d+)/);
  // By the clock of Redis, which stands still on no machine.
  const seconds = async () => numberIn(await redis.info('server'), /uptime_in_seconds:(\d+)/);
  const processes = [stack.web, stack.worker];
  const lines = () => processes.map((one) => one.output().trim().split('\n'));
  const before = { seconds: await seconds(), lines: lines() };
  await redis.config('SET', 'maxmemory', '1');
  const clientMessageId = randomUUID();
  const send = async () => (await ada.send(id, 'Hello', clientMessageId)).status;
  // The worker runs into the limit meanwhile: its queues ask for jobs every few seconds.
  const state = async () => ({
    status: await send(),
    isLong: (await seconds()) - before.seconds >= 30 && (await refusals()) > 100,
  });
  await expect.poll(state).toEqual({ status: 503, isLong: true });
  const took = (await seconds()) - before.seconds;
  for (const [index, now] of lines().entries()) {
    const written = now.slice(before.lines[index]?.length);
    expect(written.length).toBeLessThanOrEqual(2 * took);
  }

  await redis.config('SET', 'maxmemory', '0');
  await expect.poll(send).toBe(202);
  await expect.poll(() => tab.reply.status).toBe('complete');
  expect(tab.reply.text).toBe('A reply.');
  // The queue takes jobs again, without a restart.
  const later = randomUUID();
  const sendAgain = async () => (await ada.send(id, 'Again', later)).status;
  await expect.poll(sendAgain).toBe(202);
  const texts = async () => (await ada.messages(id)).map(({ content }) => content);
  const all = ['Hello', 'A reply.', 'Again', 'A reply.'];
  await expect.poll(texts).toEqual(all);
});
