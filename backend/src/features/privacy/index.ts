import { createTaskSweep } from '../../jobs/durable.ts';
import { runJob } from '../../jobs/worker.ts';
import { proofHandlers } from '../accounts/index.ts';
import { defineFeature } from '../define-feature.ts';
import { deletionRunner, RECEIPT_KEPT_MS } from './deletion/deleting.ts';
import { type DeletionChoice, prepareDeletion, requestDeletion } from './deletion/receipts.ts';
import { EXPORT_KEPT_MS, eraseExpired, exportRunner } from './exporting.ts';
import {
  createPrivacyFeature,
  defineModels,
  deletionJob,
  exportJob,
  type Others,
} from './feature.ts';
import { unusedData } from './migrations.ts';
import { privacyRoutes } from './routes.ts';
import { privacyStatement } from './statement.ts';

const SWEEP_EVERY_MS = 60_000;

/** The privacy statement, the export of a user's data, and the deletion of accounts with receipts. */
export const privacy = defineFeature({
  name: 'privacy',
  models: defineModels,
  // A receipt names its user until its last write, which proves that no other record does.
  owners: { exports: '_id', receipts: null },
  shardKeys: { exports: ['_id'], receipts: null },
  retention: [
    { kind: 'export', seconds: EXPORT_KEPT_MS / 1_000 },
    { kind: 'receipt', seconds: RECEIPT_KEPT_MS / 1_000 },
  ],
  migrations: [unusedData],
  socketEvents: ['export:changed'],
  create: (core, others: Others) => {
    const feature = createPrivacyFeature(core, others);
    return {
      ...feature,
      /** For accounts, which come earlier in the list. */
      requestDeletion: (accountId: string) => requestDeletion(feature, accountId),
      prepareDeletion: (accountId: string, choice: DeletionChoice) =>
        prepareDeletion(feature, accountId, choice),
    };
  },
  routes: ({ service, config, others, rateLimit, retention }) => [
    privacyRoutes(service, {
      statement: privacyStatement(config, retention),
      rateLimit,
      proof: proofHandlers(others.accounts, rateLimit),
    }),
  ],
  jobs: ({ service, ...tools }) => {
    const exporting = exportRunner(service, tools.exportUser);
    return [
      runJob(exportJob, exporting.run, exporting),
      runJob(deletionJob, deletionRunner(service, tools).run),
    ];
  },
  sweeps: ({ service }) => [
    {
      name: 'data exports without a job',
      everyMs: SWEEP_EVERY_MS,
      run: createTaskSweep({
        ...service,
        tasks: service.exports.tasks,
        queue: service.exportQueue,
      }),
    },
    { name: 'expired data exports', everyMs: SWEEP_EVERY_MS, run: () => eraseExpired(service) },
    {
      name: 'deletions without a job',
      everyMs: SWEEP_EVERY_MS,
      run: createTaskSweep({
        ...service,
        tasks: service.receipts.tasks,
        queue: service.deletionQueue,
      }),
    },
  ],
  eraseUser: ({ service }, userId) => service.exports.removeAllOf(userId),
});
