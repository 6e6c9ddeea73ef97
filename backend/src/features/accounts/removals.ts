import { sweepEach } from '../../jobs/sweep-each.ts';
import type { Links } from './links.ts';
import type { RemovalStore } from './removal-model.ts';
import { type Sessions, TOUCH_MS } from './sessions.ts';
import type { UserRecord } from './user-record.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Guests are deleted 24 hours after their last use, which is known to within the touch interval. */
export const GUEST_LIFETIME_MS = DAY_MS + TOUCH_MS;
/** Accounts that were never verified and have no plan are deleted 30 days after their last use. */
export const UNVERIFIED_LIFETIME_MS = 30 * DAY_MS + TOUCH_MS;
/** A removal that has not finished by then is leased again. */
const LEASE_MS = HOUR_MS;

interface RemovalsDeps {
  removals: RemovalStore;
  sessions: Sessions;
  links: Links;
  now: () => Date;
  /** Has a closed account erased. Asking again does no harm. @returns the id of the receipt */
  requestRemoval: (userId: string) => Promise<string>;
  /** Whether a user has a plan: such an account is kept, verified or not. */
  hasPlan: (userId: string) => Promise<boolean>;
}

/** Removes accounts: closes them at once, removes their data by a job, and deletes them last. */
export function createRemovals(deps: RemovalsDeps) {
  const { removals, sessions, links, now, requestRemoval, hasPlan } = deps;

  return {
    /**
     * Closes the account and ends its sessions; a job removes what it holds. If that cannot be requested now,
     * `leaseForRemoval` returns the account later.
     * @returns the id of the receipt
     */
    deleteAccount: async ({ id }: UserRecord): Promise<string> => {
      await removals.begin(id, now());
      await sessions.endAllOf(id);
      return requestRemoval(id);
    },

    /**
     * Accounts that are due: guests without use for 24 hours, unverified ones without a plan and without use for 30
     * days, and deleted ones whose removal has not finished within an hour. Their sessions are ended. The caller
     * removes what other features keep of them, then calls `forget`; what it does not finish within an hour is leased
     * again.
     */
    leaseForRemoval: async ({ limit }: { limit: number }): Promise<string[]> => {
      const at = now();
      const before = (ms: number) => new Date(at.getTime() - ms);
      const ids = await removals.lease({
        guestsUnseenSince: before(GUEST_LIFETIME_MS),
        unverifiedUnseenSince: before(UNVERIFIED_LIFETIME_MS),
        retryBefore: before(LEASE_MS),
        now: at,
        limit,
        keep: hasPlan,
      });
      // An account that is being removed signs nobody in; its removal ends what is not ended here.
      await Promise.allSettled(ids.map((id) => sessions.endAllOf(id)));
      return ids;
    },

    /** Deletes the account itself with its sessions and links: the last step of a removal. */
    forget: async (userId: string): Promise<void> => {
      await sessions.endAllOf(userId);
      await links.removeAllOf(userId);
      await removals.remove(userId);
    },
  };
}

export const REMOVAL_EVERY_MS = 60_000;
const BATCH = 50;

/** Has accounts erased that are not used any more, and deleted ones whose erasure could not be requested. */
export const createDueRemovals =
  ({
    leaseForRemoval,
    requestRemoval,
  }: Pick<ReturnType<typeof createRemovals>, 'leaseForRemoval'> &
    Pick<RemovalsDeps, 'requestRemoval'>) =>
  async (): Promise<void> => {
    await sweepEach(await leaseForRemoval({ limit: BATCH }), requestRemoval);
  };
