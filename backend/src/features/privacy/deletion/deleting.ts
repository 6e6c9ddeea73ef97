import { RunLaterError } from '../../../jobs/define-job.ts';
import { ensureQueued, type JobProducer } from '../../../jobs/producer.ts';
import { sweepEach } from '../../../jobs/sweep-each.ts';
import type { UserJobs, WorkerTools } from '../../define-feature.ts';
import type { Counts, ReceiptStore } from './receipt-model.ts';

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;
/** A receipt is kept for this long after the deletion. */
export const RECEIPT_KEPT_MS = 30 * DAY_MS;
/** The wait after a pass that has left something; it doubles with each one. */
const FIRST_WAIT_MS = 2 * SECOND_MS;
const LONGEST_WAIT_MS = 5 * 60 * SECOND_MS;
/**
 * A deletion is done when a pass that began this long after its request has left nothing: a request that was under way when the
 * account was closed has ended by then, also in a process that was suspended meanwhile.
 */
const LATE_WRITES_MS = 60 * SECOND_MS;
/** A pass that is late by this much has lost its job. */
const LATE_MS = 60 * SECOND_MS;

export interface DeletingDeps extends Pick<WorkerTools, 'eraseUser' | 'userStores'> {
  receipts: ReceiptStore;
  userJobs: UserJobs;
  /** Whether there is such an account that is not closed. */
  isOpen: (accountId: string) => Promise<boolean>;
  now: () => Date;
}

/**
 * Erases closed accounts. A pass counts what is there, erases it and counts again, until no store has anything. Every step
 * can be repeated, so a pass that was cut off is begun again by the next one.
 */
export function createDeleting(deps: DeletingDeps) {
  const { receipts, eraseUser, userStores, userJobs, isOpen, now } = deps;

  const count = async (userId: string): Promise<Counts> => {
    // The jobs first: none of them can write anything after it has ended.
    const counts: Counts = { jobs: await userJobs.count(userId) };
    for (const store of userStores)
      counts[store.name] = (counts[store.name] ?? 0) + (await store.count(userId));
    return counts;
  };

  return {
    /** One pass. @throws RunLaterError when something is left, or may still be written */
    run: async ({ receiptId }: { receiptId: string }): Promise<void> => {
      const receipt = await receipts.find(receiptId);
      const userId = receipt?.accountId;
      if (!receipt || !userId || (await isOpen(userId))) return;
      const sinceMs = now().getTime() - receipt.requestedAt.getTime();
      await receipts.noteFound(receiptId, await count(userId));
      await userJobs.remove(userId);
      await eraseUser(userId);
      const left = await count(userId);
      const at = now();
      const isEmpty = Object.values(left).every((one) => one === 0);
      if (isEmpty && sinceMs >= LATE_WRITES_MS) {
        const expiresAt = new Date(at.getTime() + RECEIPT_KEPT_MS);
        await receipts.finish(receiptId, { left, now: at, expiresAt });
        return;
      }
      const waitMs = isEmpty
        ? LATE_WRITES_MS - sinceMs
        : Math.min(FIRST_WAIT_MS * 2 ** receipt.passes, LONGEST_WAIT_MS);
      await receipts.noteLeft(receiptId, left, new Date(at.getTime() + waitMs));
      throw new RunLaterError(waitMs);
    },
  };
}

/** Enqueues deletions that have lost their job. */
export const createDeletionSweep =
  ({
    receipts,
    producer,
    now,
  }: Pick<DeletingDeps, 'receipts' | 'now'> & {
    producer: Pick<JobProducer<{ receiptId: string }>, 'add' | 'canRun' | 'remove'>;
  }) =>
  async (): Promise<void> =>
    sweepEach(await receipts.findLate(new Date(now().getTime() - LATE_MS)), (receiptId) =>
      ensureQueued(producer, receiptId, () => producer.add(receiptId, { receiptId })),
    );
