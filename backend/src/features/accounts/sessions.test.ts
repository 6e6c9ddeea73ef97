import { describe, expect, it } from 'vitest';
import { accountsUnderTest, DAY, HOUR, MINUTE } from './accounts.fixture.ts';
import {
  authenticate,
  endSession,
  findEndedSessions,
  listSessions,
  openSession,
} from './sessions.ts';

const test = accountsUnderTest();
const { later, startGuest, idOf } = test;

it('a session is extended by use and ends after 30 days without use', async () => {
  const { token, user } = await startGuest();
  later(29 * DAY);
  expect(await idOf(token)).toBe(user.id);
  later(29 * DAY);
  expect(await idOf(token)).toBe(user.id);
  later(30 * DAY);
  expect(await idOf(token)).toBeUndefined();
});

it('a session ends 90 days after the sign-in, however often it is used', async () => {
  const { token, user } = await startGuest();
  for (let day = 0; day < 80; day += 20) {
    later(20 * DAY);
    expect(await idOf(token)).toBe(user.id);
  }
  later(9 * DAY);
  expect(await idOf(token)).toBe(user.id);
  later(DAY);
  expect(await idOf(token)).toBeUndefined();
});

it('a session older than 90 days is invalid even if it was stored with a later end', async () => {
  const { token } = await startGuest();
  const createdAt = new Date(Date.now() - 91 * DAY);
  await test.connection.collection('sessions').updateMany({}, { $set: { createdAt } });
  expect(await idOf(token)).toBeUndefined();
});

it('a session is stored with its end, so that the database removes it in time', async () => {
  const { token } = await startGuest();
  const createdAt = new Date(Date.now() - 80 * DAY);
  const sessions = test.connection.collection('sessions');
  await sessions.updateMany({}, { $set: { createdAt } });
  later(HOUR);
  await idOf(token);
  const stored = await sessions.findOne();
  expect(stored?.expiresAt).toEqual(new Date(createdAt.getTime() + 90 * DAY));
});

it('a check finds the sessions that are over, and does not extend the others', async () => {
  const { token, user } = await startGuest();
  const { token: otherToken, user: other } = await startGuest();
  const [own, others] = [await test.sessionOf(token), await test.sessionOf(otherToken)];
  const stranger = { userId: other.id, sessionId: own.sessionId };
  const ended = () => findEndedSessions(test.accounts, [own, others, stranger]);
  expect(await ended()).toEqual([]);
  await endSession(test.accounts, others);
  expect(await ended()).toEqual([others.sessionId]);
  later(29 * DAY);
  expect(await ended()).toEqual([others.sessionId]);
  later(2 * DAY);
  expect(await ended()).toEqual([own.sessionId, others.sessionId, own.sessionId]);
  expect(await idOf(token)).toBeUndefined();
  expect(user.id).toBe(own.userId);
});

it('a check finds the sessions of former credentials and of accounts that are gone', async () => {
  const user = await test.verified('checked@example.com');
  const session = await test.sessionOf(
    await openSession(test.accounts, user, { userAgent: 'test' }),
  );
  expect(await findEndedSessions(test.accounts, [session])).toEqual([]);
  await test.accounts.users.setPassword(user, 'hash');
  expect(await findEndedSessions(test.accounts, [session])).toEqual([session.sessionId]);
});

it('the last use is written once in five minutes', async () => {
  const { token, user } = await startGuest();
  const lastUse = async () => (await listSessions(test.accounts, user.id))[0]?.lastUsedAt;
  const signedIn = await lastUse();
  later(4 * MINUTE);
  await idOf(token);
  expect(await lastUse()).toEqual(signedIn);
  later(MINUTE);
  await idOf(token);
  expect(await lastUse()).toEqual(new Date((signedIn?.getTime() ?? 0) + 5 * MINUTE));
});

it('the database contains no plain token', async () => {
  const { token } = await startGuest();
  const stored = await test.connection.collection('sessions').find().toArray();
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain(token);
});

describe('beyond 50 sessions of a user', () => {
  const openOf = async (userId: string) =>
    (await listSessions(test.accounts, userId)).map(({ id }) => id);

  it('a sign-in ends the least recently used one, and notifies its tabs', async () => {
    const user = await test.verified('many@example.com');
    const { user: other } = await test.startGuest();
    const tokens: string[] = [];
    for (let n = 0; n < 50; n += 1) {
      tokens.push(await openSession(test.accounts, user, { userAgent: 'test' }));
      later(MINUTE);
    }
    const [first = '', second = ''] = tokens;
    // The list begins with the last used one.
    const unused = (await openOf(user.id)).at(-2);
    // A use extends the session, however old its sign-in is.
    expect(await idOf(first)).toBe(user.id);
    const kept = await openSession(test.accounts, user, { userAgent: 'test' });
    expect(test.ended).toEqual([{ userId: user.id, sessionId: unused }]);
    expect(await idOf(second)).toBeUndefined();
    for (const token of [first, kept]) expect(await idOf(token)).toBe(user.id);
    expect(await openOf(user.id)).toHaveLength(50);
    expect(await openOf(other.id)).toHaveLength(1);
  });

  it.each([[1], [7], [60]])('%i concurrent sign-ins leave 50', async (count) => {
    const user = await test.verified('many@example.com');
    for (let n = 0; n < 49; n += 1) await openSession(test.accounts, user, { userAgent: 'test' });
    await Promise.all(
      Array.from({ length: count }, () => openSession(test.accounts, user, { userAgent: 'test' })),
    );
    const stored = await test.connection.collection('sessions').find().toArray();
    expect(stored).toHaveLength(50);
    const ended = new Set(test.ended.map(({ sessionId }) => sessionId));
    expect(ended.size).toBe(count - 1);
    for (const { _id } of stored) expect([...ended]).not.toContain(String(_id));
  });
});

it('the session of another user cannot be ended', async () => {
  const [anna, ben] = [await startGuest(), await startGuest()];
  const sessionId = (await authenticate(test.accounts, anna.token))?.sessionId ?? '';
  await expect(endSession(test.accounts, { userId: ben.user.id, sessionId })).rejects.toMatchObject(
    {
      code: 'not_found',
    },
  );
  expect(await idOf(anna.token)).toBe(anna.user.id);
  await endSession(test.accounts, { userId: anna.user.id, sessionId });
  expect(await idOf(anna.token)).toBeUndefined();
  expect(test.ended).toEqual([{ userId: anna.user.id, sessionId }]);
});
