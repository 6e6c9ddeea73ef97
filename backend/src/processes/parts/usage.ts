import { randomUUID } from 'node:crypto';
import type { Config } from '../../config.ts';
import type { Connection } from '../../db/mongo.ts';
import type { BillingService } from '../../features/billing/index.ts';
import { createActiveReplies } from '../../features/chat/generation/index.ts';
import type { MessageModel } from '../../features/chat/messages/index.ts';
import {
  createGuestBudget,
  createLedgerStore,
  createUsageService,
  createUsageStore,
  createUsageSweep,
  defineBudgetModel,
  defineLedgerModel,
  defineUsageModel,
} from '../../features/usage/index.ts';

interface UsageParts {
  connection: Connection;
  config: Config;
  billing: BillingService;
  messageModel: MessageModel;
  now: () => Date;
}

/** Usage with its stores, and the sweep that expires reservations of replies that are not active. */
export function composeUsage({ connection, config, billing, messageModel, now }: UsageParts) {
  const deps = {
    store: createUsageStore(defineUsageModel(connection)),
    ledger: createLedgerStore(defineLedgerModel(connection)),
    budget: createGuestBudget(defineBudgetModel(connection), {
      tokensPerHour: config.GUEST_TOKENS_PER_HOUR,
    }),
    entitlementsOf: billing.entitlementsOf,
    newId: randomUUID,
    now,
  };
  return {
    usage: createUsageService(deps),
    sweepUsage: createUsageSweep({ ...deps, isActive: createActiveReplies(messageModel) }),
  };
}
