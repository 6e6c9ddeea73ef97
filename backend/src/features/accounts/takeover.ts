import type { SecurityEvent } from '../../security-log.ts';
import type { AccountsFeature } from './feature.ts';
import { endAllSessions } from './sessions.ts';
import { IdentityTakenError, type Registration, type UserRecord } from './user-record.ts';

/** The account that a proof of identity opens, and what the proof has changed about it. */
export interface ProvenAccount {
  user: UserRecord;
  event?: SecurityEvent;
  /** The account that had the address until now, when it was taken over. */
  formerUserId?: string;
}

/** The user who is signed in where a proof of identity is presented; a guest's account becomes the proven one. */
export interface Presented {
  presentedUserId?: string | undefined;
}

interface Takeover extends Presented {
  holder: UserRecord;
  registration: Registration & { emailVerified: true };
}

/**
 * Gives the address of an unverified account to an account of the user who has proven it. The owner of a mailbox gets an
 * account of their own, never the content of the unverified one: what the earlier holder stored (memories, personas, files)
 * would go on to steer answers. The address moves in two writes, first away from the old account. A crash between them
 * leaves it free, and the same proof goes on from there.
 * @returns null when the account has changed since it was read
 * @throws IdentityTakenError when another account got the address between the two writes
 */
export async function takeOver(
  accounts: AccountsFeature,
  { holder, registration, presentedUserId }: Takeover,
): Promise<UserRecord | null> {
  const { users, links, others, now } = accounts;
  if (holder.email !== null) {
    // Before the account is out of reach: no one could end its subscription afterwards.
    await others.billing.endPayments(holder.id);
    const { email } = registration;
    if (!(await users.removeIdentity({ ...holder, email }, now()))) return null;
  }
  const owner = await users.register(registration, { presentedUserId, now: now() });
  await links.removeAllOf(holder.id);
  await endAllSessions(accounts, holder.id);
  return owner;
}

/** Another account has the address or the subject. */
export function ignoreTaken(error: unknown): null {
  if (error instanceof IdentityTakenError) return null;
  throw error;
}
