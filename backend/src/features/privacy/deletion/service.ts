import { DELETION_STORES, type DeletionReceipt } from '../../../contract/deletion.ts';
import { notFound } from '../../../errors.ts';
import { SWEEP_AFTER_MS, type TaskQueue } from '../../../jobs/durable.ts';
import type { ReceiptKey, ReceiptRecord, ReceiptStore } from './receipt-model.ts';

/** Calls that were under way when an account was closed have ended by then, and store nothing after. */
const DELAY_MS = 3_000;

interface ServiceDeps {
  receipts: ReceiptStore;
  deletionQueue: Pick<TaskQueue<ReceiptKey>, 'enqueue'>;
  now: () => Date;
  /** An unguessable id. */
  newId: () => string;
}

export function createDeletionService({ receipts, deletionQueue, now, newId }: ServiceDeps) {
  return {
    /** Has a closed account erased; again while that goes on, it is the same receipt. @returns the id of the receipt */
    requestDeletion: async (accountId: string): Promise<string> => {
      const at = now();
      const dueAt = new Date(at.getTime() + DELAY_MS + SWEEP_AFTER_MS);
      const receiptId = await receipts.open(accountId, { id: newId(), now: at, dueAt });
      await deletionQueue.enqueue({ receiptId }, { delayMs: DELAY_MS });
      return receiptId;
    },

    /** @throws AppError not_found */
    receipt: async (id: string): Promise<DeletionReceipt> => {
      const found = await receipts.find(id);
      // The database removes expired ones only now and then.
      if (!found || (found.expiresAt && found.expiresAt <= now())) throw notFound('receipt');
      return presentReceipt(found);
    },
  };
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
