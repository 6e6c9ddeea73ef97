import * as z from 'zod';
import { defineJob } from '../../jobs/define-job.ts';
import type { Links } from './links.ts';
import type { RemovalStore } from './removal-model.ts';
import { type Sessions, TOUCH_MS } from './sessions.ts';
import type { UserRecord } from './user-model.ts';

const HOUR = 60 * 60_000;
/** Guests are deleted 24 hours after their last use, which is known to within the touch interval. */
const GUEST_LIFETIME_MS = 24 * HOUR + TOUCH_MS;
/** A removal that has not come to its end by then is handed out again. */
const CLAIM_MS = HOUR;

/** Removes everything of an account that was deleted. */
export const removalJob = defineJob({
  name: 'account-removals',
  schema: z.object({ userId: z.string() }),
  retry: { attempts: 5, firstMs: 5_000 },
});
export type RemovalJob = z.infer<typeof removalJob.schema>;

interface RemovalsDeps {
  removals: RemovalStore;
  sessions: Sessions;
  links: Links;
  now: () => Date;
  requestRemoval: (userId: string) => Promise<void>;
}

/** The end of accounts: shut at once, emptied by a job, and last of all forgotten. */
export function createRemovals({ removals, sessions, links, now, requestRemoval }: RemovalsDeps) {
  return {
    /**
     * Shuts the account and ends its sessions; what it holds is removed soon after. If that cannot be asked for now,
     * `claimForRemoval` hands the account out later.
     */
    deleteAccount: async ({ id }: UserRecord): Promise<void> => {
      await removals.begin(id, now());
      await sessions.endAllOf(id);
      await requestRemoval(id);
    },

    /**
     * Accounts whose turn it is: guests that were not seen for 24 hours, and deleted ones whose removal has not ended
     * within an hour. Their sessions are ended. The caller removes what other features keep of them, then calls
     * `forget`; what it does not finish within an hour is handed out again.
     */
    claimForRemoval: async ({ limit }: { limit: number }): Promise<string[]> => {
      const at = now();
      const ids = await removals.claim({
        unseenSince: new Date(at.getTime() - GUEST_LIFETIME_MS),
        retryBefore: new Date(at.getTime() - CLAIM_MS),
        now: at,
        limit,
      });
      await Promise.all(ids.map((id) => sessions.endAllOf(id)));
      return ids;
    },

    /** What a removal needs to know of an account; null when it is not being deleted, or gone. */
    findForRemoval: removals.find,

    /** The account itself with its sessions and links: the last step of a removal. */
    forget: async (userId: string): Promise<void> => {
      await sessions.endAllOf(userId);
      await links.removeAllOf(userId);
      await removals.remove(userId);
    },
  };
}
