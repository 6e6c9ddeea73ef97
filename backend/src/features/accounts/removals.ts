import type { OnPartition } from '../../jobs/partitions.ts';
import { sweepEach } from '../../jobs/sweep-each.ts';
import type { AccountsFeature } from './feature.ts';
import { TOUCH_MS } from './session-model.ts';
import { endAllSessions } from './sessions.ts';
import type { UserRecord } from './user-record.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Guests are deleted 24 hours after their last use, which is recorded within the touch interval. */
export const GUEST_LIFETIME_MS = DAY_MS + TOUCH_MS;
/** Accounts that were never verified and have no plan are deleted 30 days after their last use. */
export const UNVERIFIED_LIFETIME_MS = 30 * DAY_MS + TOUCH_MS;
/** After this time an unfinished removal is leased again. */
const LEASE_MS = HOUR_MS;
export const REMOVAL_EVERY_MS = 60_000;
const BATCH = 200;

const alone: OnPartition = (_partition, work) => work();

/**
 * Closes the account and ends its sessions; a job removes the rest of its data. If the job cannot be requested now, `leaseForRemoval`
 * returns the account later.
 * @returns the id of the receipt
 */
export async function deleteAccount(
  accounts: AccountsFeature,
  { id }: Pick<UserRecord, 'id'>,
  choice?: { handOver: boolean; eraseMessages: boolean },
): Promise<string> {
  if (choice) await accounts.others.privacy.prepareDeletion(id, choice);
  await accounts.removals.begin(id, accounts.now());
  await endAllSessions(accounts, id);
  return accounts.others.privacy.requestDeletion(id);
}

/** Requests the erasure of unused accounts, and of deleted ones whose erasure could not be requested before. */
export async function removeDueAccounts(
  accounts: AccountsFeature,
  onPartition: OnPartition = alone,
): Promise<void> {
  const { requestDeletion } = accounts.others.privacy;
  await sweepEach(await leaseForRemoval(accounts, { limit: BATCH, onPartition }), requestDeletion);
}

/**
 * Accounts that are due: guests unused for 24 hours, unverified accounts without a plan unused for 30 days, and deleted ones whose removal
 * has not finished within an hour. Their sessions are ended. The caller removes the data of other features, then calls `eraseAccount`; an
 * unfinished removal is leased again after an hour.
 */
export async function leaseForRemoval(
  accounts: AccountsFeature,
  { limit, onPartition = alone }: { limit: number; onPartition?: OnPartition },
): Promise<string[]> {
  const at = accounts.now();
  const before = (ms: number) => new Date(at.getTime() - ms);
  const ids = await accounts.removals.lease({
    guestsUnseenSince: before(GUEST_LIFETIME_MS),
    unverifiedUnseenSince: before(UNVERIFIED_LIFETIME_MS),
    retryBefore: before(LEASE_MS),
    now: at,
    limit,
    onPartition,
    keep: accounts.others.billing.hasPlan,
  });
  // An account that is being removed accepts no sign-in; `eraseAccount` ends the remaining sessions.
  await Promise.allSettled(ids.map((id) => endAllSessions(accounts, id)));
  return ids;
}

/** Deletes the account itself with its sessions and links, as the last step of a removal. */
export async function eraseAccount(accounts: AccountsFeature, userId: string): Promise<void> {
  await endAllSessions(accounts, userId);
  await accounts.links.removeAllOf(userId);
  await accounts.removals.remove(userId);
}
