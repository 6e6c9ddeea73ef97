import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createDailyRuns } from '../../db/daily-runs.ts';
import type { BillingService } from '../billing/index.ts';
import { type Core, defineFeature } from '../define-feature.ts';
import { AUDIT_EVERY_MS, type AuditCounts, createAudit, defineAuditModel } from './audit.ts';
import { createGuestBudget, defineBudgetModel } from './budget-model.ts';
import { createCapStore, defineCapModel } from './cap-model.ts';
import { toCsv } from './csv.ts';
import { createLedgerStore, defineLedgerModel } from './ledger-model.ts';
import { createUsageStore, defineUsageModel } from './model.ts';
import { type UsageRoutesDeps, usageRoutes } from './routes.ts';
import { createUsageService } from './service.ts';
import { createUsageSweep, type IsActive, USAGE_SWEEP_EVERY_MS } from './sweep.ts';

export type { Lane } from '../billing/index.ts';
export { chargedAnswer } from './charged-answer.ts';
export { MIN_REPLY_TOKENS } from './reserving.ts';
export type { ReadAhead, UsageService } from './service.ts';

interface Others {
  billing: Pick<BillingService, 'entitlementsOf'>;
  /** Tells the user's tabs what is used, without being waited for. */
  accounts: { tellUsage: (userId: string) => void };
  chat: { activeReplies: IsActive; replies: { findOwn: UsageRoutesDeps['findReply'] } };
}

type Models = ReturnType<typeof models>;

const models = (connection: Core['connection']) => ({
  usage: defineUsageModel(connection),
  ledger: defineLedgerModel(connection),
  budget: defineBudgetModel(connection),
  caps: defineCapModel(connection),
  audits: defineAuditModel(connection),
});

const stores = ({ models, config, now }: Core & { models: Models }, { accounts }: Others) => ({
  store: createUsageStore(models.usage),
  ledger: createLedgerStore(models.ledger),
  budget: createGuestBudget(models.budget, { tokensPerHour: config.GUEST_TOKENS_PER_HOUR }),
  caps: createCapStore(models.caps),
  audits: createDailyRuns<AuditCounts>(models.audits),
  now,
  onChanged: (ownerId: string) => accounts.tellUsage(ownerId),
});

/** Quota: what replies reserve and use. */
export const usage = defineFeature({
  name: 'usage',
  models,
  owners: { usage: 'ownerId', ledger: 'ownerId', budget: null, caps: '_id', audits: null },
  create: (core, others: Others) =>
    createUsageService({
      ...stores(core, others),
      entitlementsOf: others.billing.entitlementsOf,
      cachedShare: core.config.CACHED_TOKENS_SHARE,
      newId: randomUUID,
    }),
  routes: ({ service, others, ...own }) => [
    usageRoutes({ ...own, usage: service, findReply: others.chat.replies.findOwn }),
  ],
  sweeps: ({ others, ...own }) => [
    {
      name: 'usage reservations',
      everyMs: USAGE_SWEEP_EVERY_MS,
      run: createUsageSweep({ ...stores(own, others), isActive: others.chat.activeReplies }),
    },
    {
      name: 'usage audit',
      everyMs: AUDIT_EVERY_MS,
      run: createAudit({ ...stores(own, others), log: own.log }),
    },
  ],
  exportUser: ({ service }) =>
    async function* entries(userId) {
      yield {
        path: 'usage.csv',
        open: async () => Readable.from(toCsv(service.readLines(userId))),
      };
    },
  eraseUser: ({ service }) => service.removeAllOf,
});
