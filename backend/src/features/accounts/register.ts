import type { RegisterBody } from '../../contract/auth.ts';
import { AppError } from '../../errors.ts';
import { createAccount, type Presented } from './create-account.ts';
import type { AccountsFeature } from './feature.ts';
import { notify } from './mails.ts';
import { hashPassword, rejectWeakPassword } from './passwords.ts';
import { IdentityTakenError, type UserRecord } from './user-record.ts';

/**
 * Creates an account. A guest's account becomes the registered one, with all its content. For an email address that has an account, the
 * answer does not depend on the password.
 * @throws AppError email_taken, or invalid_field when the password is easy to guess
 */
export async function registerAccount(
  accounts: AccountsFeature,
  { password, email, firstName, lastName }: RegisterBody,
  presented: Presented = {},
): Promise<UserRecord> {
  await rejectWeakPassword(password, { email, field: 'password' });
  const passwordHash = await hashPassword(password);
  const registration = { email, emailVerified: false, firstName, lastName, passwordHash };
  const user = await createAccount(accounts, registration, presented).catch(rejectTaken);
  // The account exists even when the mail fails; Settings can send the link again.
  await notify(accounts, user.id, 'confirm');
  return user;
}

function rejectTaken(error: unknown): never {
  if (!(error instanceof IdentityTakenError)) throw error;
  throw new AppError(
    'email_taken',
    'An account with this email already exists. Sign in or reset your password.',
  );
}
