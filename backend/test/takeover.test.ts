// The owner of a mailbox gets the email address of an unverified account: docs/decisions/0042-accounts-of-their-own.md.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { resetPassword } from '../src/features/accounts/credentials.ts';
import { findOrCreateAccount } from '../src/features/accounts/identities.ts';
import { makeLink } from '../src/features/accounts/links.ts';
import { registerAccount } from '../src/features/accounts/register.ts';
import type { UserRecord } from '../src/features/accounts/user-record.ts';
import { openUserStores } from './user-stores.ts';
import { newEmail, PASSWORD } from './visitor.ts';

let test: Awaited<ReturnType<typeof openUserStores>>;

beforeAll(async () => {
  test = await openUserStores();
  return () => test.product.disconnect();
});

type Holder = UserRecord & { email: string };

/** By a mailed link. */
async function reset({ id, email }: Holder): Promise<UserRecord> {
  const { accounts } = test.product.services;
  const token = await makeLink(accounts, 'reset', { userId: id, email });
  return (await resetPassword(accounts, { token, password: PASSWORD })).user;
}

const signIn =
  (provider: 'google' | 'replit') =>
  async ({ email }: Holder): Promise<UserRecord> => {
    const identity = { provider, subject: randomUUID(), firstName: '', lastName: '' };
    const verified = { ...identity, email, emailVerified: true };
    return (await findOrCreateAccount(test.product.services.accounts, verified)).user;
  };

it.each([
  ['a reset link', reset],
  ['a sign-in with Google', signIn('google')],
  ['a sign-in with Replit', signIn('replit')],
])(
  'no data that any feature stored for the earlier holder is in the account of %s',
  async (_by, prove) => {
    const email = newEmail();
    const names = { firstName: 'Ada', lastName: 'L' };
    const { accounts } = test.product.services;
    const planted = await registerAccount(accounts, { email, password: PASSWORD, ...names });
    await test.fill(planted.id, { except: ['users'] });
    const before = await test.left(planted.id);
    // Every store has data, or the test would not cover it.
    expect(Object.values(before)).not.toContain(0);

    const owner = await prove({ ...planted, email });
    // The notice of the new password waits to be mailed.
    const { accounts: own, jobs: _notice, ...rest } = await test.left(owner.id);
    expect(owner.id).not.toBe(planted.id);
    expect(own).toBe(1);
    expect(new Set(Object.values(rest))).toEqual(new Set([0]));
    // The old account keeps all data except its sessions and links.
    expect(await test.left(planted.id)).toEqual({ ...before, accounts: 1 });
  },
);
