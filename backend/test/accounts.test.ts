import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TokenResult, User } from '../src/contract/auth.ts';
import type { Conversation } from '../src/contract/conversations.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import { ownDatabase, startProcess, type TestProcess } from './processes.ts';
import type { Answer } from './stack.ts';
import { newEmail, PASSWORD, visitor } from './visitor.ts';

let web: TestProcess;

let register: ReturnType<typeof visitor>['register'];
let signIn: ReturnType<typeof visitor>['signIn'];
let guest: ReturnType<typeof visitor>['guest'];
let call: ReturnType<typeof visitor>['call'];
let as: ReturnType<typeof visitor>['as'];

beforeAll(async () => {
  web = await startProcess('web', {
    env: { MONGODB_URI: ownDatabase(), RATE_LIMITS: 'false', LOG_LEVEL: 'debug' },
  });
  ({ register, signIn, guest, call, as } = visitor(web.url));
});

const NO_SESSION: Record<string, string>[] = [
  {},
  { authorization: 'Bearer made-up' },
  { cookie: 'stolas_session=x' },
];

const cookieOf = ({ headers }: Answer<unknown>) => headers.getSetCookie()[0]?.split(';')[0] ?? '';

describe('registering', () => {
  it('creates an account and signs in to it', async () => {
    const email = newEmail();
    const { status, body } = await register({ email: email.toUpperCase() });
    expect(status).toBe(200);
    const user = await as(body.token).get<User>('/auth/user');
    expect(user.body).toMatchObject({
      email,
      firstName: 'Ada',
      lastName: 'L',
      subscriptionStatus: null,
      subscriptionPlan: null,
    });
    expect(JSON.stringify(user.body)).not.toMatch(/passwordHash|argon2/);
  });

  it('turns a guest into a user who keeps the conversations, and ends the guest session', async () => {
    const visitor = await guest();
    const { id } = (await visitor.get<User>('/auth/user')).body;
    const conversation = await visitor.conversation();
    const { body } = await register({}, { authorization: `Bearer ${visitor.token}` });
    const member = as(body.token);
    expect((await member.get<User>('/auth/user')).body).toMatchObject({
      id,
      subscriptionStatus: null,
    });
    const list = (await member.get<Conversation[]>('/conversations')).body;
    expect(list.map((one) => one.id)).toEqual([conversation]);
    expect((await visitor.get('/auth/user')).status).toBe(401);
  });

  it('is refused for an address that has an account, which stays unchanged', async () => {
    const email = newEmail();
    const owner = as((await register({ email })).body.token);
    const own = (await owner.get<User>('/auth/user')).body;
    const { status, body, headers } = await register({
      email: email.toUpperCase(),
      password: 'of a stranger here',
    });
    expect([status, body.code]).toEqual([409, 'email_taken']);
    expect(headers.getSetCookie()).toEqual([]);
    expect((await owner.get<User>('/auth/user')).body).toEqual(own);
    expect((await signIn(email, 'of a stranger here')).status).toBe(401);
    expect((await signIn(email)).status).toBe(200);
  });

  it('names the wrong field', async () => {
    for (const [fields, field] of [
      [{ email: 'not an address' }, 'email'],
      [{ password: 'short' }, 'password'],
      [{ password: 'x'.repeat(129) }, 'password'],
      [{ password: 'Password123' }, 'password'],
      [{ email: 'ada.lovelace@example.com', password: 'ada.lovelace' }, 'password'],
      [{ email: { $gt: '' } }, 'email'],
      [{ firstName: 7 }, 'firstName'],
    ] as const) {
      const { status, body } = await register(fields);
      expect([status, body.code, body.details?.field]).toEqual([422, 'invalid_field', field]);
    }
  });

  it('ignores plan, role and id in the body', async () => {
    const { body } = await register({
      subscriptionStatus: 'active',
      subscriptionPlan: 'pro',
      id: '000000000000000000000000',
      _id: '000000000000000000000000',
    });
    const { body: user } = await as(body.token).get<User>('/auth/user');
    expect([user.subscriptionStatus, user.subscriptionPlan]).toEqual([null, null]);
    expect(user.id).not.toBe('000000000000000000000000');
  });
});

describe('signing in', () => {
  it('works with the right password, and otherwise does not reveal what was wrong', async () => {
    const email = newEmail();
    await register({ email });
    const right = await call<TokenResult>('POST', '/auth/login', {
      body: { email: ` ${email}`.trim().toUpperCase(), password: PASSWORD },
    });
    expect(right.status).toBe(200);
    expect((await as(right.body.token).get<User>('/auth/user')).body.email).toBe(email);
    const wrong = await call('POST', '/auth/login', { body: { email, password: 'wrong one' } });
    const unknown = await call('POST', '/auth/login', {
      body: { email: newEmail(), password: 'wrong one' },
    });
    expect([wrong.status, wrong.body]).toEqual([unknown.status, unknown.body]);
    expect([wrong.status, wrong.body.code]).toEqual([401, 'unauthenticated']);
  });

  it('is not possible with operators in place of values', async () => {
    const { status } = await call('POST', '/auth/login', {
      body: { email: { $ne: null }, password: { $ne: null } },
    });
    expect(status).toBe(422);
  });
});

