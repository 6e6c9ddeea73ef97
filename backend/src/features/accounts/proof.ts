import { AppError, invalidField } from '../../errors.ts';
import type { AccountsFeature } from './feature.ts';
import { verifyPassword } from './passwords.ts';
import { findSession } from './sessions.ts';
import type { UserRecord } from './user-record.ts';

/** How long a sign-in proves an account without a password. */
const FRESH_MS = 5 * 60_000;

type ProofParts = Pick<AccountsFeature, 'users' | 'sessions' | 'now'>;

/** A call of a signed-in user about their own account. */
export interface OwnCall {
  user: UserRecord;
  sessionId: string;
}

/** The account of this email address and password, or null. Both cases do the same work. */
export async function verifyCredentials(
  { users }: Pick<AccountsFeature, 'users'>,
  { email, password }: { email: string; password: string },
): Promise<UserRecord | null> {
  const found = await users.findCredentials({ email });
  return (await verifyPassword(found?.passwordHash, password)) && found ? found.user : null;
}

/**
 * Security changes require the current password, or a fresh sign-in where the account has none. Guests have neither.
 * @throws AppError invalid_field, reauthentication_required
 */
export async function requireProof(
  accounts: ProofParts,
  call: OwnCall,
  password: string | undefined,
): Promise<void> {
  const { user } = call;
  if (user.subscriptionStatus === 'guest') return;
  if (user.hasPassword)
    await requirePassword(accounts, user, { password: password ?? '', field: 'currentPassword' });
  else await requireFreshSession(accounts, call);
}

/** @throws AppError invalid_field of `field` when this is not the password */
export async function requirePassword(
  { users }: Pick<AccountsFeature, 'users'>,
  { id }: Pick<UserRecord, 'id'>,
  { password, field }: { password: string; field: string },
): Promise<void> {
  const found = await users.findCredentials({ _id: id });
  if (await verifyPassword(found?.passwordHash, password)) return;
  throw invalidField(field, 'This is not your current password.');
}

// A provider may reuse an older session of its own, so a recent session of ours proves nothing.
async function requireFreshSession(
  accounts: ProofParts,
  { user, sessionId }: OwnCall,
): Promise<void> {
  const session = await findSession(accounts, { userId: user.id, sessionId });
  const provenAt = session?.authenticatedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (accounts.now().getTime() - provenAt < FRESH_MS) return;
  throw new AppError(
    'reauthentication_required',
    'Sign in again to do this, or have a link mailed to set a password.',
  );
}
