import type { SecurityEvent } from '../../security-log.ts';
import { createAccount, type Presented } from './create-account.ts';
import type { AccountsFeature } from './feature.ts';
import { endAllSessions } from './sessions.ts';
import { IdentityTakenError, type Registration, type UserRecord } from './user-record.ts';

/** The account that belongs to a proof of identity, and the changes that the proof caused. */
export interface ProvenAccount {
  user: UserRecord;
  event?: SecurityEvent;
  /** The account that had the email address before the takeover. */
  formerUserId?: string;
}

interface Takeover extends Presented {
  holder: UserRecord;
  registration: Registration & { emailVerified: true };
}

/**
 * Moves the email address of an unverified account to an account of the user who has proven it. The owner of a mailbox gets a separate
 * account, never the content of the unverified one: memories, personas and files of the earlier holder would influence later replies. Two
 * writes move the address; the first removes it from the old account. After a crash between them the address is free, and the same proof
 * continues from there.
 * @returns null when the account has changed since it was read
 * @throws IdentityTakenError when another account got the address between the two writes
 */
export async function takeOver(
  accounts: AccountsFeature,
  { holder, registration, presented }: Takeover,
): Promise<UserRecord | null> {
  const { users, links, others, now } = accounts;
  if (holder.email !== null) {
    // Payments end first: afterwards no one could reach the account to end its subscription.
    await others.billing.endPayments(holder.id);
    const { email } = registration;
    if (!(await users.removeIdentity({ ...holder, email }, now()))) return null;
  }
  const owner = await createAccount(accounts, registration, { presented });
  await links.removeAllOf(holder.id);
  await endAllSessions(accounts, holder.id);
  return owner;
}

/** Another account has the address or the subject. */
export function ignoreTaken(error: unknown): null {
  if (error instanceof IdentityTakenError) return null;
  throw error;
}
