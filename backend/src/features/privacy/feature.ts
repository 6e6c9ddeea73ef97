import { randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { HandedOver, MessagesElsewhere } from '../../contract/privacy.ts';
import { defineJob } from '../../jobs/define-job.ts';
import { createTaskQueue } from '../../jobs/durable.ts';
import type { AccountsService } from '../accounts/index.ts';
import type { Core } from '../define-feature.ts';
import { createReceiptStore, defineReceiptModel } from './deletion/receipt-model.ts';
import { createExportStore, defineExportModel } from './export-model.ts';

/** What privacy needs of other features. */
export interface Others {
  accounts: AccountsService;
  workspaces: {
    /** How much a user shares with workspaces of others. */
    countSharedBy: (userId: string) => Promise<HandedOver>;
    /** It goes to the owners of the workspaces, or stays the user's. */
    leaveAll: (userId: string, how: { handsOver: boolean }) => Promise<void>;
  };
  chat: {
    /** The messages of a user in conversations of others. */
    countElsewhere: (userId: string) => Promise<MessagesElsewhere>;
    /** Erases them, or keeps them as those of a former member; it can be repeated. */
    endElsewhere: (userId: string, choice: { erase: boolean }) => Promise<MessagesElsewhere>;
  };
}

export const defineModels = (connection: Core['connection']) => ({
  exports: defineExportModel(connection),
  receipts: defineReceiptModel(connection),
});

/** Makes the export of one user. */
export const exportJob = defineJob({
  name: 'data-exports',
  schema: z.object({ ownerId: z.string(), exportId: z.string() }),
  userOf: ({ ownerId }) => ownerId,
  concurrency: 2,
});

/** Erases one deleted account. The payload names only the receipt. */
export const deletionJob = defineJob({
  name: 'account-deletions',
  schema: z.object({ receiptId: z.string() }),
});

interface Needs extends Pick<Core, 'objects' | 'bus' | 'produce' | 'log' | 'now'> {
  models: ReturnType<typeof defineModels>;
}

/** The object of this feature. Every function takes it, or a part of it, as its first parameter. */
export type PrivacyFeature = ReturnType<typeof createPrivacyFeature>;

export const createPrivacyFeature = (
  { models, objects, bus, produce, log, now }: Needs,
  others: Others,
) => ({
  exports: createExportStore(models.exports),
  exportQueue: createTaskQueue(exportJob, {
    producer: produce(exportJob),
    idOf: ({ exportId }) => exportId,
    log,
  }),
  receipts: createReceiptStore(models.receipts),
  deletionQueue: createTaskQueue(deletionJob, {
    producer: produce(deletionJob),
    idOf: ({ receiptId }) => receiptId,
    log,
  }),
  objects,
  bus,
  others,
  log,
  now,
  newExportId: (): string => randomUUID(),
  /** An unguessable id: its holder may read the receipt. */
  newReceiptId: () => randomBytes(24).toString('hex'),
});
