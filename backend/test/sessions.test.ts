import { beforeAll, describe, expect, it } from 'vitest';
import type { Session, User } from '../src/contract/auth.ts';
import { ownDatabase, startProcess, type TestProcess } from './processes.ts';
import { newEmail, PASSWORD, visitor } from './visitor.ts';

let web: TestProcess;
let us: ReturnType<typeof visitor>;

beforeAll(async () => {
  web = await startProcess('web', { env: { MONGODB_URI: ownDatabase(), RATE_LIMITS: 'false' } });
  us = visitor(web.url);
});

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** A user who is signed in here and in another browser. */
async function twoBrowsers() {
  const { email, api: here } = await us.member();
  const { body } = await us.call<{ token: string }>('POST', '/auth/login', {
    body: { email, password: PASSWORD },
    headers: { 'user-agent': FIREFOX },
  });
  const there = us.as(body.token);
  const list = async () => (await here.get<Session[]>('/auth/sessions')).body;
  return { here, there, list };
}

const statusOf = async (api: { get: (path: string) => Promise<{ status: number }> }) =>
  (await api.get('/auth/user')).status;

describe('the list of sessions', () => {
  it('names device, time and the current session', async () => {
    const { list } = await twoBrowsers();
    const sessions = await list();
    expect(sessions.map(({ current }) => current)).toEqual(expect.arrayContaining([false, true]));
    const other = sessions.find(({ current }) => !current);
    expect(other?.device).toBe('Firefox on Linux');
    expect(Date.parse(other?.lastUsedAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  it('contains no token and no session of others', async () => {
    const { here } = await twoBrowsers();
    await us.member();
    const { body } = await here.get<Session[]>('/auth/sessions');
    expect(body).toHaveLength(2);
    expect(Object.keys(body[0] ?? {}).toSorted()).toEqual([
      'createdAt',
      'current',
      'device',
      'id',
      'lastUsedAt',
    ]);
  });
});

describe('ending a session', () => {
  it('signs the other browser out at once', async () => {
    const { here, there, list } = await twoBrowsers();
    const id = (await list()).find(({ current }) => !current)?.id;
    expect((await here.call('DELETE', `/auth/sessions/${id}`)).status).toBe(204);
    expect([await statusOf(there), await statusOf(here)]).toEqual([401, 200]);
    expect((await here.call('DELETE', `/auth/sessions/${id}`)).status).toBe(404);
  });

  it("is not possible for another user's, in any notation of the id", async () => {
    const { there, list } = await twoBrowsers();
    const id = (await list()).find(({ current }) => !current)?.id ?? '';
    const { api: stranger } = await us.member();
    for (const notation of [id, id.toUpperCase(), `${id}%00`, encodeURIComponent('{"$ne":null}')])
      expect((await stranger.call('DELETE', `/auth/sessions/${notation}`)).status).toBe(404);
    expect(await statusOf(there)).toBe(200);
  });

  it('everywhere ends this one too', async () => {
    const { here, there } = await twoBrowsers();
    expect((await here.call('DELETE', '/auth/sessions')).status).toBe(204);
    expect([await statusOf(there), await statusOf(here)]).toEqual([401, 401]);
  });
});

describe('every call about an account', () => {
  const CALLS: [method: string, path: string, body?: object][] = [
    ['GET', '/auth/user'],
    ['PATCH', '/auth/user', { firstName: 'X' }],
    ['DELETE', '/auth/user', { currentPassword: PASSWORD }],
    ['GET', '/auth/sessions'],
    ['DELETE', '/auth/sessions'],
    ['DELETE', '/auth/sessions/000000000000000000000000'],
    ['POST', '/auth/password', { currentPassword: PASSWORD, newPassword: 'x'.repeat(12) }],
    ['POST', '/auth/email', { email: newEmail(), currentPassword: PASSWORD }],
    ['POST', '/auth/email/resend'],
  ];

  it.each(CALLS)('%s %s needs a valid session', async (method, path, body) => {
    const { api } = await us.member();
    await api.post('/auth/signout');
    for (const headers of [
      {},
      { authorization: 'Bearer made-up' },
      { cookie: 'stolas_session=made-up' },
      { authorization: `Bearer ${api.token}` },
      { cookie: `stolas_session=${api.token}`, origin: web.url },
    ]) {
      const answer = await us.call(method, path, { body, headers });
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated']);
    }
  });

  it.each(CALLS.filter(([method]) => method !== 'GET'))(
    '%s %s is refused to another site that has only the cookie',
    async (method, path, body) => {
      const { api } = await us.member();
      const headers = { cookie: `stolas_session=${api.token}`, origin: 'https://evil.example' };
      expect((await us.call(method, path, { body, headers })).status).toBe(403);
      expect((await api.get<User>('/auth/user')).status).toBe(200);
    },
  );
});

it('a used session extends its cookie', async () => {
  const { token } = (await us.register()).body;
  const cookie = `stolas_session=${token}`;
  const { headers } = await us.call('GET', '/auth/user', { headers: { cookie } });
  expect(headers.getSetCookie()[0]).toMatch(/^stolas_session=.*Max-Age=2592000/);
  const bearer = await us.call('GET', '/auth/user', {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(bearer.headers.getSetCookie()).toEqual([]);
});
