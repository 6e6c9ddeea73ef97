import { Redis } from 'ioredis';
import { beforeAll, describe, expect, it } from 'vitest';
import type { MessageResult, TokenResult, User } from '../src/contract/auth.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import { mailbox, tokenIn } from './mailbox.ts';
import {
  ownDatabase,
  startProcess,
  startRedis,
  type TestProcess,
  temporaryFolder,
} from './processes.ts';
import type { ApiClient } from './stack.ts';
import { newEmail, PASSWORD, visitor } from './visitor.ts';

const NEW_PASSWORD = 'another long password';

let mail: ReturnType<typeof mailbox>;
let us: ReturnType<typeof visitor>;
let output: () => string;
let worker: TestProcess;
let redis: Redis;
let database: Connection;

beforeAll(async () => {
  const [queue, dataDir] = await Promise.all([startRedis(), temporaryFolder()]);
  const env = {
    MONGODB_URI: ownDatabase(),
    REDIS_URL: queue.url,
    DATA_DIR: dataDir,
    PUBLIC_URL: 'https://chat.example.org',
    RATE_LIMITS: 'false',
    LOG_LEVEL: 'debug',
  };
  const [web, started] = await Promise.all([
    startProcess('web', { env }),
    startProcess('worker', { env }),
  ]);
  worker = started;
  redis = new Redis(queue.url);
  database = await connectMongo(env.MONGODB_URI);
  mail = mailbox(dataDir);
  us = visitor(web.url);
  output = () => web.output() + worker.output();
  return async () => {
    redis.disconnect();
    await database.close();
  };
});

const userOf = async (api: ApiClient) => (await api.get<User>('/auth/user')).body;
const linkMailedTo = async (email: string, subject: string) =>
  tokenIn(await mail.mail(email, subject));
const confirm = (user: ApiClient, token: string) =>
  user.post<MessageResult & ErrorBody>('/auth/email/confirm', { token });

/** A registered user with a verified email address. */
async function confirmed() {
  const member = await us.member();
  await confirm(member.api, await linkMailedTo(member.email, 'Confirm'));
  return member;
}

