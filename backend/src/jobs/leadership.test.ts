import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectRedis, type Redis } from '../db/redis.ts';
import { createLeadership, withLease } from './leadership.ts';

let redis: Redis;

beforeAll(async () => {
  const url = process.env.REDIS_URL ?? '';
  redis = await connectRedis(url, { retry: 'never', onError: () => undefined });
});
afterAll(() => redis.disconnect());

const candidates = (leaseMs = 60_000) => {
  const name = randomUUID();
  const candidate = (id: string) => createLeadership(redis, { name, id, leaseMs });
  return { first: candidate('a'), second: candidate('b'), key: `leader:${name}` };
};

it('one of several leads, and stays in the lead', async () => {
  const { first, second } = candidates();
  expect([await first(), await second(), await first()]).toEqual([true, false, true]);
});

it('asking keeps the lead, and only that of the leader', async () => {
  const { first, second, key } = candidates();
  await first();
  await redis.pexpire(key, 1_000);
  await second();
  expect(await redis.pttl(key)).toBeLessThanOrEqual(1_000);
  await first();
  expect(await redis.pttl(key)).toBeGreaterThan(1_000);
});

it('another one leads when the leader is gone', async () => {
  const { first, second, key } = candidates();
  await first();
  expect(await redis.pttl(key)).toBeGreaterThan(0);
  await redis.del(key);
  expect([await second(), await first()]).toEqual([true, false]);
});

it('work with a lease is done by one at a time, and by the next when it has ended, also by an error', async () => {
  const lease = { name: randomUUID(), leaseMs: 60_000 };
  const nested = withLease(redis, lease, () => withLease(redis, lease, async () => 'inner'));
  expect(await nested).toBeNull();
  const failing = withLease(redis, lease, async () => Promise.reject(new Error('It failed.')));
  await expect(failing).rejects.toThrow('It failed.');
  expect(await withLease(redis, lease, async () => 'done')).toBe('done');
});

it('a lease ends by itself when its process is lost', async () => {
  const lease = { name: randomUUID(), leaseMs: 60_000 };
  await withLease(redis, lease, async () => {
    expect(await redis.pttl(`lease:${lease.name}`)).toBeGreaterThan(0);
  });
});
