import { type DurableTask, durable } from '../../../jobs/durable.ts';
import type { WorkerTools } from '../../define-feature.ts';
import type { PrivacyFeature } from '../feature.ts';
import { type Counts, doneReceipt, type ReceiptKey, type ReceiptRecord } from './receipt-model.ts';

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;
/** A receipt is kept for this long after the deletion. */
export const RECEIPT_KEPT_MS = 30 * DAY_MS;
/** The wait after an attempt that has left data; it doubles with each one. */
const FIRST_WAIT_MS = 2 * SECOND_MS;
/** The wait after a failed attempt. */
const FIRST_RETRY_MS = 5 * SECOND_MS;
const MAX_WAIT_MS = 5 * 60 * SECOND_MS;
/**
 * A deletion is done when an attempt that began this long after its request finds no data left: every request that was under way when the
 * account was closed has ended by then, also in a process that was suspended meanwhile.
 */
const LATE_WRITES_MS = 60 * SECOND_MS;

interface Deleting extends Pick<PrivacyFeature, 'receipts' | 'deletionQueue' | 'now' | 'log'> {
  others: {
    accounts: Pick<PrivacyFeature['others']['accounts'], 'find'>;
    chat: Pick<PrivacyFeature['others']['chat'], 'endElsewhere'>;
  };
}

interface Tools
  extends Pick<WorkerTools, 'eraseUser' | 'userStores' | 'userJobs'>,
    Pick<DurableTask<ReceiptKey, ReceiptRecord>, 'sleep'> {}

/**
 * Erases closed accounts. An attempt counts the data, erases it and counts again, until no store has any. Every step can be repeated, so
 * the next attempt starts an interrupted one again.
 */
export function deletionRunner(privacy: Deleting, tools: Tools) {
  const { receipts, others, now, log } = privacy;
  const { eraseUser, userJobs, sleep } = tools;
  const isOpen = async (userId: string) => (await others.accounts.find(userId)) !== null;

  return durable<ReceiptKey, ReceiptRecord>({
    tasks: receipts.tasks,
    queue: privacy.deletionQueue,
    // A deletion is never given up.
    retries: Number.POSITIVE_INFINITY,
    maxLost: Number.POSITIVE_INFINITY,
    retryMs: (failures) => Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_WAIT_MS),
    givenUp: () => ({}),
    now,
    log,
    ...(sleep && { sleep }),
    /** One attempt. Another one follows when data is left, or may still be written. */
    run: async ({ key: { receiptId }, doc, attempt }) => {
      const { accountId: userId, requestedAt, eraseMessages: erase = false } = doc;
      if (!userId || (await isOpen(userId))) return { again: {}, delayMs: MAX_WAIT_MS };
      const sinceMs = now().getTime() - requestedAt.getTime();
      await receipts.note(receiptId, { found: await countStored(tools, userId) });
      await userJobs.remove(userId);
      await eraseUser(userId);
      await receipts.noteElsewhere(receiptId, await others.chat.endElsewhere(userId, { erase }));
      const left = await countStored(tools, userId);
      const finishedAt = now();
      const isEmpty = Object.values(left).every((one) => one === 0);
      if (isEmpty && sinceMs >= LATE_WRITES_MS) {
        const expiresAt = new Date(finishedAt.getTime() + RECEIPT_KEPT_MS);
        return { end: doneReceipt({ left, finishedAt, expiresAt }) };
      }
      const delayMs = isEmpty
        ? LATE_WRITES_MS - sinceMs
        : Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
      return { again: { $set: { left } }, delayMs };
    },
  });
}

/** The user's data, counted by store. */
async function countStored({ userJobs, userStores }: Tools, userId: string): Promise<Counts> {
  // The jobs first: an ended job cannot write any more.
  const counts: Counts = { jobs: await userJobs.count(userId) };
  for (const store of userStores)
    counts[store.name] = (counts[store.name] ?? 0) + (await store.count(userId));
  return counts;
}
