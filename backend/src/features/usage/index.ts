import { Readable } from 'node:stream';
import { defineFeature } from '../define-feature.ts';
import { AUDIT_EVERY_MS, auditSums } from './audit.ts';
import { toCsv } from './csv.ts';
import { createUsageFeature, defineModels, type Others } from './feature.ts';
import { countAskedBy, readLines, removeAllOf } from './lines.ts';
import { bindMembers } from './members.ts';
import { usageRoutes } from './routes.ts';
import { sweepReservations, USAGE_SWEEP_EVERY_MS } from './sweep.ts';

export type { Lane } from '../billing/index.ts';
export { chargedAnswer, hasReserved } from './charged-answer.ts';
export { MIN_REPLY_TOKENS } from './make-reservation.ts';
export type { UsageService } from './members.ts';
export type { ReadAhead } from './reserve.ts';

/** Quota: reservations and usage of replies. */
export const usage = defineFeature({
  name: 'usage',
  models: defineModels,
  owners: { usage: 'ownerId', ledger: 'ownerId', budget: null, caps: '_id', audits: null },
  shardKeys: {
    usage: ['ownerId', '_id'],
    ledger: ['ownerId', '_id'],
    budget: null,
    caps: ['_id'],
    audits: null,
  },
  create: (core, others: Others) => {
    const feature = createUsageFeature(core, others);
    return { ...feature, ...bindMembers(feature) };
  },
  routes: ({ service, rateLimit }) => [usageRoutes(service, rateLimit)],
  sweeps: ({ service }) => [
    {
      name: 'usage reservations',
      everyMs: USAGE_SWEEP_EVERY_MS,
      run: () => sweepReservations(service),
    },
    { name: 'usage audit', everyMs: AUDIT_EVERY_MS, run: () => auditSums(service) },
  ],
  exportUser: ({ service }, userId) => [
    { path: 'usage.csv', open: async () => Readable.from(toCsv(readLines(service, userId))) },
  ],
  userStores: ({ service }) => [
    { name: 'usage', count: (userId) => countAskedBy(service, userId) },
  ],
  eraseUser: ({ service }, userId) => removeAllOf(service, userId),
});
