import { DELETION_STORES, type DeletionReceipt } from '../../../contract/privacy.ts';
import { notFound } from '../../../errors.ts';
import { SWEEP_AFTER_MS } from '../../../jobs/durable.ts';
import type { PrivacyFeature } from '../feature.ts';
import type { ReceiptRecord } from './receipt-model.ts';

/** By then calls that were under way when an account was closed have ended. */
const DELAY_MS = 3_000;

/**
 * Requests the erasure of a closed account; a repeated request returns the same receipt.
 * @returns the id of the receipt
 */
export async function requestDeletion(
  { receipts, deletionQueue, now, newReceiptId }: PrivacyFeature,
  accountId: string,
): Promise<string> {
  const at = now();
  const dueAt = new Date(at.getTime() + DELAY_MS + SWEEP_AFTER_MS);
  const receiptId = await receipts.open(accountId, { id: newReceiptId(), now: at, dueAt });
  await deletionQueue.enqueue({ receiptId }, { delayMs: DELAY_MS });
  return receiptId;
}

/** The receipt of a deletion. @throws AppError not_found */
export async function readReceipt(
  { receipts, now }: Pick<PrivacyFeature, 'receipts' | 'now'>,
  id: string,
): Promise<DeletionReceipt> {
  const found = await receipts.find(id);
  // The database removes expired receipts with a delay.
  if (!found || (found.expiresAt && found.expiresAt <= now())) throw notFound('receipt');
  return presentReceipt(found);
}

const presentReceipt = (receipt: ReceiptRecord): DeletionReceipt => ({
  id: receipt.id,
  state: receipt.state,
  requestedAt: receipt.requestedAt.toISOString(),
  ...(receipt.finishedAt && { finishedAt: receipt.finishedAt.toISOString() }),
  ...(receipt.expiresAt && { expiresAt: receipt.expiresAt.toISOString() }),
  stores: DELETION_STORES.map((store) => ({
    store,
    found: receipt.found[store] ?? 0,
    left: receipt.left?.[store] ?? null,
  })),
});
