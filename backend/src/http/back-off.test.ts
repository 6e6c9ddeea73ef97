import { randomUUID } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectRedis, type Redis } from '../db/redis.ts';
import { createTries } from './back-off.ts';

const FREE = 3;
const backOff = { firstSeconds: 10, maxSeconds: 35 };

let redis: Redis;
beforeAll(async () => {
  const REDIS_URL = process.env.REDIS_URL ?? '';
  redis = await connectRedis(REDIS_URL, { retry: 'never', onError: () => undefined });
});
afterAll(() => redis.disconnect());

describe.each(['redis', 'memory'] as const)('attempts counted in %s', (where) => {
  function open() {
    const limiter = (points: number, keyPrefix: string) =>
      where === 'redis'
        ? new RateLimiterRedis({ storeClient: redis, points, duration: 3_600, keyPrefix })
        : new RateLimiterMemory({ points, duration: 3_600, keyPrefix });
    const name = randomUUID();
    const gate = limiter(1, `${name}-gate`);
    const tries = createTries({ counter: limiter(FREE, name), gate, free: FREE, backOff });
    /** Seconds to wait, or 0 when the attempt is admitted. */
    const take = () =>
      tries.take('ada').then(
        () => 0,
        (refusal: unknown) => {
          if (!(refusal instanceof RateLimiterRes)) throw refusal;
          return Math.ceil(refusal.msBeforeNext / 1_000);
        },
      );
    return { tries, take, waitOver: () => gate.delete('ada') };
  }

  it('are free at first, then cause waits that double up to a limit', async () => {
    const { take, waitOver } = open();
    for (let n = 0; n < FREE; n += 1) expect(await take()).toBe(0);
    for (const wait of [10, 20, 35, 35]) {
      // One attempt is admitted and starts the next wait.
      expect(await take()).toBe(0);
      const left = await take();
      expect(left).toBeGreaterThan(wait - 3);
      expect(left).toBeLessThanOrEqual(wait);
      await waitOver();
    }
  });

  it('that are refused do not extend the wait', async () => {
    const { take, waitOver } = open();
    for (let n = 0; n < FREE + 1; n += 1) await take();
    for (let n = 0; n < 20; n += 1) expect(await take()).toBeLessThanOrEqual(10);
    await waitOver();
    expect(await take()).toBe(0);
    expect(await take()).toBeLessThanOrEqual(20);
  });

  it('made at the same time do not pass together', async () => {
    const { take } = open();
    const waits = await Promise.all(Array.from({ length: 40 }, take));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(FREE + 1);
  });

  it('are cleared after a success', async () => {
    const { tries, take } = open();
    for (let n = 0; n < FREE + 1; n += 1) await take();
    expect(await take()).toBeGreaterThan(0);
    await tries.forget('ada');
    for (let n = 0; n < FREE; n += 1) expect(await take()).toBe(0);
  });
});
