import { describe, expect, it, vi } from 'vitest';
import {
  accountsUnderTest,
  DAY,
  HOUR,
  MINUTE,
  PASSWORD,
  registration,
} from './accounts.fixture.ts';
import { createDueRemovals } from './removals.ts';

const test = accountsUnderTest();
const { later, startGuest, idOf } = test;
const lease = (limit = 10) => test.accounts.leaseForRemoval({ limit });

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

it('a session that was checked without a use is not extended', async () => {
  const { token, user } = await startGuest();
  later(29 * DAY);
  expect((await test.accounts.authenticate(token, { touch: false }))?.userId).toBe(user.id);
  later(2 * DAY);
  expect(await idOf(token)).toBeUndefined();
});

it('the last use is written once in five minutes', async () => {
  const { token, user } = await startGuest();
  const lastUse = async () => (await test.accounts.listSessions(user.id))[0]?.lastUsedAt;
  const signedIn = await lastUse();
  later(4 * MINUTE);
  await idOf(token);
  expect(await lastUse()).toEqual(signedIn);
  later(MINUTE);
  await idOf(token);
  expect(await lastUse()).toEqual(new Date((signedIn?.getTime() ?? 0) + 5 * MINUTE));
});

it('the database holds no token in the clear', async () => {
  const { token } = await startGuest();
  const stored = await test.connection.collection('sessions').find().toArray();
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain(token);
});

it('a guest is deleted 24 hours after the last use, not after the first', async () => {
  const { token, user } = await startGuest();
  later(20 * HOUR);
  await test.accounts.authenticate(token);
  later(23 * HOUR);
  expect(await lease()).toEqual([]);
  later(2 * HOUR);
  expect(await lease()).toEqual([user.id]);
});

it('a guest whose deletion has begun is signed out, and cannot register any more', async () => {
  const { token, user } = await startGuest();
  const session = await test.accounts.authenticate(token);
  later(25 * HOUR);
  await lease();
  expect(await idOf(token)).toBeUndefined();
  expect(test.ended).toEqual([{ userId: user.id, sessionId: session?.sessionId ?? '' }]);
  const late = await test.accounts.register(registration('late@example.com'), {
    presentedUserId: user.id,
  });
  expect(late.id).not.toBe(user.id);
});

it('an interrupted deletion is leased again after an hour, and deletes the account', async () => {
  const { user } = await startGuest();
  later(25 * HOUR);
  expect(await lease()).toEqual([user.id]);
  later(MINUTE);
  expect(await lease()).toEqual([]);
  later(HOUR + MINUTE);
  expect(await lease()).toEqual([user.id]);
  await test.accounts.forget(user.id);
  later(2 * HOUR);
  expect(await lease()).toEqual([]);
  expect(await test.connection.collection('users').countDocuments()).toBe(0);
});

it('a guest who cannot be removed holds up no other one', async () => {
  const guests = [await startGuest(), await startGuest(), await startGuest()];
  const [bad, ...others] = guests.map(({ user }) => user.id);
  later(25 * HOUR);
  const requested: string[] = [];
  const removeDue = createDueRemovals({
    leaseForRemoval: test.accounts.leaseForRemoval,
    requestRemoval: async (userId) => {
      if (userId === bad) throw new Error('The database refuses.');
      requested.push(userId);
      return 'receipt';
    },
  });
  await expect(removeDue()).rejects.toThrow(AggregateError);
  expect(requested.toSorted()).toEqual(others.toSorted());
});

it('a guest whose sessions cannot be ended is leased with all others', async () => {
  const guests = [await startGuest(), await startGuest()].map(({ user }) => user.id);
  later(25 * HOUR);
  vi.spyOn(test.ended, 'push').mockImplementationOnce(() => {
    throw new Error('Redis is unreachable.');
  });
  expect((await lease()).toSorted()).toEqual(guests.toSorted());
});

it('two sweepers at once lease different guests', async () => {
  const guests = await Promise.all(Array.from({ length: 8 }, () => startGuest()));
  later(25 * HOUR);
  const leased = (await Promise.all([lease(), lease()])).flat();
  expect(leased.toSorted()).toEqual(guests.map(({ user }) => user.id).toSorted());
});

describe('an account that was never verified', () => {
  it('is removed 30 days after its last use, and not before', async () => {
    const user = await test.accounts.register(registration('idle@example.com'));
    later(20 * DAY);
    const token = await test.accounts.signIn(user, 'test');
    later(29 * DAY);
    expect(await lease()).toEqual([]);
    await test.accounts.authenticate(token);
    later(29 * DAY);
    expect(await lease()).toEqual([]);
    later(2 * DAY);
    expect(await lease()).toEqual([user.id]);
    later(MINUTE);
    expect(await lease()).toEqual([]);
  });

  it('is looked for by the index of such accounts, never among all', async () => {
    const user = await test.accounts.register(registration('idle@example.com'));
    later(31 * DAY);
    const users = test.connection.collection('users');
    const name = 'unverified_by_use';
    const index = (await users.indexes()).find((one) => one.name === name);
    expect(index?.partialFilterExpression).toEqual({ emailVerified: false });
    await users.dropIndex(name);
    // Named in the query: without it the database refuses instead of reading every account.
    await expect(lease()).rejects.toThrow(/hint/);
    const { partialFilterExpression = {} } = index ?? {};
    await users.createIndex({ lastSeenAt: 1 }, { name, partialFilterExpression });
    expect(await lease()).toEqual([user.id]);
  });

  it('is removed in spite of a plan when nobody can sign in to it', async () => {
    const user = await test.accounts.register(registration('gone@example.com'));
    const reachable = await test.accounts.register(registration('mine@example.com'));
    for (const { id } of [user, reachable]) test.plan(id);
    await test.update(user.id, { $unset: { email: 1 } });
    later(31 * DAY);
    expect(await lease()).toEqual([user.id]);
  });

  it('is kept when it is unknown whether it has a plan, and holds up no other removal', async () => {
    const { user: guest } = await startGuest();
    const unknown = await test.accounts.register(registration('unknown@example.com'));
    const idle = await test.accounts.register(registration('idle@example.com'));
    test.failPlan(unknown.id);
    later(31 * DAY);
    expect((await lease()).toSorted()).toEqual([guest.id, idle.id].toSorted());
  });

  it('is kept while it has a plan, without hiding later ones', async () => {
    const users = [];
    for (const n of [1, 2, 3])
      users.push(await test.accounts.register(registration(`planned-${n}@example.com`)));
    for (const { id } of users.slice(0, 2)) test.plan(id);
    later(31 * DAY);
    expect(await lease(1)).toEqual([users[2]?.id]);
    later(400 * DAY);
    expect(await lease()).toEqual([users[2]?.id]);
  });
});

