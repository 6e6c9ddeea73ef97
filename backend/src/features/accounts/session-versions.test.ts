import { expect, it } from 'vitest';
import { accountsUnderTest, NEW_PASSWORD, PASSWORD, registration } from './accounts.fixture.ts';
import { changePassword, confirmEmail } from './credentials.ts';
import { makeLink } from './links.ts';
import { registerAccount } from './register.ts';
import { openSession } from './sessions.ts';
import type { UserRecord } from './user-record.ts';

const test = accountsUnderTest();
const { idOf, sessionOf } = test;

const EMAIL = 'ada@example.com';
const OTHER_EMAIL = 'other@example.com';
const store = () => test.accounts.users;
const stored = async (id: string) => (await store().find(id)) as UserRecord;
const signIn = (user: UserRecord) => openSession(test.accounts, user, { userAgent: 'test' });
const sessions = () => test.connection.collection('sessions').countDocuments();

/** Updates the account only, as a process does that crashes before it ends the other sessions. */
const CHANGES: Record<string, (user: UserRecord) => Promise<UserRecord | null>> = {
  'a new password': (user) => store().setPassword(user, 'hash'),
  'a reset': (user) => store().resetPassword(user, EMAIL, 'hash'),
  'another email address': (user) => store().applyPendingEmail(user, OTHER_EMAIL),
  'a takeover': (user) => store().removeIdentity(user, new Date()),
};

it.each(Object.entries(CHANGES))(
  'earlier sessions end after %s, even if the process crashes before it ends them',
  async (_what, change) => {
    const user = await registerAccount(test.accounts, registration(EMAIL));
    await test.update(user.id, { $set: { pendingEmail: OTHER_EMAIL } });
    const token = await signIn(user);
    const { sessionId } = await sessionOf(token);
    expect(await change(await stored(user.id))).not.toBeNull();
    expect(await idOf(token)).toBeUndefined();
    // Its sockets are closed, and nothing of it is stored.
    expect(test.ended).toEqual([{ userId: user.id, sessionId }]);
    expect(await sessions()).toBe(0);
    expect(await idOf(await signIn(await stored(user.id)))).toBe(user.id);
  },
);

it('the session that changed the password stays valid, until another one changes it', async () => {
  const user = await registerAccount(test.accounts, registration(EMAIL));
  const [own, other] = [await signIn(user), await signIn(user)];
  const { sessionId } = await sessionOf(own);
  const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  await changePassword(test.accounts, { user, sessionId }, passwords);
  expect([await idOf(own), await idOf(other)]).toEqual([user.id, undefined]);

  const later = await signIn(await stored(user.id));
  const { sessionId: keptSessionId } = await sessionOf(later);
  await store().setPassword(await stored(user.id), 'hash', { keptSessionId });
  expect([await idOf(own), await idOf(later)]).toEqual([undefined, user.id]);
  await store().resetPassword(await stored(user.id), EMAIL, 'hash');
  expect(await idOf(later)).toBeUndefined();
});

it('the session that confirmed another address stays valid', async () => {
  const user = await test.verified(EMAIL);
  const own = await signIn(user);
  const { userId, sessionId } = await sessionOf(own);
  await test.update(user.id, { $set: { pendingEmail: OTHER_EMAIL } });
  const token = await makeLink(test.accounts, 'confirm', { userId, email: OTHER_EMAIL });
  await confirmEmail(test.accounts, { token }, { userId, sessionId });
  expect(await idOf(own)).toBe(user.id);
});