describe('a session', () => {
  it('belongs to a new guest at each guest start', async () => {
    const [a, b] = [await guest(), await guest()];
    const [one, two] = await Promise.all([a.get<User>('/auth/user'), b.get<User>('/auth/user')]);
    expect(one.body.subscriptionStatus).toBe('guest');
    expect(one.body.demo).toMatchObject({ messagesLeft: 20, tokensLeft: 100_000 });
    expect(one.body.id).not.toBe(two.body.id);
  });

  it.each([
    ['header', (token: string) => ({ authorization: `Bearer ${token}` })],
    ['cookie', (token: string) => ({ cookie: `stolas_session=${token}` })],
  ])('of a guest continues at the next guest start, presented by %s', async (_by, headersOf) => {
    const ada = await guest();
    const conversation = await ada.conversation();
    const { id } = (await ada.get<User>('/auth/user')).body;
    const headers = headersOf(ada.token);
    const again = as((await call<TokenResult>('POST', '/auth/guest', { headers })).body.token);
    expect((await again.get<User>('/auth/user')).body.id).toBe(id);
    expect(await again.messages(conversation)).toEqual([]);
  });

  it('that has ended, or of a registered user, leads to no former guest', async () => {
    const ada = await guest();
    await ada.post('/auth/signout');
    const { token: registered } = (await register()).body;
    for (const token of [ada.token, registered]) {
      const headers = { authorization: `Bearer ${token}` };
      const { body } = await call<TokenResult>('POST', '/auth/guest', { headers });
      const { body: user } = await as(body.token).get<User>('/auth/user');
      expect(user).toMatchObject({ subscriptionStatus: 'guest', demo: { messagesLeft: 20 } });
    }
  });

  it('ends at once and permanently with sign-out', async () => {
    const anna = await guest();
    expect((await anna.post('/auth/signout')).status).toBe(200);
    const after = await anna.get<ErrorBody>('/auth/user');
    expect([after.status, after.body.code]).toEqual([401, 'unauthenticated']);
    expect((await anna.post('/auth/signout')).status).toBe(200);
  });

  it('ends when its browser signs in again, whether presented by header or cookie', async () => {
    const email = newEmail();
    await register({ email });
    const login = { email, password: PASSWORD };
    for (const present of [
      (token: string) => ({ authorization: `Bearer ${token}` }),
      (token: string) => ({ cookie: `stolas_session=${token}`, origin: web.url }),
    ]) {
      const { token } = (await signIn(email)).body;
      const headers: Record<string, string> = present(token);
      const again = await call<TokenResult>('POST', '/auth/login', { body: login, headers });
      expect((await as(token).get('/auth/user')).status).toBe(401);
      expect((await as(again.body.token).get('/auth/user')).status).toBe(200);
    }
  });

  it('ends without ending other sessions of the account', async () => {
    const email = newEmail();
    const first = as((await register({ email })).body.token);
    const login = { body: { email, password: PASSWORD } };
    const second = as((await call<TokenResult>('POST', '/auth/login', login)).body.token);
    await first.post('/auth/signout');
    expect((await second.get('/auth/user')).status).toBe(200);
  });

  it('is required and must exist', async () => {
    for (const path of ['/auth/user', '/conversations'])
      for (const headers of NO_SESSION)
        expect((await call('GET', path, { headers })).status).toBe(401);
  });

  it('is in a cookie that scripts cannot read', async () => {
    const started = await call<TokenResult>('POST', '/auth/guest');
    const set = started.headers.getSetCookie()[0] ?? '';
    expect(set).toMatch(/^stolas_session=/);
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/'])
      expect(set).toContain(attribute);
    const user = await call<User>('GET', '/auth/user', { headers: { cookie: cookieOf(started) } });
    expect(user.body.subscriptionStatus).toBe('guest');
  });

  it('does not authorise a change by its cookie alone when another site makes the call', async () => {
    const cookie = cookieOf(await call<TokenResult>('POST', '/auth/guest'));
    const create = (headers: Record<string, string>) =>
      call('POST', '/conversations', { body: { title: 'Mine' }, headers: { cookie, ...headers } });
    expect((await create({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await create({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await create({ origin: web.url })).status).toBe(201);
  });
});

describe('the web process', () => {
  it('answers malformed input with a 4xx and a reason, and keeps running', async () => {
    const { token } = await guest();
    const headers = { authorization: `Bearer ${token}` };
    const post = (body: unknown, more: Record<string, string> = {}) =>
      call('POST', '/conversations', { body, headers: { ...headers, ...more } });
    const deep = `{"title":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const answers = {
      malformed: await post('{"title":'),
      notAnObject: await post('[1,2]'),
      deep: await post(deep),
      huge: await post(`{"title":"${'x'.repeat(10_000_000)}"}`),
      otherType: await post('title=x', { 'content-type': 'application/x-www-form-urlencoded' }),
      operator: await post({ title: { $gt: '' } }),
    };
    expect(
      Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status])),
    ).toEqual({
      malformed: 400,
      notAnObject: 422,
      deep: 422,
      huge: 413,
      otherType: 400,
      operator: 422,
    });
    for (const { body } of Object.values(answers)) expect(body.message).not.toBe('');
    expect((await call('GET', '/health/live')).status).toBe(200);
  });

  it('writes no secret into the log', async () => {
    const email = newEmail();
    const password = `secret-${randomUUID()}`;
    const { body } = await register({ email, password });
    await call('POST', '/auth/login', { body: { email, password: `${password}!` } });
    await as(body.token).get('/auth/user');
    await expect.poll(() => web.output()).toContain('/auth/user');
    for (const secret of [email, password, body.token]) expect(web.output()).not.toContain(secret);
  });

  it('serves pages that run only scripts of their own origin', async () => {
    const page = await fetch(`${web.url}/login`, { headers: { accept: 'text/html' } });
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('limits', () => {
  it('slow down guesses of a password increasingly, with Retry-After', async () => {
    const limited = await startProcess('web', {
      env: { MONGODB_URI: ownDatabase(), RATE_LIMITS: 'true', TRUST_PROXY: '1' },
    });
    const { call: ask, register: join } = visitor(limited.url);
    const email = newEmail();
    await join({ email });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const guess = (address: string, password: string = randomUUID()) =>
      ask('POST', '/auth/login', { body: { email, password }, headers: from(address) });
    // Five attempts are free; the sixth is admitted and begins a wait, so that the seventh is refused.
    const statuses: number[] = [];
    for (let n = 0; n < 7; n += 1) statuses.push((await guess('192.0.2.1')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429]);
    const refused = await guess('192.0.2.1', PASSWORD);
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // The user, at another IP address, is not locked out.
    expect((await guess('192.0.2.2', PASSWORD)).status).toBe(200);
  });

  it.each([
    ['registering', '/auth/register', 30],
    ['signing in', '/auth/login', 60],
    ['asking for links', '/auth/password/forgot', 20],
  ])('limit %s from one address, about any account', async (_what, path, points) => {
    const limited = await startProcess('web', {
      env: { MONGODB_URI: ownDatabase(), RATE_LIMITS: 'true', TRUST_PROXY: '1' },
    });
    const { call: ask } = visitor(limited.url);
    const headers = { 'x-forwarded-for': `2001:db8:${randomUUID().slice(0, 4)}::1` };
    const statuses = new Map<number, number>();
    // Malformed on purpose, because the limit comes before everything expensive.
    for (let n = 0; n < points + 1; n += 1) {
      const { status } = await ask('POST', path, { body: { email: newEmail() }, headers });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(statuses.get(429)).toBe(1);
  });

  it('are not cleared by a success on another account', async () => {
    const limited = await startProcess('web', {
      env: { MONGODB_URI: ownDatabase(), RATE_LIMITS: 'true', TRUST_PROXY: '1' },
    });
    const { call: ask, register: join } = visitor(limited.url);
    const headers = { 'x-forwarded-for': '192.0.2.9' };
    const [victim, own] = [newEmail(), newEmail()];
    for (const email of [victim, own]) await join({ email });
    const login = async (email: string, password: string) =>
      (await ask('POST', '/auth/login', { body: { email, password }, headers })).status;
    const statuses: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      statuses.push(await login(n % 2 ? victim.toUpperCase() : victim, randomUUID()));
      expect(await login(own, PASSWORD)).toBe(200);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429]);
  });

  it('slow down registrations of a known address, but not from other IP addresses', async () => {
    const limited = await startProcess('web', {
      env: { MONGODB_URI: ownDatabase(), RATE_LIMITS: 'true', TRUST_PROXY: '1' },
    });
    const { call: ask, register: join } = visitor(limited.url);
    const email = newEmail();
    await join({ email });
    const again = async (address: string) => {
      const body = { email, password: PASSWORD };
      const headers = { 'x-forwarded-for': address };
      return (await ask('POST', '/auth/register', { body, headers })).status;
    };
    const statuses: number[] = [];
    for (let n = 0; n < 7; n += 1) statuses.push(await again('192.0.2.1'));
    expect(statuses).toEqual([409, 409, 409, 409, 409, 409, 429]);
    expect(await again('192.0.2.2')).toBe(409);
    const body = { email, password: PASSWORD };
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    expect((await ask('POST', '/auth/login', { body, headers })).status).toBe(200);
  });
});