describe('an email address', () => {
  it('is confirmed by the mailed link, once', async () => {
    const { email, api } = await us.member();
    expect(await userOf(api)).toMatchObject({ email, emailVerified: false });
    const letter = await mail.mail(email, 'Confirm');
    expect(letter).toContain('https://chat.example.org/verify-email#token=');
    expect((await confirm(api, tokenIn(letter))).status).toBe(200);
    expect(await userOf(api)).toMatchObject({ email, emailVerified: true });
    const again = await confirm(api, tokenIn(letter));
    expect([again.status, again.body.code]).toEqual([404, 'not_found']);
  });

  it('is not confirmed by a made-up link, or by one for a password', async () => {
    const { email, api } = await confirmed();
    await us.post('/auth/password/forgot', { email });
    for (const token of ['made-up', await linkMailedTo(email, 'new password')])
      expect((await confirm(api, token)).status).toBe(404);
    for (const body of [{}, { token: '' }, { token: { $gt: '' } }])
      expect((await us.post('/auth/email/confirm', body)).status).toBe(422);
  });

  it('gets another link on request, which ends the first', async () => {
    const { email, api } = await us.member();
    const first = await linkMailedTo(email, 'Confirm');
    expect((await api.post('/auth/email/resend')).status).toBe(200);
    await expect.poll(async () => (await mail.to(email)).length).toBe(2);
    expect((await confirm(api, first)).status).toBe(404);
    expect((await confirm(api, await linkMailedTo(email, 'Confirm'))).status).toBe(200);
  });

  it('is not confirmed by the link alone, without a session of the account or its password', async () => {
    const { email, api } = await us.member();
    const token = await linkMailedTo(email, 'Confirm');
    const { api: stranger } = await us.member();
    const elsewhere = (body: object) => us.post('/auth/email/confirm', body);
    for (const { status, body } of [await elsewhere({ token }), await confirm(stranger, token)])
      expect([status, body.code]).toEqual([403, 'reauthentication_required']);
    const wrong = await elsewhere({ token, password: 'not the password' });
    expect([wrong.status, wrong.body.details?.field]).toEqual([422, 'password']);
    expect((await userOf(api)).emailVerified).toBe(false);
    expect((await elsewhere({ token, password: PASSWORD })).status).toBe(200);
    expect((await userOf(api)).emailVerified).toBe(true);
  });

  it('has one account, verified or not, and the answer does not depend on the password', async () => {
    for (const { email } of [await us.member(), await confirmed()]) {
      const answers = [PASSWORD, NEW_PASSWORD].map(async (password) => {
        const { status, body } = await us.register({ email: email.toUpperCase(), password });
        return { status, body };
      });
      const refused = {
        status: 409,
        body: {
          code: 'email_taken',
          message: 'An account with this email already exists. Sign in or reset your password.',
        },
      };
      expect(await Promise.all(answers)).toEqual([refused, refused]);
    }
  });

  it('that another user registered first is taken over by the owner of the mailbox', async () => {
    const { email, api: intruder } = await us.member();
    const conversation = await intruder.conversation();
    await intruder.post('/auth/email', { email: newEmail(), currentPassword: PASSWORD });
    await us.post('/auth/password/forgot', { email });
    const token = await linkMailedTo(email, 'new password');
    const { body } = await us.post<TokenResult>('/auth/password/reset', {
      token,
      password: NEW_PASSWORD,
    });
    const owner = us.as(body.token);
    expect(await userOf(owner)).toMatchObject({ email, emailVerified: true, pendingEmail: null });
    expect((await intruder.get('/auth/user')).status).toBe(401);
    expect((await us.signIn(email)).status).toBe(401);
    expect((await owner.get(`/conversations/${conversation}/messages`)).status).toBe(404);
    expect(body.message).toMatch(/your account starts empty\.$/);
  });

  it('that its own user proves by a reset stays with the account and its content', async () => {
    const { email, api } = await us.member();
    const conversation = await api.conversation();
    await us.post('/auth/password/forgot', { email });
    const token = await linkMailedTo(email, 'new password');
    const { body } = await api.post<TokenResult>('/auth/password/reset', {
      token,
      password: NEW_PASSWORD,
    });
    const own = us.as(body.token);
    expect(await userOf(own)).toMatchObject({ email, emailVerified: true });
    expect(await own.messages(conversation)).toEqual([]);
    expect(body.message).toBe('Your new password is set.');
  });

  it('is changed once the new one is confirmed; the old one is notified and stays until then', async () => {
    const { email, api } = await confirmed();
    const next = newEmail();
    const change = (currentPassword?: string) =>
      api.post<ErrorBody>('/auth/email', { email: next, currentPassword });
    for (const wrong of [undefined, 'not the password']) {
      const { status, body } = await change(wrong);
      expect([status, body.details?.field]).toEqual([422, 'currentPassword']);
    }
    expect((await change(PASSWORD)).status).toBe(200);
    expect(await userOf(api)).toMatchObject({ email, pendingEmail: next, emailVerified: true });
    await mail.mail(email, 'is about to change');
    await confirm(api, await linkMailedTo(next, 'Confirm'));
    await mail.mail(next, 'was changed');
    await mail.mail(email, 'was replaced');
    expect(await userOf(api)).toMatchObject({
      email: next,
      pendingEmail: null,
      emailVerified: true,
    });
    expect((await us.signIn(email)).status).toBe(401);
    expect((await us.signIn(next)).status).toBe(200);
  });

  it('of another user is not taken over by a change to it', async () => {
    const { email: taken } = await confirmed();
    const { email, api } = await confirmed();
    const change = { email: taken, currentPassword: PASSWORD };
    const { status, body } = await api.post<ErrorBody>('/auth/email', change);
    expect([status, body.code]).toEqual([409, 'email_taken']);
    expect(await userOf(api)).toMatchObject({ email, pendingEmail: null });
  });
});

