import { Router } from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRedis } from '../../test/processes.ts';
import { connectRedis, type Redis } from '../db/redis.ts';
import { createLog } from '../log.ts';
import { createApp } from './create-app.ts';
import { openHandler } from './handler.ts';
import { admission, createRateLimit } from './rate-limit.ts';
import { serve } from './serve.fixture.ts';

const FREE = 2;
/** The actions of the route, in order. */
const done: string[] = [];

let redis: Redis;
let server: Awaited<ReturnType<typeof startRedis>>;
let url: string;
let stop: () => void;

beforeAll(async () => {
  server = await startRedis();
  redis = await connectRedis(server.url, { retry: 'never', onError: () => undefined });
  const deps = { redis, enabled: true, securityLog: { record: () => undefined } };
  const limit = createRateLimit(deps)({
    name: 'sends',
    points: FREE,
    seconds: 3_600,
    key: (req) => req.get('x-who'),
    beside: true,
  });
  const router = Router();
  router.post(
    '/send',
    limit,
    openHandler({}, async ({ req }) => {
      done.push('read');
      await admission(req);
      done.push('write');
    }),
  );
  router.post(
    '/read-only',
    limit,
    openHandler({}, async () => ({ body: 'read' })),
  );
  const app = createApp({
    config: { TRUST_PROXY: 0 },
    log: createLog({ level: 'silent', name: 'test' }),
    authenticate: async () => null,
    routers: [router],
  });
  const served = await serve(app);
  url = `${served.url}/api`;
  stop = () => {
    served.stop();
    redis.disconnect();
  };
});
afterAll(async () => {
  stop();
  await server.kill();
});

const post = (path: string, who: string) =>
  fetch(`${url}/${path}`, { method: 'POST', headers: { 'x-who': who } });

it('lets the route read while the limit counts, and refuses before it writes', async () => {
  for (let n = 0; n < FREE; n += 1) expect((await post('send', 'ada')).ok).toBe(true);
  expect(done).toEqual(['read', 'write', 'read', 'write']);
  const refused = await post('send', 'ada');
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect(done.slice(4)).toEqual(['read']);
});

it('counts each key separately', async () => {
  expect((await post('send', 'ben')).ok).toBe(true);
});

it('ignores the limit for a route that does not await it', async () => {
  for (let n = 0; n <= FREE; n += 1) expect((await post('read-only', 'cleo')).ok).toBe(true);
});
