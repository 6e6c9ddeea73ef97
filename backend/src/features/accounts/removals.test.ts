import { describe, expect, it, vi } from 'vitest';
import {
  accountsUnderTest,
  DAY,
  HOUR,
  MINUTE,
  presentedBy,
  registration,
} from './accounts.fixture.ts';
import { registerAccount } from './register.ts';
import { eraseAccount, leaseForRemoval, removeDueAccounts } from './removals.ts';
import { authenticate, openSession } from './sessions.ts';

const test = accountsUnderTest();
const { later, startGuest, idOf } = test;
const lease = (limit = 10) => leaseForRemoval(test.accounts, { limit });

it('a guest is deleted 24 hours after the last use, not after the first', async () => {
  const { token, user } = await startGuest();
  later(20 * HOUR);
  await authenticate(test.accounts, token);
  later(23 * HOUR);
  expect(await lease()).toEqual([]);
  later(2 * HOUR);
  expect(await lease()).toEqual([user.id]);
});

it('a guest whose deletion has begun is signed out and cannot register', async () => {
  const { token, user } = await startGuest();
  const session = await authenticate(test.accounts, token);
  later(25 * HOUR);
  await lease();
  expect(await idOf(token)).toBeUndefined();
  expect(test.ended).toEqual([{ userId: user.id, sessionId: session?.sessionId ?? '' }]);
  const late = await registerAccount(
    test.accounts,
    registration('late@example.com'),
    presentedBy(user.id),
  );
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
  await eraseAccount(test.accounts, user.id);
  later(2 * HOUR);
  expect(await lease()).toEqual([]);
  expect(await test.connection.collection('users').countDocuments()).toBe(0);
});

it('a guest who cannot be removed does not block the others', async () => {
  const guests = [await startGuest(), await startGuest(), await startGuest()];
  const [bad, ...others] = guests.map(({ user }) => user.id);
  later(25 * HOUR);
  const requested: string[] = [];
  const requestDeletion = async (userId: string) => {
    if (userId === bad) throw new Error('The database refuses.');
    requested.push(userId);
    return 'receipt';
  };
  const privacy = { requestDeletion, prepareDeletion: async () => undefined };
  const accounts = { ...test.accounts, others: { ...test.accounts.others, privacy } };
  await expect(removeDueAccounts(accounts)).rejects.toThrow(AggregateError);
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
    const user = await registerAccount(test.accounts, registration('idle@example.com'));
    later(20 * DAY);
    const token = await openSession(test.accounts, user, { userAgent: 'test' });
    later(29 * DAY);
    expect(await lease()).toEqual([]);
    await authenticate(test.accounts, token);
    later(29 * DAY);
    expect(await lease()).toEqual([]);
    later(2 * DAY);
    expect(await lease()).toEqual([user.id]);
    later(MINUTE);
    expect(await lease()).toEqual([]);
  });

  it('is found by the index for such accounts, never by reading all', async () => {
    const user = await registerAccount(test.accounts, registration('idle@example.com'));
    later(31 * DAY);
    const users = test.connection.collection('users');
    const name = 'unverified_by_use';
    const index = (await users.indexes()).find((one) => one.name === name);
    expect(index?.partialFilterExpression).toEqual({ emailVerified: false });
    await users.dropIndex(name);
    // The query names the index, so the database refuses instead of reading every account.
    await expect(lease()).rejects.toThrow(/hint/);
    const { partialFilterExpression = {} } = index ?? {};
    await users.createIndex({ lastSeenAt: 1 }, { name, partialFilterExpression });
    expect(await lease()).toEqual([user.id]);
  });

  it('is removed even with a plan when no sign-in exists', async () => {
    const user = await registerAccount(test.accounts, registration('gone@example.com'));
    const reachable = await registerAccount(test.accounts, registration('mine@example.com'));
    for (const { id } of [user, reachable]) test.plan(id);
    await test.update(user.id, { $unset: { email: 1 } });
    later(31 * DAY);
    expect(await lease()).toEqual([user.id]);
  });

  it('is kept when its plan cannot be determined, and blocks no other removal', async () => {
    const { user: guest } = await startGuest();
    const unknown = await registerAccount(test.accounts, registration('unknown@example.com'));
    const idle = await registerAccount(test.accounts, registration('idle@example.com'));
    test.failPlan(unknown.id);
    later(31 * DAY);
    expect((await lease()).toSorted()).toEqual([guest.id, idle.id].toSorted());
  });

  it('is kept while it has a plan, without hiding later ones', async () => {
    const users = [];
    for (const n of [1, 2, 3])
      users.push(await registerAccount(test.accounts, registration(`planned-${n}@example.com`)));
    for (const { id } of users.slice(0, 2)) test.plan(id);
    later(31 * DAY);
    expect(await lease(1)).toEqual([users[2]?.id]);
    later(400 * DAY);
    expect(await lease()).toEqual([users[2]?.id]);
  });
});

it('leases no more idle guests than the limit at once', async () => {
  const guests = [await startGuest(), await startGuest()].map(({ user }) => user.id);
  later(31 * DAY);
  const first = await lease(1);
  expect(first).toHaveLength(1);
  expect([...first, ...(await lease(1))].toSorted()).toEqual(guests.toSorted());
});

it('never removes a verified account, even on request', async () => {
  const user = await test.verified('stays@example.com');
  later(400 * DAY);
  expect(await lease()).toEqual([]);
  await eraseAccount(test.accounts, user.id);
  expect(await test.accounts.users.find(user.id)).not.toBeNull();
});
