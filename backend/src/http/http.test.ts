import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Router } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { startRedis, temporaryFolder } from '../../test/processes.ts';
import { sessionActor } from '../access/index.ts';
import type { ErrorBody } from '../contract/errors.ts';
import { connectRedis } from '../db/redis.ts';
import { createLog } from '../log.ts';
import type { SecurityRecord } from '../security-log.ts';
import { createApp } from './create-app.ts';
import { handler, openHandler } from './handler.ts';
import { byAddress, createRateLimit } from './rate-limit.ts';
import { serve } from './serve.fixture.ts';
import { createSessionCookie } from './session-token.ts';
import { IdParams } from './validate.ts';

const ID = 'a'.repeat(24);
const EMAIL = 'ada@example.com';
let numberOf = async () => 0;
const actor = sessionActor({ userId: ID, sessionId: ID, isGuest: false });

const lines: string[] = [];
const records: SecurityRecord[] = [];
let url: string;
let stopRedis: () => Promise<unknown>;
let stop: () => void;

beforeAll(async () => {
  const server = await startRedis();
  stopRedis = () => server.kill();
  const redis = await connectRedis(server.url, { retry: 'never', onError: () => undefined });
  const rateLimit = createRateLimit({
    redis,
    enabled: true,
    securityLog: { record: (entry) => records.push(entry) },
  });
  const router = Router();
  const Body = z.object({ name: z.string(), size: z.number().max(3).optional() });
  router.post(
    '/things/:id',
    handler({ params: IdParams, body: Body }, async ({ params, body, actor, res }) => {
      res.status(201);
      return { id: params.id, name: body.name, owner: actor.userId };
    }),
  );
  router.get(
    '/bug',
    openHandler({}, async () => {
      throw new Error(`E11000 dup key: { email: "${EMAIL}" }`);
    }),
  );
  router.get(
    '/number',
    openHandler({}, async () => numberOf()),
  );
  router.get(
    '/redis',
    openHandler({}, async () => redis.ping()),
  );
  const cookie = createSessionCookie({ PUBLIC_URL: 'https://stolas.example', maxAgeMs: 1_000 });
  router.get(
    '/cookie/:what',
    openHandler({}, async ({ req, res }) => {
      if (req.params.what === 'set') cookie.set(req, res, 't');
      else cookie.clear(req, res);
    }),
  );
  const limit = rateLimit({ name: 'test', points: 2, seconds: 60, key: byAddress });
  router.get(
    '/limited',
    limit,
    openHandler({}, async () => undefined),
  );

  const staticDir = await temporaryFolder();
  await mkdir(path.join(staticDir, 'assets'));
  await writeFile(
    path.join(staticDir, 'index.html'),
    '<title>page</title><script nonce="%STYLE_NONCE%">',
  );
  await writeFile(path.join(staticDir, 'assets/app-1a2b.js'), 'void 0;');
  const log = createLog({ level: 'debug', name: 'test' }, { write: (line) => lines.push(line) });
  const app = createApp({
    config: { PUBLIC_URL: 'https://stolas.example', TRUST_PROXY: 1 },
    log,
    authenticate: async (token) => (token === 'good' ? actor : null),
    channelNumberOf: () => numberOf(),
    routers: [router],
    staticDir,
  });
  const served = await serve(app);
  url = served.url;
  stop = () => {
    served.stop();
    redis.disconnect();
  };
});
afterAll(() => stop());

const send = async (address: string, init: RequestInit = {}) => {
  const response = await fetch(url + address, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
};
const errorOf = ({ text }: { text: string }) => JSON.parse(text) as ErrorBody;
const post = (address: string, body: unknown, headers: Record<string, string> = {}) =>
  send(address, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', authorization: 'Bearer good', ...headers },
  });

