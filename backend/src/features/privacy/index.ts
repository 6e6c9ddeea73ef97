import { randomBytes, randomUUID } from 'node:crypto';
import { createTaskQueue, createTaskSweep } from '../../jobs/durable.ts';
import { runJob } from '../../jobs/worker.ts';
import { type AccountsService, proofHandlers } from '../accounts/index.ts';
import type { Core } from '../define-feature.ts';
import { defineFeature } from '../define-feature.ts';
import { createDeleting, RECEIPT_KEPT_MS } from './deletion/deleting.ts';
import { createReceiptStore, defineReceiptModel } from './deletion/receipt-model.ts';
import { createDeletionService } from './deletion/service.ts';
import { createExportStore, defineExportModel } from './export-model.ts';
import { createExpirySweep, createExporting, EXPORT_KEPT_MS } from './exporting.ts';
import { deletionJob, exportJob } from './jobs.ts';
import { privacyRoutes } from './routes.ts';
import { createPrivacyService } from './service.ts';
import { privacyStatement } from './statement.ts';

const SWEEP_EVERY_MS = 60_000;

interface Others {
  accounts: AccountsService;
}

const defineModels = (connection: Core['connection']) => ({
  exports: defineExportModel(connection),
  receipts: defineReceiptModel(connection),
});

/** What is kept of users and who gets it: said to everybody, exported for its user, and erased with a receipt. */
export const privacy = defineFeature({
  name: 'privacy',
  models: defineModels,
  // A receipt names its user until its last write, which is the proof that nothing else does.
  owners: { exports: '_id', receipts: null },
  retention: [
    { kind: 'export', seconds: EXPORT_KEPT_MS / 1_000 },
    { kind: 'receipt', seconds: RECEIPT_KEPT_MS / 1_000 },
  ],
  socketEvents: ['export:changed'],
  create: ({ models, produce, ...core }, _others: Others) => {
    const exportQueue = createTaskQueue(exportJob, {
      ...core,
      producer: produce(exportJob),
      idOf: ({ exportId }) => exportId,
    });
    const exports = createExportStore(models.exports);
    const receipts = createReceiptStore(models.receipts);
    const deletionQueue = createTaskQueue(deletionJob, {
      ...core,
      producer: produce(deletionJob),
      idOf: ({ receiptId }) => receiptId,
    });
    return {
      ...createPrivacyService({ ...core, exports, exportQueue, newId: randomUUID }),
      ...createDeletionService({
        ...core,
        receipts,
        deletionQueue,
        newId: () => randomBytes(24).toString('hex'),
      }),
      exports,
      receipts,
      exportQueue,
      deletionQueue,
    };
  },
  routes: ({ service, config, others, rateLimit, retention }) => [
    privacyRoutes({
      privacy: service,
      statement: privacyStatement(config, retention),
      rateLimit,
      proof: proofHandlers(others.accounts, rateLimit),
    }),
  ],
  jobs: ({ service, others, ...own }) => {
    const isOpen = async (userId: string) => (await others.accounts.find(userId)) !== null;
    const deleting = createDeleting({ ...own, ...service, isOpen });
    const exporting = createExporting({ ...own, ...service });
    return [runJob(exportJob, exporting.run, exporting), runJob(deletionJob, deleting.run)];
  },
  sweeps: ({ service, ...own }) => [
    {
      name: 'data exports without a job',
      everyMs: SWEEP_EVERY_MS,
      run: createTaskSweep({ ...own, tasks: service.exports.tasks, queue: service.exportQueue }),
    },
    {
      name: 'expired data exports',
      everyMs: SWEEP_EVERY_MS,
      run: createExpirySweep({ ...own, ...service }),
    },
    {
      name: 'deletions without a job',
      everyMs: SWEEP_EVERY_MS,
      run: createTaskSweep({ ...own, tasks: service.receipts.tasks, queue: service.deletionQueue }),
    },
  ],
  eraseUser: ({ service }) => service.removeAllOf,
});
