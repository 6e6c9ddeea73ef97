import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { GoogleStart, TokenResult, User } from '../src/contract/auth.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import { ownDatabase, startProcess } from './processes.ts';
import { TestBrowser } from './test-browser.ts';
import { newEmail, visitor } from './visitor.ts';

const CLIENT_ID = 'google-client';
const MINUTE = 60;

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

let url: string;
let issuer: string;
let key: Key;
let publicKey: string;
let us: ReturnType<typeof visitor>;
/** Whether Google's servers answer. */
let awake = true;

beforeAll(async () => {
  const pair = await generateKeyPair('RS256', { extractable: true });
  key = pair.privateKey;
  publicKey = await exportSPKI(pair.publicKey);
  const keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256' }] };
  // Google's discovery document and key set.
  const google = createServer((req, res) => {
    const endpoint = (path: string) => `${issuer}${path}`;
    const discovery = {
      issuer,
      jwks_uri: endpoint('/keys'),
      authorization_endpoint: endpoint('/auth'),
      token_endpoint: endpoint('/token'),
      userinfo_endpoint: endpoint('/userinfo'),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
    res.writeHead(awake ? 200 : 503, { 'content-type': 'application/json' });
    res.end(JSON.stringify(req.url === '/keys' ? keys : discovery));
  }).listen(0, '127.0.0.1');
  await once(google, 'listening');
  issuer = `http://127.0.0.1:${(google.address() as AddressInfo).port}`;
  const web = await startProcess('web', {
    env: {
      MONGODB_URI: ownDatabase(),
      RATE_LIMITS: 'false',
      GOOGLE_CLIENT_ID: CLIENT_ID,
      GOOGLE_ISSUER: issuer,
    },
  });
  url = web.url;
  us = visitor(url);
  return () => {
    google.closeAllConnections();
    google.close();
  };
});

const start = async (browser: TestBrowser) => {
  const answer = await browser.go(`${url}/api/auth/google/start`, { method: 'POST' });
  return (await answer.json()) as GoogleStart;
};

const now = () => Math.floor(Date.now() / 1_000);

/** Google's claims about a new user. */
const claimsFor = (nonce: string, claims: JWTPayload = {}): JWTPayload => ({
  iss: issuer,
  aud: CLIENT_ID,
  sub: randomUUID(),
  email: newEmail(),
  email_verified: true,
  given_name: 'Ada',
  family_name: 'Lovelace',
  nonce,
  iat: now(),
  exp: now() + 5 * MINUTE,
  ...claims,
});

const sign = (claims: JWTPayload, by: Key = key, header: object = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(by);

const present = async (browser: TestBrowser, credential: unknown) => {
  const answer = await browser.go(`${url}/api/auth/google`, {
    method: 'POST',
    json: { credential },
  });
  return { status: answer.status, body: (await answer.json()) as TokenResult & ErrorBody };
};

/** Presents the credential that `make` builds from a nonce of the same browser. */
async function tryWith(make: (nonce: string) => Promise<string> | string) {
  const browser = new TestBrowser();
  const { nonce } = await start(browser);
  return present(browser, await make(nonce));
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a credential from Google', () => {
  it('signs in, makes the account, and finds it the next time', async () => {
    const sub = randomUUID();
    const email = newEmail();
    const { status, body } = await tryWith((nonce) => sign(claimsFor(nonce, { sub, email })));
    expect(status).toBe(200);
    const user = (await us.as(body.token).get<User>('/auth/user')).body;
    expect(user).toMatchObject({
      email,
      emailVerified: true,
      firstName: 'Ada',
      signInProviders: ['google'],
    });
    const again = await tryWith((nonce) => sign(claimsFor(nonce, { sub, email })));
    expect((await us.as(again.body.token).get<User>('/auth/user')).body.id).toBe(user.id);
  });

  it('has the settings of the widget, without sign-in by redirect', async () => {
    expect(await start(new TestBrowser())).toEqual({
      clientId: CLIENT_ID,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      redirect: false,
    });
  });

  it.each<[string, (nonce: string) => Promise<string> | string]>([
    [
      'that has expired',
      (nonce) => sign(claimsFor(nonce, { iat: now() - 2 * MINUTE, exp: now() - MINUTE })),
    ],
    ['without an end', (nonce) => sign(withoutEnd(claimsFor(nonce)))],
    ['for another product', (nonce) => sign(claimsFor(nonce, { aud: 'another' }))],
    ['of another issuer', (nonce) => sign(claimsFor(nonce, { iss: 'https://evil.example' }))],
    ['for another browser', () => sign(claimsFor('another nonce'))],
    ['for no browser', () => sign(withoutNonce(claimsFor('')))],
    [
      'that is not signed',
      (nonce) => `${encode({ alg: 'none', kid: 'one' })}.${encode(claimsFor(nonce))}.`,
    ],
    [
      'that is signed with the public key as if it were a secret',
      (nonce) => forge(claimsFor(nonce)),
    ],
    [
      'that is signed with another key',
      async (nonce) => sign(claimsFor(nonce), (await generateKeyPair('RS256')).privateKey),
    ],
    [
      'of a key that Google does not have',
      async (nonce) =>
        sign(claimsFor(nonce), (await generateKeyPair('RS256')).privateKey, { kid: 'two' }),
    ],
    ['that is none', () => 'not a token'],
  ])('%s is refused', async (_what, make) => {
    const { status, body } = await tryWith(make);
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
    expect(body.message).toContain('Google');
  });

  it('about an address that Google has not verified is refused with a hint what to do', async () => {
    for (const verified of [false, undefined, 'true']) {
      const { status, body } = await tryWith((nonce) =>
        sign(claimsFor(nonce, { email_verified: verified })),
      );
      expect([status, body.code]).toEqual([403, 'email_unverified']);
    }
  });

  it('permits no security change, because the widget asks for no new sign-in', async () => {
    const { body } = await tryWith((nonce) => sign(claimsFor(nonce)));
    const answer = await us.as(body.token).call('DELETE', '/auth/user', {});
    expect(answer).toMatchObject({ status: 403, body: { code: 'reauthentication_required' } });
  });

  it('works once, in the browser for which it was made', async () => {
    const browser = new TestBrowser();
    const { nonce } = await start(browser);
    const credential = await sign(claimsFor(nonce));
    const other = new TestBrowser();
    expect((await present(other, credential)).status).toBe(401);
    await start(other);
    expect((await present(other, credential)).status).toBe(401);
    expect((await present(browser, credential)).status).toBe(200);
    expect((await present(browser, credential)).status).toBe(401);
  });

  it('works in each of two tabs of a browser', async () => {
    const browser = new TestBrowser();
    const nonces = [await start(browser), await start(browser)].map(({ nonce }) => nonce);
    for (const nonce of nonces)
      expect((await present(browser, await sign(claimsFor(nonce)))).status).toBe(200);
  });

  it('must be a text of limited length', async () => {
    for (const wrong of [undefined, 7, { $gt: '' }, '', 'x'.repeat(8_193)])
      expect((await present(new TestBrowser(), wrong)).status).toBe(422);
  });
});

it('lets the widget into pages where Google is configured, and nothing of Google elsewhere', async () => {
  const plain = await startProcess('web', { env: { MONGODB_URI: ownDatabase() } });
  const headersOf = async (site: string) => (await fetch(`${site}/api/health/live`)).headers;
  const policy = (headers: Headers) => headers.get('content-security-policy') ?? '';
  const [withGoogle, without] = [await headersOf(url), await headersOf(plain.url)];
  expect(policy(withGoogle)).toContain('https://accounts.google.com/gsi/client');
  expect(policy(withGoogle)).not.toMatch(/script-src[^;]*unsafe/);
  expect(withGoogle.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups');
  expect(policy(without)).not.toContain('google');
  expect(without.get('cross-origin-opener-policy')).toBe('same-origin');
});

it('answers unavailable while Google does not answer, and works later', async () => {
  const web = await startProcess('web', {
    env: { MONGODB_URI: ownDatabase(), GOOGLE_CLIENT_ID: CLIENT_ID, GOOGLE_ISSUER: issuer },
  });
  url = web.url;
  awake = false;
  const away = await tryWith((nonce) => sign(claimsFor(nonce)));
  expect([away.status, away.body.code]).toEqual([503, 'unavailable']);
  awake = true;
  expect((await tryWith((nonce) => sign(claimsFor(nonce)))).status).toBe(200);
});

const withoutEnd = (claims: JWTPayload) => Object.assign(claims, { exp: undefined });
const withoutNonce = (claims: JWTPayload) => Object.assign(claims, { nonce: undefined });

/** The classic confusion of algorithms: an HMAC with a public key. */
function forge(claims: JWTPayload): string {
  const content = `${encode({ alg: 'HS256', kid: 'one' })}.${encode(claims)}`;
  return `${content}.${createHmac('sha256', publicKey).update(content).digest('base64url')}`;
}
