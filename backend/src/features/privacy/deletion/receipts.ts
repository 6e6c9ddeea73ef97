import type { Actor } from '../../../access/index.ts';
import {
  DELETION_STORES,
  type DeletionPreview,
  type DeletionReceipt,
} from '../../../contract/privacy.ts';
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
  const receiptId = await receipts.open(accountId, { id: newReceiptId(), ...times(now()) });
  await deletionQueue.enqueue({ receiptId }, { delayMs: DELAY_MS });
  return receiptId;
}

const times = (now: Date) => ({
  now,
  dueAt: new Date(now.getTime() + DELAY_MS + SWEEP_AFTER_MS),
});

/** What becomes of what an account shares with others. */
export interface DeletionChoice {
  handOver: boolean;
  eraseMessages: boolean;
}

/**
 * Stores the choices before the account is closed, so that no crash forgets them. A receipt of an account that stays open erases nothing; the
 * next request of its deletion takes it over.
 */
export async function prepareDeletion(
  { receipts, others, now, newReceiptId }: PrivacyFeature,
  accountId: string,
  { handOver, eraseMessages }: DeletionChoice,
): Promise<void> {
  const receiptId = await receipts.open(accountId, { id: newReceiptId(), ...times(now()) });
  await receipts.choose(receiptId, { eraseMessages });
  // Before it is handed over: a repeated request finds less.
  if (handOver)
    await receipts.note(receiptId, {
      handedOver: await others.workspaces.countSharedBy(accountId),
    });
  await others.workspaces.leaveAll(accountId, { handsOver: handOver });
}

/** What of an account is shared with others. */
export async function previewDeletion(
  { others: { workspaces, chat } }: PrivacyFeature,
  { userId }: Pick<Actor, 'userId'>,
): Promise<DeletionPreview> {
  const [{ conversations: shared, ...counts }, { kept }] = await Promise.all([
    workspaces.countSharedBy(userId),
    chat.countElsewhere(userId),
  ]);
  return { shared, ...counts, messages: kept };
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
  ...(receipt.elsewhere && { elsewhere: receipt.elsewhere }),
  // Receipts of earlier builds have no files.
  ...(receipt.handedOver && {
    handedOver: { ...receipt.handedOver, files: receipt.handedOver.files ?? 0 },
  }),
});
