import { Router } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { startRedis } from '../../test/processes.ts';
import type { ErrorBody } from '../contract/errors.ts';
import { connectRedis, type Redis } from '../db/redis.ts';
import { AppError } from '../errors.ts';
import { createLog } from '../log.ts';
import { createApp } from './create-app.ts';
import { openHandler } from './handler.ts';
import { createRateLimit } from './rate-limit.ts';
import { serve } from './serve.fixture.ts';

const FREE = 3;
const Body = z.object({ who: z.string(), password: z.string() });

let redis: Redis;
let url: string;
let stopRedis: () => Promise<unknown>;
let stop: () => void;

beforeAll(async () => {
  const server = await startRedis();
  stopRedis = () => server.kill();
  redis = await connectRedis(server.url, { retry: 'never', onError: () => undefined });
  const limit = createRateLimit({
    redis,
    enabled: true,
    securityLog: { record: () => undefined },
  })({
    name: 'guess',
    points: FREE,
    seconds: 3_600,
    key: (req) => req.get('x-who'),
    backOff: { firstSeconds: 10, maxSeconds: 60 },
  });
  const router = Router();
  router.post(
    '/guess',
    limit,
    openHandler({ body: Body }, async ({ body }) => {
      if (body.password !== 'right') throw new AppError('unauthenticated', 'No.');
    }),
  );
  const app = createApp({
    config: { TRUST_PROXY: 0 },
    log: createLog({ level: 'silent', name: 'test' }),
    authenticate: async () => null,
    routers: [router],
  });
  const served = await serve(app);
  url = `${served.url}/api/guess`;
  stop = () => {
    served.stop();
    redis.disconnect();
  };
});
afterAll(() => stop());

async function guess(who: string, body: object = { who, password: 'wrong' }) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-who': who },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    code: text ? (JSON.parse(text) as ErrorBody).code : undefined,
    wait: Number(response.headers.get('retry-after')),
  };
}
const right = (who: string) => guess(who, { who, password: 'right' });
const statusesOf = async (tries: (() => Promise<{ status: number }>)[]) => {
  const all: number[] = [];
  for (const attempt of tries) all.push((await attempt()).status);
  return all;
};
const times = <T>(n: number, item: T) => Array<T>(n).fill(item);

/** Ends the wait. */
async function waitOver() {
  const gates = await redis.keys('limit:guess-gate:*');
  expect(gates).toHaveLength(1);
  await redis.del(gates);
}

describe('a route with backoff', () => {
  it('answers a wait that doubles, and admits one attempt when it is over', async () => {
    expect(await statusesOf(times(FREE + 1, () => guess('ada')))).toEqual(times(FREE + 1, 401));
    for (const wait of [10, 20, 40]) {
      const refused = await guess('ada');
      expect([refused.status, refused.code]).toEqual([429, 'too_many_requests']);
      expect(refused.wait).toBeGreaterThan(wait - 5);
      expect(refused.wait).toBeLessThanOrEqual(wait);
      expect((await right('ada')).status).toBe(429);
      await waitOver();
      expect((await guess('ada')).status).toBe(401);
    }
    expect((await guess('somebody else')).status).toBe(401);
  });

  it('counts a malformed body as a failure, and clears the count after a success', async () => {
    const malformed = () => guess('grace', { who: 'grace' });
    expect(await statusesOf(times(FREE, malformed))).toEqual(times(FREE, 422));
    expect((await right('grace')).status).toBe(204);
    const afresh = await statusesOf(times(FREE + 2, malformed));
    expect(afresh).toEqual([...times(FREE + 1, 422), 429]);
  });

  it('limits simultaneous guesses', async () => {
    const statuses = await Promise.all(times(30, 'mary').map(async (who) => guess(who)));
    expect(statuses.filter(({ status }) => status === 401)).toHaveLength(FREE + 1);
  });

  it('still applies, and still clears its count, while Redis is unreachable', async () => {
    await stopRedis();
    await expect.poll(() => redis.status).not.toBe('ready');
    expect(await statusesOf(times(FREE, () => guess('joan')))).toEqual(times(FREE, 401));
    expect((await right('joan')).status).toBe(204);
    const afresh = await statusesOf(times(FREE + 2, () => guess('joan')));
    expect(afresh).toEqual([...times(FREE + 1, 401), 429]);
    expect((await guess('joan')).wait).toBeGreaterThan(0);
  });
});
