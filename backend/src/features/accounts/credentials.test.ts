import { describe, expect, it } from 'vitest';
import {
  accountsUnderTest,
  DAY,
  MINUTE,
  NEW_PASSWORD,
  PASSWORD,
  presentedBy,
  registration,
} from './accounts.fixture.ts';
import {
  cancelEmailChange,
  changeEmail,
  changePassword,
  confirmEmail,
  resetPassword,
} from './credentials.ts';
import { findOrCreateAccount } from './identities.ts';
import { makeLink, readLink, takeLink } from './links.ts';
import type { ProviderIdentity } from './openid/identity.ts';
import { requireProof, verifyCredentials } from './proof.ts';
import { registerAccount } from './register.ts';
import { leaseForRemoval } from './removals.ts';
import { openSession } from './sessions.ts';
import type { UserRecord } from './user-record.ts';

const test = accountsUnderTest();
const { later, idOf, sessionOf } = test;

const EMAIL = 'ada@example.com';
const OTHER_EMAIL = 'other@example.com';

const identity = (fields: Partial<ProviderIdentity> = {}): ProviderIdentity => ({
  provider: 'google',
  subject: 'g-1',
  email: EMAIL,
  emailVerified: true,
  firstName: 'Ada',
  lastName: 'Lovelace',
  ...fields,
});

const user = async (id: string) => (await test.accounts.users.find(id)) as UserRecord;
const signIn = (account: UserRecord) => openSession(test.accounts, account, { userAgent: 'test' });
const opens = async (password: string, email = EMAIL) =>
  (await verifyCredentials(test.accounts, { email, password }))?.id;
const resetLink = ({ id }: { id: string }, email = EMAIL) =>
  makeLink(test.accounts, 'reset', { userId: id, email });
const confirmLink = ({ id }: { id: string }, email: string) =>
  makeLink(test.accounts, 'confirm', { userId: id, email });
const openLinks = () => test.connection.collection('links').countDocuments();
const reset = async (account: UserRecord, presentedUserId?: string) => {
  const body = { token: await resetLink(account), password: NEW_PASSWORD };
  return (await resetPassword(test.accounts, body, presentedBy(presentedUserId))).user;
};
/** All stored data of an account that could act or sign in. */
const stored = async (id: string) =>
  (await test.connection.collection('users').find().toArray()).find(
    ({ _id }) => String(_id) === id,
  );

/** An account with every credential that an earlier holder could use. */
async function withEverything(account: UserRecord) {
  await test.update(account.id, {
    $set: { google: 'g-0', replit: 'r-0', pendingEmail: OTHER_EMAIL },
  });
  const token = await signIn(account);
  const link = await confirmLink(account, OTHER_EMAIL);
  return { token, link };
}

