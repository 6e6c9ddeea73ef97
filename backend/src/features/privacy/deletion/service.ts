import { DELETION_STORES, type DeletionReceipt } from '../../../contract/deletion.ts';
import { notFound } from '../../../errors.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import type { Log } from '../../../log.ts';
import type { ReceiptRecord, ReceiptStore } from './receipt-model.ts';

/** Calls that were under way when an account was closed have ended by then, and store nothing after. */
const DELAY_MS = 3_000;

interface ServiceDeps {
  receipts: ReceiptStore;
  producer: Pick<JobProducer<{ receiptId: string }>, 'add'>;
  log: Pick<Log, 'warn'>;
  now: () => Date;
  /** An unguessable id. */
  newId: () => string;
}

export function createDeletionService({ receipts, producer, log, now, newId }: ServiceDeps) {
  return {
    /** Has a closed account erased; again while that goes on, it is the same receipt. @returns the id of the receipt */
    requestDeletion: async (accountId: string): Promise<string> => {
      const receiptId = await receipts.open(accountId, { id: newId(), now: now() });
      // The sweep enqueues what fails here.
      await producer
        .add(receiptId, { receiptId }, { delayMs: DELAY_MS })
        .catch((error: unknown) => log.warn({ err: error }, 'an account is erased later'));
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