describe('a route', () => {
  it('receives the parsed input and the user, and answers the result', async () => {
    const answer = await post(`/api/things/${ID.toUpperCase()}`, {
      name: 'x',
      owner: 'me',
      id: 'other',
    });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      201,
      { id: ID, name: 'x', owner: ID },
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-powered-by')).toBeNull();
  });

  it('answers 401 before it validates the input', async () => {
    const answer = await post('/api/things/no-id', {}, { authorization: 'Bearer bad' });
    expect([answer.status, errorOf(answer).code]).toEqual([401, 'unauthenticated']);
  });

  it('answers 404 for an invalid id', async () => {
    for (const id of ['1', 'g'.repeat(24), `${ID}0`, '%00', '[$ne]']) {
      const answer = await post(`/api/things/${encodeURIComponent(id)}`, { name: 'x' });
      expect([id, answer.status, errorOf(answer).code]).toEqual([id, 404, 'not_found']);
    }
  });

  it('names the first wrong field and never repeats the input', async () => {
    const missing = await post(`/api/things/${ID}`, {});
    expect(errorOf(missing)).toMatchObject({
      code: 'invalid_field',
      message: "'name' is missing.",
      details: { field: 'name' },
    });
    const wrong = await post(`/api/things/${ID}`, { name: { $gt: 'secret' }, size: 9 });
    expect(wrong.status).toBe(422);
    expect(errorOf(wrong).details?.issues).toHaveLength(2);
    expect(wrong.text).not.toContain('secret');
  });

  it('names in answers to GET of a user the number of the channel before it reads, if Redis tells it', async () => {
    const read = async (headers: Record<string, string>) => {
      const answer = await send('/api/number', { headers });
      return [answer.headers.get('x-channel-number'), answer.text];
    };
    let number = 6;
    numberOf = async () => {
      number += 1;
      return number;
    };
    expect(await read({ authorization: 'Bearer good' })).toEqual(['7', '8']);
    expect(await read({})).toEqual([null, '9']);
    numberOf = () => Promise.reject(new Error('no Redis'));
    const ping = await send('/api/redis', { headers: { authorization: 'Bearer good' } });
    expect([ping.status, ping.headers.get('x-channel-number')]).toEqual([200, null]);
  });

  it('refuses a compressed body, which a few bytes can make large', async () => {
    const answer = await send(`/api/things/${ID}`, {
      method: 'POST',
      body: gzipSync(JSON.stringify({ name: 'x' })),
      headers: {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        authorization: 'Bearer good',
      },
    });
    expect([answer.status, errorOf(answer)]).toMatchObject([
      400,
      { code: 'malformed', message: 'Send the body in UTF-8 and without compression.' },
    ]);
  });

  it('answers a malformed path with 400 and an unknown one with 404', async () => {
    expect((await post('/api/things/%E0%A4%A', { name: 'x' })).status).toBe(400);
    expect((await send('/api/nothing')).status).toBe(404);
  });

  it('hides the cause of a failure, which is logged without the email address', async () => {
    const answer = await send('/api/bug');
    expect([answer.status, errorOf(answer).code]).toEqual([500, 'internal']);
    expect(answer.text).not.toContain('E11000');
    const requestId = answer.headers.get('x-request-id') ?? '';
    const logged = lines.find((line) => line.includes(requestId) && line.includes('E11000'));
    expect(logged).toBeDefined();
    expect(lines.join('')).not.toContain(EMAIL);
  });
});

describe('the log of requests', () => {
  it('has one line per request with id, path, status and time, and none of the input', async () => {
    const address = `/api/things/${ID}?q=secret-query`;
    const answer = await post(address, { name: 'secret-name' }, { 'x-other': 'secret-header' });
    const requestId = answer.headers.get('x-request-id') ?? '';
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    await expect.poll(() => lines.filter((line) => line.includes(requestId))).toHaveLength(1);
    const line = lines.find((each) => each.includes(requestId)) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      method: 'POST',
      path: `/api/things/${ID}`,
      status: 201,
      ms: expect.any(Number),
      msg: 'request',
    });
    expect(line).not.toMatch(/secret|good|127\.0\.0\.1|Bearer/);
  });

  it.each([
    [`/s/${'k'.repeat(22)}`, '/s/…'],
    [`/S/${'k'.repeat(22)}`, '/S/…'],
    [`/api/shares/${'k'.repeat(22)}/files/x`, '/api/shares/…/files/x'],
    [`/api/workspaces/${ID}/shares/${'k'.repeat(22)}`, `/api/workspaces/${ID}/shares/…`],
    [`/deleted/${'f'.repeat(48)}`, '/deleted/…'],
    [`/api/deletions/${'f'.repeat(48)}`, '/api/deletions/…'],
  ])('has no id that is the permission to read what is at %s', async (address, shown) => {
    const requestId = (await send(address)).headers.get('x-request-id') ?? '';
    await expect.poll(() => lines.filter((line) => line.includes(requestId))).toHaveLength(1);
    const line = lines.find((each) => each.includes(requestId)) ?? '';
    expect(JSON.parse(line)).toMatchObject({ path: shown });
  });

  it('ignores an id of the caller', async () => {
    const answer = await send('/api/nothing', { headers: { 'x-request-id': 'forged' } });
    expect(answer.headers.get('x-request-id')).not.toBe('forged');
  });
});