it('of more idle guests than the limit no more are handed out at once', async () => {
  const guests = [await startGuest(), await startGuest()].map(({ user }) => user.id);
  later(31 * DAY);
  const first = await lease(1);
  expect(first).toHaveLength(1);
  expect([...first, ...(await lease(1))].toSorted()).toEqual(guests.toSorted());
});

it('never removes a verified account, even when asked to', async () => {
  const user = await test.verified('stays@example.com');
  later(400 * DAY);
  expect(await lease()).toEqual([]);
  await test.accounts.forget(user.id);
  expect(await test.accounts.find(user.id)).not.toBeNull();
});

it('registers an address once, whatever the password and the case', async () => {
  await test.accounts.register(registration('twice@example.com'));
  for (const password of [PASSWORD, 'quite another password'])
    await expect(
      test.accounts.register({ ...registration('twice@example.com'), password }),
    ).rejects.toMatchObject({
      code: 'email_taken',
      message: 'An account with this email already exists. Sign in or reset your password.',
    });
  expect(await test.connection.collection('users').countDocuments()).toBe(1);
});

it('creates one account when a guest registers twice at once', async () => {
  const { user } = await startGuest();
  const twice = await Promise.allSettled(
    [1, 2].map(() =>
      test.accounts.register(registration('double@example.com'), { presentedUserId: user.id }),
    ),
  );
  expect(twice.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect((await test.accounts.find(user.id))?.email).toBe('double@example.com');
  expect(await test.connection.collection('users').countDocuments()).toBe(1);
});

it('keeps a guest unchanged when the address has an account', async () => {
  await test.accounts.register(registration('known@example.com'));
  const { token, user } = await startGuest();
  await expect(
    test.accounts.register(registration('known@example.com'), { presentedUserId: user.id }),
  ).rejects.toMatchObject({ code: 'email_taken' });
  expect((await test.accounts.authenticate(token))?.isGuest).toBe(true);
});

describe('beyond 50 sessions of a user', () => {
  const openOf = async (userId: string) =>
    (await test.accounts.listSessions(userId)).map(({ id }) => id);

  it('a sign-in ends the one that was not used for longest, and tells its tabs', async () => {
    const user = await test.verified('many@example.com');
    const { user: other } = await test.startGuest();
    const tokens: string[] = [];
    for (let n = 0; n < 50; n += 1) {
      tokens.push(await test.accounts.signIn(user, 'test'));
      later(MINUTE);
    }
    const [first = '', second = ''] = tokens;
    const unused = await test.accounts.authenticate(second, { touch: false });
    // A use keeps it, however long ago its sign-in is.
    expect(await idOf(first)).toBe(user.id);
    const kept = await test.accounts.signIn(user, 'test');
    expect(test.ended).toEqual([{ userId: user.id, sessionId: unused?.sessionId }]);
    expect(await idOf(second)).toBeUndefined();
    for (const token of [first, kept]) expect(await idOf(token)).toBe(user.id);
    expect(await openOf(user.id)).toHaveLength(50);
    expect(await openOf(other.id)).toHaveLength(1);
  });

  it.each([[1], [7], [60]])('%i sign-ins at once leave 50', async (count) => {
    const user = await test.verified('many@example.com');
    for (let n = 0; n < 49; n += 1) await test.accounts.signIn(user, 'test');
    await Promise.all(Array.from({ length: count }, () => test.accounts.signIn(user, 'test')));
    const stored = await test.connection.collection('sessions').find().toArray();
    expect(stored).toHaveLength(50);
    const ended = new Set(test.ended.map(({ sessionId }) => sessionId));
    expect(ended.size).toBe(count - 1);
    for (const { _id } of stored) expect([...ended]).not.toContain(String(_id));
  });
});

it('the session of another user cannot be ended', async () => {
  const [anna, ben] = [await startGuest(), await startGuest()];
  const sessionId = (await test.accounts.authenticate(anna.token))?.sessionId ?? '';
  await expect(test.accounts.endSession({ userId: ben.user.id, sessionId })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await idOf(anna.token)).toBe(anna.user.id);
  await test.accounts.endSession({ userId: anna.user.id, sessionId });
  expect(await idOf(anna.token)).toBeUndefined();
  expect(test.ended).toEqual([{ userId: anna.user.id, sessionId }]);
});
