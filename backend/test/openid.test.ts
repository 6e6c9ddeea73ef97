import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../embedded/run/ports.ts';
import type { TokenResult, User } from '../src/contract/auth.ts';
import type { Conversation } from '../src/contract/conversations.ts';
import { mailbox, tokenIn } from './mailbox.ts';
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';
import { ownDatabase, startProcess, startRedis, temporaryFolder } from './processes.ts';
import { TestBrowser } from './test-browser.ts';
import { newEmail, PASSWORD, visitor } from './visitor.ts';

let provider: OpenIdProvider;
let url: string;
let us: ReturnType<typeof visitor>;
let mail: ReturnType<typeof mailbox>;
let output: () => string;
let settings: Record<string, string>;

beforeAll(async () => {
  const [port, redis, dataDir] = await Promise.all([freePort(), startRedis(), temporaryFolder()]);
  url = `http://127.0.0.1:${port}`;
  provider = await startOpenIdProvider([
    { clientId: 'replit-client', redirectUri: `${url}/api/login/callback` },
    {
      clientId: 'google-client',
      clientSecret: 'google-secret',
      redirectUri: `${url}/api/auth/google/callback`,
    },
  ]);
  settings = {
    MONGODB_URI: ownDatabase(),
    REDIS_URL: redis.url,
    DATA_DIR: dataDir,
    PUBLIC_URL: url,
    RATE_LIMITS: 'false',
    LOG_LEVEL: 'debug',
  };
  const env = {
    ...settings,
    PORT: String(port),
    REPLIT_ISSUER: provider.issuer,
    REPLIT_CLIENT_ID: 'replit-client',
    GOOGLE_ISSUER: provider.issuer,
    GOOGLE_CLIENT_ID: 'google-client',
    GOOGLE_CLIENT_SECRET: 'google-secret',
  };
  const [web] = await Promise.all([startProcess('web', { env }), startProcess('worker', { env })]);
  us = visitor(url);
  mail = mailbox(dataDir);
  output = () => web.output();
});

/** Registers a user at the provider. */
function known(claims: Record<string, string | boolean> = {}) {
  const subject = randomUUID();
  const email = newEmail();
  provider.people.set(subject, {
    email,
    email_verified: true,
    first_name: 'Ada',
    last_name: 'Lovelace',
    ...claims,
  });
  return { subject, email };
}

const back = ({ origin, pathname }: URL) => origin === url && pathname === '/login';
const callback = ({ origin, pathname }: URL) => origin === url && pathname.endsWith('/callback');

/** Follows the redirect to the provider's page. */
async function leave(browser: TestBrowser, start: string) {
  const from = `${url}${start}`;
  return browser.follow(await browser.go(from), { from, until: back });
}

interface Options {
  browser?: TestBrowser;
  /** Where to stop; by default at /login. */
  until?: (address: URL) => boolean;
}

/** Signs in at the provider as `subject`, consents, and returns. */
async function signInAt(start: string, subject: string, options: Options = {}) {
  const { browser = new TestBrowser(), until = back } = options;
  let page = (await leave(browser, start)).address;
  for (const form of [{ prompt: 'login', login: subject, password: 'x' }, { prompt: 'consent' }]) {
    if (!page.href.startsWith(provider.issuer)) break;
    const answer = await browser.go(page.href, { method: 'POST', form: { ...form } });
    page = (await browser.follow(answer, { from: page.href, until })).address;
  }
  return { browser, address: page };
}

const complete = async (browser: TestBrowser) => {
  const response = await browser.go(`${url}/api/auth/complete`, { method: 'POST' });
  return { status: response.status, body: (await response.json()) as TokenResult };
};

/** The complete sign-in, up to the account. */
async function account(start: string, subject: string, browser?: TestBrowser) {
  const arrived = await signInAt(start, subject, browser ? { browser } : {});
  expect(arrived.address.search).toBe('?continue=true');
  const { body } = await complete(arrived.browser);
  const api = us.as(body.token);
  return { api, user: (await api.get<User>('/auth/user')).body };
}

const deletion = (api: ReturnType<typeof us.as>) =>
  api.call<{ code: string }>('DELETE', '/auth/user', {});

