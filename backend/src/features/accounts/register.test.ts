import { expect, it } from 'vitest';
import { accountsUnderTest, PASSWORD, presentedBy, registration } from './accounts.fixture.ts';
import { registerAccount } from './register.ts';
import { authenticate, openSession } from './sessions.ts';

const test = accountsUnderTest();
const { startGuest } = test;

it('registers an address once, for any password and case', async () => {
  await registerAccount(test.accounts, registration('twice@example.com'));
  for (const password of [PASSWORD, 'quite another password'])
    await expect(
      registerAccount(test.accounts, { ...registration('twice@example.com'), password }),
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
      registerAccount(test.accounts, registration('double@example.com'), presentedBy(user.id)),
    ),
  );
  expect(twice.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect((await test.accounts.users.find(user.id))?.email).toBe('double@example.com');
  expect(await test.connection.collection('users').countDocuments()).toBe(1);
});

it('ends the other sessions of the guest who registers', async () => {
  const { token, user } = await startGuest();
  const other = await openSession(test.accounts, user, { userAgent: 'test' });
  const presented = await test.sessionOf(token);
  const ended = await test.sessionOf(other);
  await registerAccount(test.accounts, registration('ada@example.com'), { presented });
  expect([await test.idOf(token), await test.idOf(other)]).toEqual([user.id, undefined]);
  expect(test.ended).toEqual([ended]);
});

it('keeps a guest unchanged when the address has an account', async () => {
  await registerAccount(test.accounts, registration('known@example.com'));
  const { token, user } = await startGuest();
  await expect(
    registerAccount(test.accounts, registration('known@example.com'), presentedBy(user.id)),
  ).rejects.toMatchObject({ code: 'email_taken' });
  expect((await authenticate(test.accounts, token))?.isGuest).toBe(true);
});