describe('a reset of the password', () => {
  it('removes the pending change, links and sessions of an intruder', async () => {
    const account = await test.verified(EMAIL);
    const { token, link } = await withEverything(account);
    const session = await sessionOf(token);
    const { id } = await reset(account);
    // The open tabs of the session get the event before their next call.
    expect(test.ended).toEqual([session]);
    expect(await user(id)).toMatchObject({ email: EMAIL, pendingEmail: null });
    expect(await openLinks()).toBe(0);
    expect(await idOf(token)).toBeUndefined();
    await expect(
      confirmEmail(test.accounts, { token: link, password: NEW_PASSWORD }, null),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect([await opens(PASSWORD), await opens(NEW_PASSWORD)]).toEqual([undefined, id]);
    expect(test.mails).toContain('password-changed');
  });

  it('keeps the provider links of a verified account', async () => {
    const account = await test.verified(EMAIL);
    await withEverything(account);
    expect((await reset(account)).signInProviders).toEqual(['google', 'replit']);
  });

  it('verifies the account of its own signed-in user and keeps it, without provider links', async () => {
    const account = await registerAccount(test.accounts, registration(EMAIL));
    await withEverything(account);
    const own = await reset(account, account.id);
    expect(own).toMatchObject({ id: account.id, signInProviders: [], emailVerified: true });
    expect(test.unpaid).toEqual([]);
  });

  it('does not work by a link to an address that the account no longer has', async () => {
    const account = await test.verified(EMAIL);
    const token = await resetLink(account);
    await test.update(account.id, { $set: { email: OTHER_EMAIL } });
    await expect(
      resetPassword(test.accounts, { token, password: NEW_PASSWORD }),
    ).rejects.toMatchObject({ code: 'not_found' });
    // It is used up, in case the account gets the address again.
    expect(await openLinks()).toBe(0);
  });

  it('does not take the address from an account that got it after a crash', async () => {
    const planted = await registerAccount(test.accounts, registration(EMAIL));
    const token = await resetLink(planted);
    await test.update(planted.id, { $unset: { email: 1, passwordHash: 1 } });
    const next = await registerAccount(test.accounts, registration(EMAIL));
    await expect(
      resetPassword(test.accounts, { token, password: NEW_PASSWORD }),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect(await opens(PASSWORD)).toBe(next.id);
  });

  it('invalidates a sign-in that verified the old password before it', async () => {
    const account = await test.verified(EMAIL);
    const verifiedBefore = await verifyCredentials(test.accounts, {
      email: EMAIL,
      password: PASSWORD,
    });
    await reset(account);
    await expect(signIn(verifiedBefore as UserRecord)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    expect(await test.connection.collection('sessions').countDocuments()).toBe(0);
  });

  it('invalidates a change of the password that verified the old one before it', async () => {
    const account = await test.verified(EMAIL);
    const session = await sessionOf(await signIn(account));
    const { id } = await reset(account);
    // The record from before the reset, as held by a running request.
    await test.update(id, { $set: { passwordHash: (await hashOfOld()) ?? '' } });
    await expect(
      changePassword(
        test.accounts,
        { user: account, sessionId: session.sessionId },
        { currentPassword: PASSWORD, newPassword: 'a third long password' },
      ),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(
      changeEmail(
        test.accounts,
        { user: account, sessionId: session.sessionId },
        { email: OTHER_EMAIL, currentPassword: PASSWORD },
      ),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
    expect((await user(id)).pendingEmail).toBeNull();
  });
});

/** The hash of the first password, for a new account. */
async function hashOfOld(): Promise<string | undefined> {
  const { id } = await registerAccount(test.accounts, registration('hash@example.com'));
  const stored = await test.connection.collection('users').findOne({ email: 'hash@example.com' });
  expect(String(stored?._id)).toBe(id);
  return stored?.passwordHash as string | undefined;
}

describe('a change of the password', () => {
  it('cancels the pending change, the open links and the other sessions', async () => {
    const account = await test.verified(EMAIL);
    const { token: intruder } = await withEverything(account);
    await resetLink(account);
    const own = await signIn(account);
    const { sessionId } = await sessionOf(own);
    const other = await sessionOf(intruder);
    await changePassword(
      test.accounts,
      { user: account, sessionId },
      { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
    );
    expect(test.ended).toEqual([other]);
    expect(await user(account.id)).toMatchObject({ pendingEmail: null });
    expect(await openLinks()).toBe(0);
    expect([await idOf(intruder), await idOf(own)]).toEqual([undefined, account.id]);
    expect(test.mails).toContain('password-changed');
    await expect(signIn(account)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

it.each([
  ['the current password', { currentPassword: 'a wrong password' }, {}, 'invalid_field'],
  ['a password to replace', {}, { $unset: { passwordHash: 1 } }, 'forbidden'],
])('a change of the password needs %s', async (_, body, change, code) => {
  const { id } = await test.verified(EMAIL);
  if (Object.keys(change).length > 0) await test.update(id, change);
  const call = { user: await user(id), sessionId: '' };
  const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, ...body };
  await expect(changePassword(test.accounts, call, passwords)).rejects.toMatchObject({ code });
  expect(await opens(NEW_PASSWORD)).toBeUndefined();
});

describe('a confirmation link', () => {
  it('verifies nothing for another user, who needs a session or the password', async () => {
    const planted = await registerAccount(test.accounts, registration(EMAIL));
    const stranger = await test.verified(OTHER_EMAIL);
    const token = await confirmLink(planted, EMAIL);
    for (const session of [null, await sessionOf(await signIn(stranger))])
      await expect(confirmEmail(test.accounts, { token }, session)).rejects.toMatchObject({
        code: 'reauthentication_required',
      });
    await expect(
      confirmEmail(test.accounts, { token, password: 'a wrong password' }, null),
    ).rejects.toMatchObject({ code: 'invalid_field', details: { field: 'password' } });
    expect((await user(planted.id)).emailVerified).toBe(false);
    // None of these uses up the link.
    await confirmEmail(test.accounts, { token, password: PASSWORD }, null);
    expect((await user(planted.id)).emailVerified).toBe(true);
  });

  it('of a change replaces the address, ends other sessions and links, and notifies the user', async () => {
    const account = await test.verified(EMAIL);
    const own = await signIn(account);
    const other = await signIn(account);
    const session = await sessionOf(own);
    await changeEmail(
      test.accounts,
      { user: account, sessionId: session.sessionId },
      { email: OTHER_EMAIL, currentPassword: PASSWORD },
    );
    await resetLink(account);
    const token = await confirmLink(account, OTHER_EMAIL);
    await confirmEmail(test.accounts, { token }, session);
    expect(await user(account.id)).toMatchObject({
      email: OTHER_EMAIL,
      emailVerified: true,
      pendingEmail: null,
    });
    expect(await openLinks()).toBe(0);
    expect([await idOf(own), await idOf(other)]).toEqual([account.id, undefined]);
    expect(test.mails).toEqual(expect.arrayContaining(['email-changing', 'email-changed']));
    await expect(signIn(account)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('of a cancelled change no longer works, and the address stays', async () => {
    const account = await test.verified(EMAIL);
    const session = await sessionOf(await signIn(account));
    const body = { email: OTHER_EMAIL, currentPassword: PASSWORD };
    await changeEmail(test.accounts, { user: account, sessionId: session.sessionId }, body);
    const token = await confirmLink(account, OTHER_EMAIL);
    const password = await resetLink(account);
    expect(await cancelEmailChange(test.accounts, account.id)).toMatchObject({
      email: EMAIL,
      pendingEmail: null,
    });
    // As for a link that was used already, also without a session.
    for (const own of [session, null])
      await expect(confirmEmail(test.accounts, { token }, own)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('used already or is too old'),
      });
    expect((await user(account.id)).email).toBe(EMAIL);
    expect(await readLink(test.accounts, 'reset', password)).toMatchObject({ email: EMAIL });
  });

  it('of the current address still works after a cancelling that found no change', async () => {
    const account = await registerAccount(test.accounts, registration(EMAIL));
    const session = await sessionOf(await signIn(account));
    const token = await confirmLink(account, EMAIL);
    expect(await cancelEmailChange(test.accounts, account.id)).toBeNull();
    await confirmEmail(test.accounts, { token }, session);
    expect((await user(account.id)).emailVerified).toBe(true);
  });

  it('for another address than the pending one changes nothing', async () => {
    const account = await test.verified(EMAIL);
    const session = await sessionOf(await signIn(account));
    await test.update(account.id, { $set: { pendingEmail: OTHER_EMAIL } });
    for (const email of [EMAIL, 'third@example.com']) {
      const token = await confirmLink(account, email);
      await expect(confirmEmail(test.accounts, { token }, session)).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    expect(await user(account.id)).toMatchObject({ email: EMAIL, pendingEmail: OTHER_EMAIL });
    expect(await openLinks()).toBe(0);
  });

  it('does not take an address that belongs to an account meanwhile', async () => {
    const account = await test.verified(EMAIL);
    const session = await sessionOf(await signIn(account));
    await test.update(account.id, { $set: { pendingEmail: OTHER_EMAIL } });
    await registerAccount(test.accounts, registration(OTHER_EMAIL));
    const token = await confirmLink(account, OTHER_EMAIL);
    await expect(confirmEmail(test.accounts, { token }, session)).rejects.toMatchObject({
      code: 'email_taken',
    });
    expect((await user(account.id)).email).toBe(EMAIL);
  });
});

it('rejects the email address of another account as the new one', async () => {
  const account = await test.verified(EMAIL);
  await registerAccount(test.accounts, registration(OTHER_EMAIL));
  const { sessionId } = await sessionOf(await signIn(account));
  await expect(
    changeEmail(
      test.accounts,
      { user: account, sessionId },
      { email: OTHER_EMAIL, currentPassword: PASSWORD },
    ),
  ).rejects.toMatchObject({ code: 'email_taken' });
});

it('refuses the current email address as the new one, and does not call it that of another account', async () => {
  const account = await test.verified(EMAIL);
  const { sessionId } = await sessionOf(await signIn(account));
  await expect(
    changeEmail(
      test.accounts,
      { user: account, sessionId },
      { email: EMAIL, currentPassword: PASSWORD },
    ),
  ).rejects.toMatchObject({ code: 'invalid_field', details: { field: 'email' } });
});

/** The proofs of a mailbox's owner without a session of the account with its address. */
const PROOFS = {
  'a reset link': async (holder: UserRecord, presentedUserId?: string) =>
    reset(holder, presentedUserId),
  'a sign-in by a provider': async (_holder: UserRecord, presentedUserId?: string) =>
    (await findOrCreateAccount(test.accounts, identity(), presentedBy(presentedUserId))).user,
};

describe.each(Object.entries(PROOFS))('%s over an unverified account', (_name, prove) => {
  it('gives the owner a new account and the earlier holder no access to it', async () => {
    const planted = await registerAccount(test.accounts, registration(EMAIL));
    const { token, link } = await withEverything(planted);
    const session = await sessionOf(token);
    const owner = await prove(planted);
    expect(owner.id).not.toBe(planted.id);
    expect(owner).toMatchObject({ email: EMAIL, emailVerified: true, pendingEmail: null });
    expect(await opens(PASSWORD)).toBeUndefined();
    // The old account has no email address, so none of its credentials works.
    expect(await user(planted.id)).toMatchObject({
      email: null,
      emailVerified: false,
      hasPassword: false,
      pendingEmail: null,
      signInProviders: [],
    });
    expect(test.ended).toEqual([session]);
    expect(await idOf(token)).toBeUndefined();
    await expect(signIn(planted)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await openLinks()).toBe(0);
    await expect(
      confirmEmail(test.accounts, { token: link, password: PASSWORD }, null),
    ).rejects.toMatchObject({ code: 'not_found' });
    for (const provider of ['google', 'replit'] as const) {
      const former = identity({ provider, subject: `${provider[0]}-0`, email: 'x@example.com' });
      const { id } = (await findOrCreateAccount(test.accounts, former)).user;
      expect([owner.id, planted.id]).not.toContain(id);
    }
  });

  it('ends the payments of the earlier holder, and changes nothing when that fails', async () => {
    const planted = await registerAccount(test.accounts, registration(EMAIL));
    const before = await stored(planted.id);
    test.failPayments();
    await expect(prove(planted)).rejects.toThrow('no payments');
    expect(await stored(planted.id)).toEqual(before);
    expect((await prove(planted)).id).not.toBe(planted.id);
    expect(test.unpaid).toEqual([planted.id]);
  });

  it('does the same for another user who is signed in', async () => {
    const planted = await registerAccount(test.accounts, registration(EMAIL));
    const other = await test.verified(OTHER_EMAIL);
    const owner = await prove(planted, other.id);
    expect([planted.id, other.id]).not.toContain(owner.id);
  });

  it("turns the account of a guest into the owner's", async () => {
    const planted = await registerAccount(test.accounts, registration(EMAIL));
    const { user: guest } = await test.startGuest();
    const owner = await prove(planted, guest.id);
    expect(owner).toMatchObject({ id: guest.id, email: EMAIL, subscriptionStatus: null });
  });

  it('continues after a crash between the two writes', async () => {
    const planted = await registerAccount(test.accounts, registration(EMAIL));
    // After the first write the address is free, and the account has a new version.
    await test.update(planted.id, {
      $unset: { email: 1, passwordHash: 1 },
      $inc: { credentialVersion: 1 },
    });
    const owner = await prove(planted);
    expect(owner).toMatchObject({ email: EMAIL, emailVerified: true });
    expect(owner.id).not.toBe(planted.id);
  });

  it('concurrent ones make one account with the address', async () => {
    const planted = await registerAccount(test.accounts, registration(EMAIL));
    const both = await Promise.allSettled([prove(planted), prove(planted)]);
    const won = both.flatMap((one) => (one.status === 'fulfilled' ? one.value.id : []));
    expect(new Set(won).size).toBe(1);
    expect(await user(won[0] ?? '')).toMatchObject({ email: EMAIL, emailVerified: true });
    expect(await test.connection.collection('users').countDocuments()).toBe(2);
  });

  it('leaves an account that is removed 30 days later, even with a plan', async () => {
    const planted = await registerAccount(test.accounts, registration(EMAIL));
    later(20 * DAY);
    const owner = await prove(planted);
    test.plan(planted.id);
    later(29 * DAY);
    expect(await leaseForRemoval(test.accounts, { limit: 10 })).toEqual([]);
    later(2 * DAY);
    expect(await leaseForRemoval(test.accounts, { limit: 10 })).toEqual([planted.id]);
    expect(await user(owner.id)).not.toBeNull();
  });
});

it('concurrent proofs by a provider and a reset link make one account', async () => {
  const planted = await registerAccount(test.accounts, registration(EMAIL));
  const both = await Promise.allSettled(Object.values(PROOFS).map((prove) => prove(planted)));
  expect(both.map(({ status }) => status)).toContain('fulfilled');
  const holders = await test.connection.collection('users').find({ email: EMAIL }).toArray();
  expect(holders).toHaveLength(1);
  expect(String(holders[0]?._id)).not.toBe(planted.id);
});

describe('a sign-in by a provider that verified the address', () => {
  it('verifies the account of its own user and takes nothing from it', async () => {
    const account = await registerAccount(test.accounts, registration(EMAIL));
    const token = await signIn(account);
    const { user: linked } = await findOrCreateAccount(
      test.accounts,
      identity(),
      presentedBy(account.id),
    );
    expect(linked).toMatchObject({ id: account.id, emailVerified: true, hasPassword: true });
    expect(await idOf(token)).toBe(account.id);
  });

  it('is linked to a verified account, and its user is notified', async () => {
    const account = await test.verified(EMAIL);
    const { user: linked, event } = await findOrCreateAccount(test.accounts, identity());
    expect(linked).toMatchObject({
      id: account.id,
      hasPassword: true,
      signInProviders: ['google'],
    });
    expect([event, test.mails.at(-1)]).toEqual(['provider_linked', 'provider-linked']);
  });

  it('does not overwrite another subject of the same provider', async () => {
    const account = await test.verified(EMAIL);
    await findOrCreateAccount(test.accounts, identity());
    for (const presentedUserId of [undefined, account.id])
      await expect(
        findOrCreateAccount(
          test.accounts,
          identity({ subject: 'g-2' }),
          presentedBy(presentedUserId),
        ),
      ).rejects.toMatchObject({ code: 'provider_conflict' });
    expect((await findOrCreateAccount(test.accounts, identity())).user.id).toBe(account.id);
  });

  it('is refused while the provider has not verified the address', async () => {
    for (const fields of [{ emailVerified: false }, { email: null }])
      await expect(findOrCreateAccount(test.accounts, identity(fields))).rejects.toMatchObject({
        code: 'email_unverified',
      });
  });

  it('of two subjects at once accepts one', async () => {
    await test.verified(EMAIL);
    const both = await Promise.allSettled(
      ['g-1', 'g-2'].map((subject) => findOrCreateAccount(test.accounts, identity({ subject }))),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('makes one account from two concurrent sign-ins', async () => {
    const both = await Promise.all([
      findOrCreateAccount(test.accounts, identity()),
      findOrCreateAccount(test.accounts, identity({ provider: 'replit', subject: 'r-1' })),
    ]);
    expect(new Set(both.map(({ user: { id } }) => id)).size).toBe(1);
    expect((await user(both[0].user.id)).signInProviders).toEqual(['google', 'replit']);
  });
});

describe('an account without a password', () => {
  const calls = {
    'a change of the email address': (account: UserRecord, sessionId: string) =>
      changeEmail(test.accounts, { user: account, sessionId }, { email: OTHER_EMAIL }),
    deletion: (account: UserRecord, sessionId: string) =>
      requireProof(test.accounts, { user: account, sessionId }, undefined),
  };

  it.each(Object.entries(calls))(
    'needs a sign-in of the last five minutes for %s',
    async (_what, call) => {
      const { user: account } = await findOrCreateAccount(test.accounts, identity());
      const { sessionId } = await sessionOf(await signIn(account));
      later(4 * MINUTE);
      await call(account, sessionId);
      later(MINUTE);
      await expect(call(account, sessionId)).rejects.toMatchObject({
        code: 'reauthentication_required',
      });
      // The session of another user proves nothing.
      const stranger = await test.verified('stranger@example.com');
      const foreign = await sessionOf(await signIn(stranger));
      await expect(call(account, foreign.sessionId)).rejects.toMatchObject({
        code: 'reauthentication_required',
      });
    },
  );
});

it('a guest needs no proof, however old the session is', async () => {
  const { user: guest, token } = await test.startGuest();
  const { sessionId } = await sessionOf(token);
  later(60 * MINUTE);
  await expect(requireProof(test.accounts, { user: guest, sessionId }, undefined)).resolves.toBe(
    undefined,
  );
});

it('a link works during its lifetime, once, for its own purpose', async () => {
  const account = await test.verified(EMAIL);
  const token = await makeLink(test.accounts, 'reset', { userId: account.id, email: EMAIL });
  await expect(readLink(test.accounts, 'confirm', token)).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await takeLink(test.accounts, 'reset', token)).toMatchObject({ userId: account.id });
  await expect(takeLink(test.accounts, 'reset', token)).rejects.toMatchObject({
    code: 'not_found',
  });
  const late = await makeLink(test.accounts, 'reset', { userId: account.id, email: EMAIL });
  later(DAY);
  await expect(takeLink(test.accounts, 'reset', late)).rejects.toMatchObject({ code: 'not_found' });
});