describe.each([
  ['Replit', '/api/login', 'replit'],
  ['Google by redirect', '/api/auth/google', 'google'],
] as const)('signing in with %s', (_name, start, name) => {
  it('makes an account with a verified address, and finds it the next time', async () => {
    const { subject, email } = known(
      name === 'google' ? { given_name: 'Ada', family_name: 'Lovelace' } : {},
    );
    const { user } = await account(start, subject);
    expect(user).toMatchObject({
      email,
      emailVerified: true,
      firstName: 'Ada',
      lastName: 'Lovelace',
      signInProviders: [name],
      hasPassword: false,
    });
    expect((await account(start, subject)).user.id).toBe(user.id);
  });

  it('finds the account by the subject, not by an address that has changed at the provider', async () => {
    const { subject } = known();
    const { user } = await account(start, subject);
    provider.people.set(subject, { email: newEmail(), email_verified: false });
    expect((await account(start, subject)).user).toEqual(user);
  });

  it('keeps the conversations of the guest who signs in', async () => {
    const browser = new TestBrowser();
    const { token } = (await (
      await browser.go(`${url}/api/auth/guest`, { method: 'POST' })
    ).json()) as TokenResult;
    const guest = us.as(token);
    const conversation = await guest.conversation();
    const { api, user } = await account(start, known().subject, browser);
    expect(user.subscriptionStatus).toBeNull();
    const list = (await api.get<Conversation[]>('/conversations')).body;
    expect(list.map(({ id }) => id)).toEqual([conversation]);
    expect((await guest.get('/auth/user')).status).toBe(401);
  });

  it('is linked to an account that has verified the same address, and its user is notified', async () => {
    const { subject, email } = known();
    const { api } = await us.member(email);
    const token = tokenIn(await mail.mail(email, 'Confirm'));
    await api.post('/auth/email/confirm', { token });
    const own = (await api.get<User>('/auth/user')).body;
    const { user } = await account(start, subject);
    expect(user).toEqual({ ...own, signInProviders: [name] });
    await mail.mail(email, 'provider was linked');
  });

  it("takes the address of an unverified account, and none of its holder's data", async () => {
    const { subject, email } = known();
    const { api: intruder } = await us.member(email);
    const conversation = await intruder.conversation();
    const { api, user } = await account(start, subject);
    expect(user).toMatchObject({ email, emailVerified: true, hasPassword: false });
    expect((await intruder.get('/auth/user')).status).toBe(401);
    expect((await us.signIn(email)).status).toBe(401);
    expect((await api.get<Conversation[]>('/conversations')).body).toEqual([]);
    expect((await api.get(`/conversations/${conversation}/messages`)).status).toBe(404);
  });

  it('keeps the password of a user who verifies their own account by it', async () => {
    const { subject, email } = known();
    const browser = new TestBrowser();
    await browser.go(`${url}/api/auth/register`, {
      method: 'POST',
      json: { email, password: PASSWORD },
    });
    const { user } = await account(start, subject, browser);
    expect(user).toMatchObject({ email, emailVerified: true, hasPassword: true });
    expect((await us.signIn(email)).status).toBe(200);
  });

  it('is refused when the account is linked to another subject, which stays', async () => {
    const { subject, email } = known();
    const { user } = await account(start, subject);
    const { subject: second } = known({ email });
    const { address } = await signInAt(start, second);
    expect(address.search).toBe('?error=provider_conflict');
    expect((await account(start, subject)).user.id).toBe(user.id);
  });

  it('permits security changes after a new sign-in there, not after an older one', async () => {
    const { subject } = known();
    const browser = new TestBrowser();
    const { api } = await account(start, subject, browser);
    expect((await deletion(api)).status).toBe(403);
    // The provider knows this browser and shows no page.
    const { address } = await leave(browser, start);
    expect(address.search).toBe('?continue=true');
    const silent = us.as((await complete(browser)).body.token);
    expect((await deletion(silent)).body).toMatchObject({ code: 'reauthentication_required' });
    const asked = await leave(browser, `${start}?again=true`);
    expect(asked.address.href).toContain(provider.issuer);
    const { api: proven } = await account(`${start}?again=true`, subject, browser);
    expect((await deletion(proven)).status).toBe(202);
  });

  it('signs nobody in to another account who proves the identity of the session', async () => {
    const browser = new TestBrowser();
    const own = { email: newEmail(), password: PASSWORD };
    await browser.go(`${url}/api/auth/register`, { method: 'POST', json: own });
    const { subject, email } = known();
    const { address } = await signInAt(`${start}?again=true`, subject, { browser });
    expect(address.search).toBe('?error=other_account');
    const user = await browser.go(`${url}/api/auth/user`);
    expect(await user.json()).toMatchObject({ email: own.email });
    // No account was made for it.
    expect((await us.register({ email })).status).toBe(200);
  });

  it('issues no session when the password was reset meanwhile', async () => {
    const { subject, email } = known();
    await account(start, subject);
    const { browser } = await signInAt(start, subject);
    await us.post('/auth/password/forgot', { email });
    const token = tokenIn(await mail.mail(email, 'new password'));
    await us.post('/auth/password/reset', { token, password: PASSWORD });
    expect((await complete(browser)).status).toBe(401);
  });

  it('is refused while the provider has not verified the address', async () => {
    const { subject } = known({ email_verified: false });
    const { address } = await signInAt(start, subject);
    expect(address.search).toBe('?error=email_unverified');
  });

  it('reports that the user cancelled', async () => {
    const browser = new TestBrowser();
    const { address } = await leave(browser, start);
    const from = `${address.href}/abort`;
    const { address: end } = await browser.follow(await browser.go(from), { from, until: back });
    expect(end.search).toBe('?error=cancelled');
    expect((await complete(browser)).status).toBe(401);
  });

  it('is bound to the browser that began it, and works once', async () => {
    const { subject } = known();
    const { browser, address } = await signInAt(start, subject, { until: callback });
    const other = new TestBrowser();
    const errorOf = async (visitor: TestBrowser, href = address.href) =>
      new URL((await visitor.go(href)).headers.get('location') ?? '', url).search;
    // Another browser gets the callback URL, as in an attack that signs a user in to the attacker's account.
    expect(await errorOf(other)).toBe('?error=expired');
    // Another browser that began a sign-in itself.
    await leave(other, start);
    expect(await errorOf(other)).toBe('?error=expired');
    expect(await errorOf(browser)).toBe('?continue=true');
    expect(await errorOf(browser)).toBe('?error=expired');
  });

  it('works in each of two tabs of a browser that began it, whichever returns first', async () => {
    const { subject } = known();
    const { browser, address: first } = await signInAt(start, subject, { until: callback });
    // The user is signed in at the provider now.
    const from = `${url}${start}`;
    const begun = await browser.go(from);
    const { address: second } = await browser.follow(begun, { from, until: callback });
    for (const { href } of [first, second]) {
      const answer = await browser.go(href);
      expect(answer.headers.get('location')).toBe('/login?continue=true');
    }
  });

  it('is refused with an unknown state, without one, and with an invalid code', async () => {
    const returns = async (change: (address: URL) => void) => {
      const { subject } = known();
      const { browser, address } = await signInAt(start, subject, { until: callback });
      change(address);
      const answer = await browser.go(address.href);
      return new URL(answer.headers.get('location') ?? '', url).search;
    };
    expect(await returns(({ searchParams }) => searchParams.set('state', 'other'))).toBe(
      '?error=expired',
    );
    expect(await returns(({ searchParams }) => searchParams.delete('state'))).toBe(
      '?error=expired',
    );
    expect(await returns(({ searchParams }) => searchParams.set('code', 'x'))).toBe(
      '?error=failed',
    );
    expect(await returns(({ searchParams }) => searchParams.delete('code'))).toBe('?error=failed');
  });

  it('returns the token once, to the browser of the callback', async () => {
    const { browser } = await signInAt(start, known().subject);
    expect((await complete(new TestBrowser())).status).toBe(401);
    expect((await complete(browser)).status).toBe(200);
    expect((await complete(browser)).status).toBe(401);
  });

  it('returns the token to nobody who has set a cookie in this browser before', async () => {
    const [browser, attacker] = [new TestBrowser(), new TestBrowser()];
    for (const each of [browser, attacker]) each.plant(url, 'stolas_proof', 'known');
    await signInAt(start, known().subject, { browser });
    expect((await complete(attacker)).status).toBe(401);
    expect((await complete(browser)).status).toBe(200);
  });
});

