import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GoogleStart, TokenResult, User } from '../src/contract/auth.ts';
import type { Conversation } from '../src/contract/conversations.ts';
import { ownDatabase, startProcess, startRedis, type TestProcess } from './processes.ts';
import { TestBrowser } from './test-browser.ts';
import { newEmail, visitor } from './visitor.ts';

// A provider with answers that the test sets, including ones that a real provider never gives.

const CLIENT_ID = 'the-client';
const PUBLIC_URL = 'https://stolas.example';
const ACCESS_TOKEN = 'an-access-token-that-nobody-may-see';

let issuer: string;
let settings: Record<string, string>;
let web: TestProcess;
let sign: (claims: JWTPayload) => Promise<string>;
/** The next answers; an ID token, or null for an answer without one. */
let idToken: (() => Promise<string | null>) | undefined;
let userinfo: object | undefined;
/** Whether the provider answers at all. */
let awake: boolean;
let asked: string[];

beforeEach(() => {
  idToken = undefined;
  userinfo = undefined;
  awake = true;
  asked = [];
});

beforeAll(async () => {
  const pair = await generateKeyPair('RS256', { extractable: true });
  const keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256' }] };
  sign = (claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(pair.privateKey);
  const answers: Record<string, () => unknown> = {
    '/.well-known/openid-configuration': discovery,
    '/keys': () => keys,
    '/token': tokens,
    '/userinfo': () => userinfo,
  };
  const answer = async ({ url = '' }: IncomingMessage, res: ServerResponse) => {
    const { pathname } = new URL(url, issuer);
    asked.push(pathname);
    const body = awake ? await answers[pathname]?.() : undefined;
    res.writeHead(body ? 200 : 503, { 'content-type': 'application/json' });
    res.end(JSON.stringify(body ?? {}));
  };
  const server = createServer((req, res) => void answer(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  settings = {
    MONGODB_URI: ownDatabase(),
    RATE_LIMITS: 'false',
    LOG_LEVEL: 'debug',
    PUBLIC_URL,
    REPLIT_ISSUER: issuer,
    REPLIT_CLIENT_ID: CLIENT_ID,
    GOOGLE_ISSUER: issuer,
    GOOGLE_CLIENT_ID: CLIENT_ID,
    GOOGLE_CLIENT_SECRET: 'the-secret',
  };
  web = await startProcess('web', { env: settings });
  return () => {
    server.closeAllConnections();
    server.close();
  };
});

const discovery = () => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
});

const tokens = async () => {
  const token = await idToken?.();
  return {
    access_token: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: 60,
    ...(token && { id_token: token }),
  };
};

const now = () => Math.floor(Date.now() / 1_000);

const claimsOf = (nonce: string, claims: JWTPayload = {}): JWTPayload => ({
  iss: issuer,
  aud: CLIENT_ID,
  sub: randomUUID(),
  nonce,
  iat: now(),
  exp: now() + 300,
  ...claims,
});

/** Redirects to the provider and calls back at once; `claims` makes the claims of its ID token from a nonce. */
async function goAndReturn(
  claims: (nonce: string) => Promise<string | null> | string | null,
  { start = '/api/login', browser = new TestBrowser() } = {},
) {
  const left = new URL((await browser.go(web.url + start)).headers.get('location') ?? '');
  const { state, nonce = '' } = Object.fromEntries(left.searchParams);
  idToken = async () => claims(nonce);
  const code = randomUUID();
  const path = start.startsWith('/api/login') ? '/api/login/callback' : '/api/auth/google/callback';
  const answer = await browser.go(`${web.url}${path}?code=${code}&state=${state}`);
  return { browser, end: answer.headers.get('location'), secrets: [code, state ?? '', nonce] };
}

const complete = (browser: TestBrowser) =>
  browser.go(`${web.url}/api/auth/complete`, { method: 'POST' });

async function userOf(browser: TestBrowser) {
  const answer = await complete(browser);
  const { token } = (await answer.json()) as TokenResult;
  return (await visitor(web.url).as(token).get<User>('/auth/user')).body;
}

describe('the claims of Replit', () => {
  it('may all be in the ID token', async () => {
    const email = newEmail();
    const api = { email, email_verified: true, first_name: 'Ada', last_name: 'Lovelace' };
    const { browser, end } = await goAndReturn((nonce) => sign(claimsOf(nonce, api)));
    expect(end).toBe('/login?continue=true');
    expect(await userOf(browser)).toMatchObject({ email, firstName: 'Ada', lastName: 'Lovelace' });
    expect(asked).not.toContain('/userinfo');
  });

  it('are read from userinfo when the ID token lacks email_verified', async () => {
    const [sub, email] = [randomUUID(), newEmail()];
    userinfo = { sub, email, email_verified: true, first_name: 'Ada' };
    const { browser, end } = await goAndReturn((nonce) => sign(claimsOf(nonce, { sub, email })));
    expect(end).toBe('/login?continue=true');
    expect(await userOf(browser)).toMatchObject({ email, emailVerified: true, firstName: 'Ada' });
  });

  it('are refused when userinfo is about another subject than the ID token', async () => {
    userinfo = { sub: randomUUID(), email: newEmail(), email_verified: true };
    const { end } = await goAndReturn((nonce) => sign(claimsOf(nonce)));
    expect(end).toBe('/login?error=failed');
  });

  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each<[string, (claims: JWTPayload) => Promise<string> | string | null]>([
    ['for another sign-in', (claims) => sign({ ...claims, nonce: 'another' })],
    ['for no sign-in', (claims) => sign({ ...claims, nonce: undefined })],
    ['for another product', (claims) => sign({ ...claims, aud: 'another' })],
    ['of another issuer', (claims) => sign({ ...claims, iss: 'https://evil.example' })],
    ['that has expired', (claims) => sign({ ...claims, exp: now() - 60 })],
    ['that is not signed', (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`],
    ['that is missing', () => null],
  ])('an ID token %s is refused, and not logged', async (_what, make) => {
    const [email, sub] = [newEmail(), randomUUID()];
    userinfo = { sub, email, email_verified: true };
    const written = web.output().length;
    let token: string | null = null;
    const { browser, end, secrets } = await goAndReturn(async (nonce) => {
      token = await make(claimsOf(nonce, { sub, email, email_verified: true }));
      return token;
    });
    expect(end).toBe('/login?error=failed');
    expect((await complete(browser)).status).toBe(401);
    const log = () => web.output().slice(written);
    await expect.poll(log).toContain('sign-in by redirect failed');
    await expect.poll(log).toContain('/auth/complete');
    const hidden = [...secrets, email, sub, ACCESS_TOKEN, ...(token ? [token] : [])];
    expect(hidden.filter((secret) => log().includes(secret))).toEqual([]);
    // The error is reported in any case.
    expect(log()).toMatch(/"code":"OAUTH_|no ID Token|id_token/);
  });
});

describe("a credential of Google's widget", () => {
  /** Signs in with it, as a user with a new email address unless `claims` have one. */
  async function signIn(claims: JWTPayload = {}, browser = new TestBrowser()) {
    const started = await browser.go(`${web.url}/api/auth/google/start`, { method: 'POST' });
    const { nonce } = (await started.json()) as GoogleStart;
    const api = { email: newEmail(), email_verified: true, ...claims };
    const credential = await sign(claimsOf(nonce, api));
    const json = { credential };
    const answer = await browser.go(`${web.url}/api/auth/google`, { method: 'POST', json });
    return visitor(web.url).as(((await answer.json()) as TokenResult).token);
  }

  it('keeps the conversations of the guest who signs in', async () => {
    const browser = new TestBrowser();
    const entered = await browser.go(`${web.url}/api/auth/guest`, { method: 'POST' });
    const guest = visitor(web.url).as(((await entered.json()) as TokenResult).token);
    const conversation = await guest.conversation();
    const api = await signIn({}, browser);
    const list = (await api.get<Conversation[]>('/conversations')).body;
    expect(list.map(({ id }) => id)).toEqual([conversation]);
    expect((await guest.get('/auth/user')).status).toBe(401);
  });

  it('takes over an account with an unverified address', async () => {
    const { email, api: intruder } = await visitor(web.url).member();
    const theirs = (await intruder.get<User>('/auth/user')).body;
    const own = (await (await signIn({ email })).get<User>('/auth/user')).body;
    expect(own).toMatchObject({ email, emailVerified: true, signInProviders: ['google'] });
    expect(own.hasPassword).toBe(false);
    expect(own.id).not.toBe(theirs.id);
    expect((await intruder.get('/auth/user')).status).toBe(401);
  });

  it('is linked to the account that has verified the same address', async () => {
    const email = newEmail();
    const api = { email, email_verified: true, first_name: 'Ada' };
    const { browser } = await goAndReturn((nonce) => sign(claimsOf(nonce, api)));
    const proven = await userOf(browser);
    const own = (await (await signIn({ email })).get<User>('/auth/user')).body;
    expect(own).toEqual({ ...proven, signInProviders: ['google', 'replit'] });
  });
});

describe.each([
  ['Replit', '/api/login', '/api/login/callback'],
  ['Google by redirect', '/api/auth/google', '/api/auth/google/callback'],
])('%s', (_name, start, callback) => {
  const errorAt = async (site: string) =>
    (await fetch(site + start, { redirect: 'manual' })).headers.get('location');

  it('redirects users to the public URL, for any Host header', async () => {
    const { port } = new URL(web.url);
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    const call = request({ port, host: '127.0.0.1', path: start, headers }).end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    answer.resume();
    const { searchParams } = new URL(answer.headers.location ?? '');
    expect(searchParams.get('redirect_uri')).toBe(PUBLIC_URL + callback);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
  });

  it('keeps the sign-in in a cookie that no script and no other site can use', async () => {
    const answer = await fetch(web.url + start, { redirect: 'manual' });
    const [cookie = '', ...others] = answer.headers.getSetCookie();
    expect(others).toEqual([]);
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Secure', 'Path=/', 'Max-Age=600'])
      expect(cookie.split('; ')).toContain(attribute);
    expect(answer.headers.get('location')).not.toContain(/=([^;]+)/.exec(cookie)?.[1]);
  });

  it('works again once the provider is reachable again', async () => {
    const { url } = await startProcess('web', { env: { ...settings, MONGODB_URI: ownDatabase() } });
    awake = false;
    expect(await errorAt(url)).toMatch(/^\/login\?error=(google|replit)_unavailable$/);
    awake = true;
    expect(await errorAt(url)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/auth\?/);
  });

  it('fails with a sentence while the provider refuses the code', async () => {
    const { browser, end, secrets } = await goAndReturn(
      () => {
        awake = false;
        return null;
      },
      { start },
    );
    expect(end).toBe('/login?error=failed');
    expect((await complete(browser)).status).toBe(401);
    const hidden = secrets.filter(Boolean);
    expect(hidden.filter((secret) => web.output().includes(secret))).toEqual([]);
  });
});

it('answers unavailable without Redis, and signs in no user', async () => {
  const redis = await startRedis();
  const env = { ...settings, MONGODB_URI: ownDatabase(), REDIS_URL: redis.url };
  const { url } = await startProcess('web', { env });
  const browser = new TestBrowser();
  const state = new URL(
    (await browser.go(`${url}/api/login`)).headers.get('location') ?? '',
  ).searchParams.get('state');
  await browser.go(`${url}/api/auth/google/start`, { method: 'POST' });
  await redis.kill();
  const ends = await Promise.all(
    ['/login', '/auth/google', `/login/callback?code=x&state=${state}`].map(async (path) =>
      (await browser.go(`${url}/api${path}`)).headers.get('location'),
    ),
  );
  expect(ends).toEqual(Array(3).fill('/login?error=failed'));
  const start = await browser.go(`${url}/api/auth/google/start`, { method: 'POST' });
  expect(start.status).toBe(503);
  expect(start.headers.get('retry-after')).not.toBeNull();
});

it('one IP address has a limited number of attempts over all of these calls', async () => {
  const env = { ...settings, MONGODB_URI: ownDatabase(), RATE_LIMITS: 'true' };
  const redis = await startRedis();
  const { url } = await startProcess('web', { env: { ...env, REDIS_URL: redis.url } });
  const complete = () => fetch(`${url}/api/auth/complete`, { method: 'POST' });
  const statuses = new Set<number>();
  for (let tries = 0; tries < 120; tries++) statuses.add((await complete()).status);
  expect([...statuses]).toEqual([401]);
  for (const [method, path] of [
    ['POST', '/auth/complete'],
    ['POST', '/auth/google'],
    ['POST', '/auth/google/start'],
    ['GET', '/auth/google'],
    ['GET', '/auth/google/callback'],
    ['GET', '/login'],
    ['GET', '/login/callback'],
  ] as const) {
    const answer = await fetch(`${url}/api${path}`, { method, redirect: 'manual' });
    expect([path, answer.status]).toEqual([path, 429]);
    expect(answer.headers.get('retry-after')).not.toBeNull();
  }
});

describe.each(['/api/login', '/api/auth/google'])('a repeated sign-in by %s', (start) => {
  const ANSWERS: [string, string, JWTPayload, number][] = [
    ['of one minute ago permits', '?again=true', { auth_time: now() - 60 }, 202],
    ['of six minutes ago does not permit', '?again=true', { auth_time: now() - 360 }, 403],
    ['of an unknown time permits', '?again=true', {}, 202],
    ['of an unknown time that was not requested does not permit', '', {}, 403],
    ['of a minute ago permits, though not requested,', '', { auth_time: now() - 60 }, 202],
  ];
  it.each(ANSWERS)('%s security changes', async (_what, query, time, status) => {
    const [sub, email] = [randomUUID(), newEmail()];
    const api = { sub, email, email_verified: true, first_name: 'Ada' };
    userinfo = api;
    const { browser } = await goAndReturn((nonce) => sign(claimsOf(nonce, { ...api, ...time })), {
      start: start + query,
    });
    const { token } = (await (await complete(browser)).json()) as TokenResult;
    const answer = await visitor(web.url).as(token).call('DELETE', '/auth/user', {});
    expect(answer.status).toBe(status);
  });

  it('is requested with prompt=login and max_age=0, an ordinary one is not', async () => {
    const parametersOf = async (query: string) => {
      const answer = await new TestBrowser().go(web.url + start + query);
      const { searchParams } = new URL(answer.headers.get('location') ?? '');
      return [searchParams.get('prompt'), searchParams.get('max_age')];
    };
    expect(await parametersOf('?again=true')).toEqual(['login', '0']);
    expect(await parametersOf('')).toEqual([null, null]);
  });
});