describe('a forgotten password', () => {
  it('is replaced by the mailed link, which signs in, ends every other session and is reported', async () => {
    const { email, api } = await us.member();
    await us.post('/auth/password/forgot', { email: email.toUpperCase() });
    const letter = await mail.mail(email, 'new password');
    expect(letter).toContain('https://chat.example.org/reset-password#token=');
    const reset = (password: string) =>
      us.post<TokenResult & ErrorBody>('/auth/password/reset', {
        token: tokenIn(letter),
        password,
      });
    // A rejected password does not use up the link.
    for (const weak of ['short', 'password1']) expect((await reset(weak)).status).toBe(422);
    const { status, body } = await reset(NEW_PASSWORD);
    expect(status).toBe(200);
    expect(await userOf(us.as(body.token))).toMatchObject({ email, emailVerified: true });
    expect((await api.get('/auth/user')).status).toBe(401);
    expect((await us.signIn(email)).status).toBe(401);
    expect((await us.signIn(email, NEW_PASSWORD)).status).toBe(200);
    expect((await reset(NEW_PASSWORD)).status).toBe(404);
    await mail.mail(email, 'password was changed');
  });

  it('is answered in the same way for an address without an account', async () => {
    const { email } = await us.member();
    const known = await us.post('/auth/password/forgot', { email });
    const unknown = await us.post('/auth/password/forgot', { email: newEmail() });
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    expect(known.status).toBe(200);
    const { status } = await us.post('/auth/password/forgot', { email: { $ne: null } });
    expect(status).toBe(422);
  });

  it('cannot be replaced twice at once by one link', async () => {
    const { email } = await us.member();
    await us.post('/auth/password/forgot', { email });
    const token = await linkMailedTo(email, 'new password');
    const tries = await Promise.all(
      [1, 2, 3].map((n) =>
        us.post('/auth/password/reset', { token, password: `${NEW_PASSWORD} ${n}` }),
      ),
    );
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
  });
});

describe('the password', () => {
  it('is changed with the current one; other browsers are signed out, and the user is notified', async () => {
    const { email, api } = await confirmed();
    const other = us.as((await us.signIn(email)).body.token);
    const change = (body: object) => api.post<ErrorBody>('/auth/password', body);
    const wrong = await change({ currentPassword: 'not it', newPassword: NEW_PASSWORD });
    expect([wrong.status, wrong.body.details?.field]).toEqual([422, 'currentPassword']);
    const weak = await change({ currentPassword: PASSWORD, newPassword: 'iloveyou1' });
    expect([weak.status, weak.body.details?.field]).toEqual([422, 'newPassword']);
    expect((await other.get('/auth/user')).status).toBe(200);
    expect((await change({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD })).status).toBe(
      200,
    );
    expect((await api.get('/auth/user')).status).toBe(200);
    expect((await other.get('/auth/user')).status).toBe(401);
    expect((await us.signIn(email)).status).toBe(401);
    await mail.mail(email, 'password was changed');
  });
});

describe('the profile', () => {
  it('accepts names and nothing else', async () => {
    const { api } = await us.member();
    const before = await userOf(api);
    const { status, body } = await api.call<User>('PATCH', '/auth/user', {
      firstName: ' Grace ',
      email: 'other@example.com',
      emailVerified: true,
      subscriptionPlan: 'pro',
      subscriptionStatus: 'active',
      id: '000000000000000000000000',
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, firstName: 'Grace' });
    const long = await api.call<ErrorBody>('PATCH', '/auth/user', { lastName: 'x'.repeat(81) });
    expect([long.status, long.body.details?.field]).toEqual([422, 'lastName']);
  });

  it('is not for guests', async () => {
    const guest = await us.guest();
    for (const [method, path, body] of [
      ['PATCH', '/auth/user', { firstName: 'G' }],
      ['POST', '/auth/email', { email: newEmail() }],
      ['POST', '/auth/email/resend', undefined],
      ['POST', '/auth/password', { currentPassword: 'x', newPassword: NEW_PASSWORD }],
    ] as const)
      expect((await guest.call(method, path, body)).status).toBe(403);
  });
});

