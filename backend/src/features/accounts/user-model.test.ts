import { describe, expect, it } from 'vitest';
import { accountsUnderTest, presentedBy, registration } from './accounts.fixture.ts';
import { registerAccount } from './register.ts';
import type { UserRecord } from './user-record.ts';

const test = accountsUnderTest();
const EMAIL = 'ada@example.com';
const NEXT_EMAIL = 'next@example.com';

const store = () => test.accounts.users;
const stored = async (id: string) =>
  (await test.connection.collection('users').find().toArray()).find(
    ({ _id }) => String(_id) === id,
  );

const identity = {
  provider: 'google',
  subject: 'g-1',
  email: EMAIL,
  emailVerified: true,
  firstName: 'Ada',
  lastName: '',
} as const;

type Update = (user: UserRecord) => Promise<UserRecord | null>;
/** Changes that another request may make between reading an account and the update. */
const CHANGES = {
  version: { $inc: { credentialVersion: 1 } },
  email: { $set: { email: 'other@example.com' } },
  verified: { $set: { emailVerified: true } },
  unverified: { $set: { emailVerified: false } },
  pending: { $set: { pendingEmail: 'third@example.com' } },
  subject: { $set: { google: 'g-0' } },
  deleting: { $set: { deletingAt: new Date() } },
};
type Change = keyof typeof CHANGES;

interface Case {
  update: Update;
  verified?: boolean;
  pending?: boolean;
  refusedAfter: Change[];
}

const CASES: Record<string, Case> = {
  setPendingEmail: {
    update: (user) => store().setPendingEmail(user, NEXT_EMAIL),
    refusedAfter: ['version', 'deleting'],
  },
  verifyEmail: {
    update: ({ id }) => store().verifyEmail(id, EMAIL),
    refusedAfter: ['email', 'pending', 'deleting'],
  },
  applyPendingEmail: {
    update: (user) => store().applyPendingEmail(user, NEXT_EMAIL),
    pending: true,
    refusedAfter: ['version', 'email', 'verified', 'pending', 'deleting'],
  },
  setPassword: {
    update: (user) => store().setPassword(user, 'hash'),
    refusedAfter: ['version', 'deleting'],
  },
  'resetPassword of a verified account': {
    update: (user) => store().resetPassword(user, EMAIL, 'hash'),
    verified: true,
    refusedAfter: ['version', 'email', 'unverified', 'deleting'],
  },
  'resetPassword of an unverified account': {
    update: (user) => store().resetPassword(user, EMAIL, 'hash'),
    refusedAfter: ['version', 'email', 'verified', 'deleting'],
  },
  'linkProvider to a verified account': {
    update: (user) => store().linkProvider(user, identity),
    verified: true,
    refusedAfter: ['email', 'unverified', 'subject', 'deleting'],
  },
  removeIdentity: {
    update: (user) => store().removeIdentity(user, new Date()),
    refusedAfter: ['version', 'email', 'verified', 'deleting'],
  },
};

async function account({ verified = false, pending = false }: Partial<Case>) {
  const { id } = await registerAccount(test.accounts, registration(EMAIL));
  const fields = { emailVerified: verified, ...(pending && { pendingEmail: NEXT_EMAIL }) };
  await test.update(id, { $set: fields });
  return (await store().find(id)) as UserRecord;
}

describe.each(Object.entries(CASES))('%s', (_name, one) => {
  it('changes only an account that is unchanged since it was read', async () => {
    const user = await account(one);
    expect(await one.update(user)).toMatchObject({ id: user.id });
  });

  it.each(one.refusedAfter)(
    'changes nothing when the account changed meanwhile: %s',
    async (change) => {
      const user = await account(one);
      await test.update(user.id, CHANGES[change]);
      const before = await stored(user.id);
      expect(await one.update(user)).toBeNull();
      expect(await stored(user.id)).toEqual(before);
    },
  );
});

it.each([
  'applyPendingEmail',
  'setPassword',
  'resetPassword of a verified account',
  'removeIdentity',
])('%s raises the version of the credentials', async (name) => {
  const one = CASES[name] as Case;
  const user = await account(one);
  const changed = await one.update(user);
  expect(changed?.credentialVersion).toBe(user.credentialVersion + 1);
});

it('an account that is being deleted is not found and gets no session', async () => {
  const user = await account({});
  expect(await store().recordSignIn(user, new Date())).toBe(true);
  await test.update(user.id, CHANGES.deleting);
  expect(await store().recordSignIn(user, new Date())).toBe(false);
  expect(await store().find(user.id)).toBeNull();
  expect(await store().findByEmail(EMAIL)).toBeNull();
  expect(await store().findCredentials({ email: EMAIL })).toBeNull();
});

it('a sign-in counts only at the version of the credentials that it verified', async () => {
  const user = await account({});
  await test.update(user.id, CHANGES.version);
  expect(await store().recordSignIn(user, new Date())).toBe(false);
});

it('only a guest can become another account', async () => {
  const user = await account({});
  const { password: _password, ...fields } = registration(NEXT_EMAIL);
  const from = { ...presentedBy(user.id), now: new Date() };
  expect((await store().register({ ...fields, emailVerified: false }, from)).id).not.toBe(user.id);
});

it('two accounts never share an address or a subject', async () => {
  await test.update((await account({})).id, { $set: { google: 'g-0', replit: 'r-0' } });
  const fields = { emailVerified: true, firstName: '', lastName: '' };
  const next = { email: NEXT_EMAIL };
  for (const taken of [{ email: EMAIL }, { ...next, google: 'g-0' }, { ...next, replit: 'r-0' }])
    await expect(
      store().register({ ...fields, ...taken }, { now: new Date() }),
    ).rejects.toMatchObject({ name: 'IdentityTakenError' });
});

it('an account is closed once, and removed only after it was closed', async () => {
  const { removals } = test.accounts;
  const user = await account({ verified: true, pending: true });
  const others = { google: 'g-0', replit: 'r-0', formerEmails: ['former@example.com'] };
  await test.update(user.id, { $set: others });
  await removals.remove(user.id);
  expect(await stored(user.id)).toBeDefined();
  const first = new Date();
  expect(await removals.begin(user.id, first)).toBe(true);
  expect(await removals.begin(user.id, new Date(first.getTime() + 1))).toBe(false);
  const closed = await stored(user.id);
  expect(closed?.deletingAt).toEqual(first);
  for (const field of ['email', 'pendingEmail', 'passwordHash', ...Object.keys(others)])
    expect(closed).not.toHaveProperty(field);
  await removals.remove(user.id);
  expect(await stored(user.id)).toBeUndefined();
});

it('an account that changed after it was found due is not returned', async () => {
  const user = await account({});
  const later = new Date(Date.now() + 1_000);
  const lease = (keep: (id: string) => Promise<boolean>) =>
    test.accounts.removals.lease({
      guestsUnseenSince: later,
      unverifiedUnseenSince: later,
      retryBefore: new Date(0),
      now: later,
      limit: 10,
      onPartition: (_partition, work) => work(),
      keep,
    });
  const verify = async () => {
    await test.update(user.id, CHANGES.verified);
    return false;
  };
  expect(await lease(verify)).toEqual([]);
  await test.update(user.id, CHANGES.unverified);
  expect(await lease(async () => false)).toEqual([user.id]);
});