it('both providers of one user lead to one account', async () => {
  const { subject } = known();
  const { user } = await account('/api/login', subject);
  const both = await account('/api/auth/google', subject);
  expect(both.user).toEqual({ ...user, signInProviders: ['google', 'replit'] });
});

it('two callbacks at the same time create one account', async () => {
  const { subject } = known();
  const arrivals = await Promise.all(
    ['/api/login', '/api/auth/google'].map((start) =>
      signInAt(start, subject, { until: callback }),
    ),
  );
  await Promise.all(arrivals.map(({ browser, address }) => browser.go(address.href)));
  const users = await Promise.all(
    arrivals.map(async ({ browser }) => {
      const { body } = await complete(browser);
      return (await us.as(body.token).get<User>('/auth/user')).body.id;
    }),
  );
  expect(new Set(users).size).toBe(1);
});

it('a provider that is not configured or not reachable gives an error code on the sign-in page', async () => {
  const away = await startProcess('web', {
    env: { ...settings, REPLIT_ISSUER: 'http://127.0.0.1:9', REPLIT_CLIENT_ID: 'x' },
  });
  const { call } = visitor(away.url);
  const errorAt = async (path: string) => (await call('GET', path)).headers.get('location');
  expect(await errorAt('/login')).toBe('/login?error=replit_unavailable');
  expect(await errorAt('/auth/google')).toBe('/login?error=google_unavailable');
  expect(await errorAt('/auth/google/callback?code=x')).toBe('/login?error=google_unavailable');
  for (const path of ['/auth/google', '/auth/google/start']) {
    const { status, body } = await call('POST', path, { body: { credential: 'x' } });
    expect([status, body.message]).toEqual([404, expect.stringContaining('Google')]);
  }
});

it('the log contains no code, state or email address of a sign-in', async () => {
  const { subject, email } = known();
  const { browser, address } = await signInAt('/api/login', subject, { until: callback });
  await browser.go(address.href);
  await expect.poll(output).toContain('/login/callback');
  const secrets = [
    email,
    ...['code', 'state'].map((name) => address.searchParams.get(name) ?? '-'),
  ];
  for (const secret of secrets) expect(output()).not.toContain(secret);
});