it('keeps no address and no secret of a link in the queue or, in the clear, in the database', async () => {
  await worker.kill();
  const { email } = await us.member();
  await us.post('/auth/password/forgot', { email });
  const jobs = async () => {
    const names = await redis.keys('*:mails:*');
    const hashes = names.filter((name) => /:[0-9a-f-]{36}$/.test(name));
    return Promise.all(hashes.map((name) => redis.hgetall(name)));
  };
  const waiting = await jobs();
  const kinds = waiting.map(({ data }) => (JSON.parse(data ?? '') as { kind: string }).kind);
  expect(new Set(kinds)).toEqual(new Set(['confirm', 'reset']));
  expect(JSON.stringify(waiting)).not.toContain(email);
  await worker.restart();
  const token = await linkMailedTo(email, 'new password');
  await expect.poll(jobs).toEqual([]);
  const links = JSON.stringify(await database.collection('links').find({ email }).toArray());
  expect(links).toContain('tokenHash');
  expect(links).not.toContain(token);
});

it('mails at most ten links an hour to one address for all requests, and every notice', async () => {
  const [queue, dataDir] = await Promise.all([startRedis(), temporaryFolder()]);
  const env = {
    MONGODB_URI: ownDatabase(),
    REDIS_URL: queue.url,
    DATA_DIR: dataDir,
    TRUST_PROXY: '1',
    LOG_LEVEL: 'info',
  };
  const [web, limited] = await Promise.all([
    startProcess('web', { env }),
    startProcess('worker', { env }),
  ]);
  const box = mailbox(dataDir);
  const { call, register, as } = visitor(web.url);
  const email = newEmail();
  const api = as((await register({ email })).body.token);
  const user = await api.get<User>('/auth/user');
  await api.post('/auth/email/confirm', { token: tokenIn(await box.mail(email, 'Confirm')) });
  for (let n = 0; n < 12; n += 1) {
    const headers = { 'x-forwarded-for': `192.0.2.${n}` };
    await call('POST', '/auth/password/forgot', { body: { email }, headers });
  }
  await expect.poll(async () => (await box.to(email)).length).toBe(10);
  await expect.poll(() => securityEvents(limited.output(), 'limit_hit').length).toBe(3);
  for (const { userId, limit } of securityEvents(limited.output(), 'limit_hit'))
    expect([userId, limit]).toEqual([user.body.id, 'mail-destination']);
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  expect((await api.post('/auth/password', change)).status).toBe(200);
  await box.mail(email, 'password was changed');
});

it('records changes of credentials in the security log, with user and IP address', async () => {
  const { email, api } = await us.member();
  const { id } = await userOf(api);
  await us.signIn(email, 'not the password');
  await api.post('/auth/password', { currentPassword: 'not it', newPassword: NEW_PASSWORD });
  await api.post('/auth/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
  await api.call('DELETE', '/auth/sessions');
  const eventsOf = () =>
    securityEvents(output()).flatMap(({ event, userId }) => (userId === id ? [event] : []));
  await expect
    .poll(eventsOf)
    .toEqual([
      'registered',
      'signed_in',
      'sign_in_failed',
      'proof_refused',
      'password_changed',
      'all_sessions_ended',
    ]);
  for (const { ip } of securityEvents(output(), 'sign_in_failed')) expect(ip).toBe('127.0.0.1');
});

/** The lines of the security log in the output of a process. */
function securityEvents(text: string, event?: string) {
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  const entries = lines.map((line) => JSON.parse(line) as Record<string, string>);
  return entries.filter(
    (entry) => entry.name === 'security' && (event === undefined || entry.event === event),
  );
}

it('writes no email address, secret or password into any log', async () => {
  const { email } = await confirmed();
  await us.post('/auth/password/forgot', { email });
  const token = await linkMailedTo(email, 'new password');
  await us.post('/auth/password/reset', { token, password: NEW_PASSWORD });
  expect(output()).toContain('.eml');
  for (const secret of [email, token, NEW_PASSWORD]) expect(output()).not.toContain(secret);
});
