import type { SecurityEvent } from '../../security-log.ts';
import type { Links } from './links.ts';
import type { Sessions } from './sessions.ts';
import type { UserStore } from './user-model.ts';
import { IdentityTakenError, type Registration, type UserRecord } from './user-record.ts';

/** The account that a proof of identity opens, and what the proof has changed about it. */
export interface ProvenAccount {
  user: UserRecord;
  event?: SecurityEvent;
  /** The account that had the address until now, when it was taken over. */
  formerUserId?: string;
}

interface TakeoverDeps {
  users: UserStore;
  sessions: Sessions;
  links: Links;
  /** Ends what a user pays or may still pay; rejects when the payment provider is unreachable. */
  endPayments: (userId: string) => Promise<void>;
  now: () => Date;
}

/** Gives the address of an unverified account to an account of the user who has proven it. */
export type TakeOver = ReturnType<typeof createTakeover>;

/**
 * The owner of a mailbox gets an account of their own, never the content of the unverified one: what the earlier holder
 * stored (memories, personas, files) would go on to steer answers. The address moves in two writes, first away from the
 * old account. A crash between them leaves it free, and the same proof goes on from there.
 */
export function createTakeover({ users, sessions, links, endPayments, now }: TakeoverDeps) {
  /**
   * @returns null when the account has changed since it was read
   * @throws IdentityTakenError when another account got the address between the two writes
   */
  return async (
    holder: UserRecord,
    registration: Registration & { emailVerified: true },
    from: { presentedUserId?: string | undefined },
  ): Promise<UserRecord | null> => {
    if (holder.email !== null) {
      // Before the account is out of reach: a subscription must not go on that nobody can end.
      await endPayments(holder.id);
      const { email } = registration;
      if (!(await users.removeIdentity({ ...holder, email }, now()))) return null;
    }
    const owner = await users.register(registration, { ...from, now: now() });
    await links.removeAllOf(holder.id);
    await sessions.endAllOf(holder.id);
    return owner;
  };
}

/** Another account has the address or the subject. */
export function ignoreTaken(error: unknown): null {
  if (error instanceof IdentityTakenError) return null;
  throw error;
}
