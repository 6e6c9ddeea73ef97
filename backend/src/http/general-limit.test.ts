import { type RequestHandler, Router } from 'express';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../../test/processes.ts';
import { sessionActor } from '../access/index.ts';
import { connectRedis, type Redis } from '../db/redis.ts';
import { createLog } from '../log.ts';
import type { SecurityRecord } from '../security-log.ts';
import { createApp } from './create-app.ts';
import { createGeneralLimit } from './general-limit.ts';
import { openHandler } from './handler.ts';
import { healthRoutes } from './health.ts';
import { byAddress, createRateLimit } from './rate-limit.ts';
import { serve } from './serve.fixture.ts';

let redis: Redis;
const records: SecurityRecord[] = [];
const securityLog = { record: (entry: SecurityRecord) => records.push(entry) };

beforeAll(async () => {
  const { url } = await startRedis();
  redis = await connectRedis(url, { retry: 'never', onError: () => undefined });
  return () => redis.disconnect();
});

const stops: (() => void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  records.length = 0;
  await redis.flushall();
});

interface AppSettings {
  enabled?: boolean;
  perUser?: number;
  perAddress?: number;
  /** Runs while a session is looked up. */
  onLookUp?: () => Promise<void>;
  isReady?: () => Promise<boolean>;
  /** How long an answer of `isReady` is kept. */
  cacheMs?: { ready: number; notReady: number };
}

const HOUR_MS = 60 * 60_000;

/** An app with one route; tokens are user ids. */
async function startApp(settings: AppSettings) {
  const { enabled = true, perUser = 1_000, perAddress = 1_000 } = settings;
  const limits = { redis, enabled, securityLog };
  const limit: RequestHandler = createRateLimit(limits)({
    name: 'ready',
    points: 20,
    seconds: 60,
    key: byAddress,
  });
  const app = createApp({
    config: { TRUST_PROXY: 1 },
    log: createLog({ level: 'silent', name: 'test' }),
    authenticate: async (id) => {
      await settings.onLookUp?.();
      return sessionActor({ userId: id, sessionId: 's', isGuest: false });
    },
    health: healthRoutes(settings.isReady ?? (async () => true), limit, settings.cacheMs),
    generalLimit: createGeneralLimit(limits, { perUser, perAddress }),
    routers: [
      Router().get(
        '/read',
        openHandler({}, async () => 'read'),
      ),
    ],
  });
  const { url, stop } = await serve(app);
  stops.push(stop);
  return async (path: string, from: { user?: string; ip?: string } = {}) => {
    const response = await fetch(`${url}/api${path}`, {
      headers: {
        'x-forwarded-for': from.ip ?? '192.0.2.1',
        ...(from.user && { authorization: `Bearer ${from.user}` }),
      },
    });
    await response.arrayBuffer();
    return { status: response.status, wait: Number(response.headers.get('retry-after')) };
  };
}

describe('the general limit', () => {
  it('refuses reads of one IP address over its number, with the time to wait', async () => {
    const get = await startApp({ perAddress: 3 });
    for (let n = 0; n < 3; n += 1) expect((await get('/read')).status).toBe(200);
    const refused = await get('/read');
    expect(refused.status).toBe(429);
    expect(refused.wait).toBeGreaterThan(0);
    expect((await get('/no-such-route')).status).toBe(429);
    expect((await get('/read', { ip: '192.0.2.2' })).status).toBe(200);
    expect(records).toEqual([{ event: 'limit_hit', limit: 'address', ip: '192.0.2.1' }]);
  });

  it('refuses one user over its number, from any IP address', async () => {
    const get = await startApp({ perUser: 3 });
    let ip = 0;
    const asAda = () => {
      ip += 1;
      return get('/read', { user: 'ada', ip: `192.0.2.${ip}` });
    };
    for (let n = 0; n < 3; n += 1) expect((await asAda()).status).toBe(200);
    await expect.poll(async () => (await asAda()).status).toBe(429);
    expect((await asAda()).wait).toBeGreaterThan(0);
    expect((await get('/read', { user: 'ben' })).status).toBe(200);
    expect(records).toMatchObject([{ event: 'limit_hit', limit: 'user', userId: 'ada' }]);
  });

  it('counts while the session is looked up, not after it', async () => {
    let counted = 0;
    const get = await startApp({
      onLookUp: async () => {
        await expect
          .poll(async () => (await redis.keys('limit:address:*')).length, { interval: 5 })
          .toBe(1);
        counted += 1;
      },
    });
    expect((await get('/read', { user: 'ada' })).status).toBe(200);
    expect(counted).toBe(1);
  });

  it('is off when limits are switched off', async () => {
    const get = await startApp({ enabled: false, perAddress: 1, perUser: 1 });
    for (let n = 0; n < 5; n += 1) expect((await get('/read', { user: 'ada' })).status).toBe(200);
  });
});

describe('the health checks', () => {
  it('run one check for simultaneous callers and keep the answer', async () => {
    let asked = 0;
    const isReady = async () => {
      asked += 1;
      return true;
    };
    // However long the calls take on a busy machine, they end while the answer is kept.
    const get = await startApp({ isReady, cacheMs: { ready: HOUR_MS, notReady: HOUR_MS } });
    await Promise.all(Array.from({ length: 10 }, () => get('/health/ready')));
    await get('/health/ready');
    expect(asked).toBe(1);
  });

  it('run a check again when the answer is no longer kept', async () => {
    let asked = 0;
    const isReady = async () => {
      asked += 1;
      return true;
    };
    const get = await startApp({ isReady, cacheMs: { ready: 1, notReady: HOUR_MS } });
    await expect
      .poll(async () => [(await get('/health/ready')).status, asked > 1])
      .toEqual([200, true]);
  });

  it('answer 503 while the process is not ready, and 200 soon after it is', async () => {
    let ready = false;
    const get = await startApp({ isReady: async () => ready });
    expect((await get('/health/ready')).status).toBe(503);
    ready = true;
    await expect.poll(async () => (await get('/health/ready')).status).toBe(200);
  });

  it('limit ready and never live, for any other calls of the IP address', async () => {
    const get = await startApp({ perAddress: 1 });
    const statuses = new Set<number>();
    for (let n = 0; n < 25; n += 1) statuses.add((await get('/health/ready')).status);
    expect([...statuses]).toEqual([200, 429]);
    await get('/read');
    expect((await get('/read')).status).toBe(429);
    for (let n = 0; n < 25; n += 1) expect((await get('/health/live')).status).toBe(200);
  });
});
