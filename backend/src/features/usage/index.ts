import { randomUUID } from 'node:crypto';
import type { BillingService } from '../billing/index.ts';
import { type Core, defineFeature } from '../define-feature.ts';
import { createGuestBudget, defineBudgetModel } from './budget-model.ts';
import { createLedgerStore, defineLedgerModel } from './ledger-model.ts';
import { usageMigrations } from './migrations.ts';
import { createUsageStore, defineUsageModel } from './model.ts';
import { createUsageService } from './service.ts';
import { createUsageSweep, type IsActive, USAGE_SWEEP_EVERY_MS } from './sweep.ts';

export type { Lane } from '../billing/index.ts';
export type { ReadAhead, UsageService } from './service.ts';

interface Others {
  billing: Pick<BillingService, 'entitlementsOf'>;
  chat: { activeReplies: IsActive };
}

type Models = ReturnType<typeof models>;

const models = (connection: Core['connection']) => ({
  usage: defineUsageModel(connection),
  ledger: defineLedgerModel(connection),
  budget: defineBudgetModel(connection),
});

const stores = ({ models, config, now }: Core & { models: Models }) => ({
  store: createUsageStore(models.usage),
  ledger: createLedgerStore(models.ledger),
  budget: createGuestBudget(models.budget, { tokensPerHour: config.GUEST_TOKENS_PER_HOUR }),
  now,
});

/** Quota: what replies reserve and use. */
export const usage = defineFeature({
  name: 'usage',
  models,
  migrations: usageMigrations,
  create: (core, { billing }: Others) =>
    createUsageService({
      ...stores(core),
      entitlementsOf: billing.entitlementsOf,
      newId: randomUUID,
    }),
  sweeps: ({ others, ...own }) => [
    {
      name: 'usage reservations',
      everyMs: USAGE_SWEEP_EVERY_MS,
      run: createUsageSweep({ ...stores(own), isActive: others.chat.activeReplies }),
    },
  ],
  eraseUser: ({ service }) => service.removeAllOf,
});