describe('a cookie behind TLS', () => {
  it('is read under its prefixed name only', async () => {
    const withCookie = (cookie: string) =>
      post(`/api/things/${ID}`, { name: 'x' }, { authorization: '', cookie });
    expect((await withCookie('stolas_session=good')).status).toBe(401);
    expect((await withCookie('__Host-stolas_session=good')).status).toBe(201);
  });

  it('is set for this host alone, and cleared under its former name too', async () => {
    const [set = ''] = (await send('/api/cookie/set')).headers.getSetCookie();
    expect(set).toMatch(/^__Host-stolas_session=t; /);
    for (const part of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
      expect(set.split('; ')).toContain(part);
    expect(set).not.toContain('Domain');
    const cleared = (await send('/api/cookie/clear')).headers.getSetCookie();
    expect(cleared.map((line) => line.split('=')[0])).toEqual([
      'stolas_session',
      '__Host-stolas_session',
    ]);
  });
});

describe('a state-changing call that carries only the cookie', () => {
  const withCookie = (headers: Record<string, string>) =>
    post(
      `/api/things/${ID}`,
      { name: 'x' },
      {
        authorization: '',
        cookie: 'other=1; __Host-stolas_session=good',
        ...headers,
      },
    );

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site', origin: 'https://other.stolas.example' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
  ] as Record<string, string>[][])('is refused: %j', async (headers) => {
    const answer = await withCookie(headers);
    expect([answer.status, errorOf(answer).code]).toEqual([403, 'forbidden']);
  });

  it.each([
    [{ 'sec-fetch-site': 'same-origin' }],
    [{ origin: 'https://stolas.example' }],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://stolas.example' }],
    [{}],
  ] as Record<string, string>[][])(
    'is accepted from our own pages and from programs: %j',
    async (headers) => {
      expect((await withCookie(headers)).status).toBe(201);
    },
  );

  it('is accepted with a bearer token, which no other site can add', async () => {
    const answer = await post(
      `/api/things/${ID}`,
      { name: 'x' },
      { origin: 'https://evil.example' },
    );
    expect(answer.status).toBe(201);
  });
});

describe('the built page', () => {
  const html = { headers: { accept: 'text/html,*/*;q=0.8' } };

  it('is served for the paths of the product and always revalidated', async () => {
    for (const address of ['/', '/login', '/settings']) {
      const { status, headers, text } = await send(address, html);
      expect([status, text]).toEqual([200, expect.stringContaining('<title>page</title>')]);
      expect(headers.get('cache-control')).toBe('no-cache');
    }
  });

  it('lets browsers keep hashed files for ever, and answers 404 for a missing file', async () => {
    const script = await send('/assets/app-1a2b.js');
    expect(script.headers.get('cache-control')).toContain('immutable');
    // The page has it; on every file it would only cost bytes.
    expect(script.headers.get('x-request-id')).toBeNull();
    expect((await send('/', html)).headers.get('x-request-id')).not.toBeNull();
    expect((await send('/assets/app-0000.js', html)).status).toBe(404);
    expect((await send('/..%2f..%2fetc%2fpasswd', html)).text).not.toContain('root:');
  });

  it('may connect only to the socket of its own origin', async () => {
    const policy = (await send('/', html)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain(`connect-src 'self' ws://${new URL(url).host} wss://`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("object-src 'none'");
    expect(policy).toContain("base-uri 'none'");
  });

  it('may add styles only with the nonce of its response', async () => {
    const pages = await Promise.all([send('/', html), send('/', html)]);
    const nonces = pages.map(({ text, headers }) => {
      const nonce = /nonce="([^"]+)"/.exec(text)?.[1] ?? '';
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain(`style-src-elem 'self' 'nonce-${nonce}';`);
      expect(policy).not.toContain('unsafe-inline');
      return nonce;
    });
    expect(nonces[0]).toMatch(/^[\w+/]{22}==$/);
    expect(nonces[0]).not.toBe(nonces[1]);
  });
});

describe('a limit', () => {
  const from = (address: string) =>
    send('/api/limited', { headers: { 'x-forwarded-for': address } });

  it('counts per IP address, an IPv6 /64 being one', async () => {
    const statuses = async (addresses: string[]) => {
      const all: number[] = [];
      for (const address of addresses) all.push((await from(address)).status);
      return all;
    };
    expect(await statuses(['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'])).toEqual([
      204, 204, 429, 204,
    ]);
    expect(
      await statuses(['2001:db8::1', '2001:db8::2:0:0:3', '2001:db8:0:0:9::', '2001:db8:0:1::1']),
    ).toEqual([204, 204, 429, 204]);
    // Some proxies add the client's port.
    expect(
      await statuses(['192.0.2.3:4001', '192.0.2.3:4002', '192.0.2.3', '192.0.2.4:4001']),
    ).toEqual([204, 204, 429, 204]);
    expect(
      await statuses(['[2001:db8:1::1]:4001', '[2001:db8:1::2]:4002', '2001:db8:1::3']),
    ).toEqual([204, 204, 429]);
    const refused = await from('192.0.2.1');
    expect(errorOf(refused).code).toBe('too_many_requests');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const hits = records.filter(({ ip }) => ip === '192.0.2.1');
    expect(hits).toEqual([{ event: 'limit_hit', limit: 'test', ip: '192.0.2.1' }]);
  });

  it('still applies while Redis is unreachable, and calls that need Redis answer 503', async () => {
    await stopRedis();
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await from('192.0.2.9')).status);
    expect(statuses).toEqual([204, 204, 429]);
    const away = await send('/api/redis');
    expect([away.status, errorOf(away).code]).toEqual([503, 'unavailable']);
    expect(away.headers.get('retry-after')).toBe('2');
  });
});
