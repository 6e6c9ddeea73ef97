import { randomUUID } from 'node:crypto';
import type { Actor } from '../../access/index.ts';
import type { Config } from '../../config.ts';
import { createDailyRuns } from '../../db/daily-runs.ts';
import type { Log } from '../../log.ts';
import type { BillingService } from '../billing/index.ts';
import type { Core } from '../define-feature.ts';
import type { Payer } from '../payer.ts';
import { type AuditCounts, defineAuditModel } from './audit-model.ts';
import { createGuestBudget, defineBudgetModel } from './budget-model.ts';
import { createCapStore, defineCapModel } from './cap-model.ts';
import { createLedgerStore, defineLedgerModel } from './ledger-model.ts';
import { createUsageStore, defineUsageModel } from './model.ts';

/** A workspace that pays for a member. */
interface WorkspacePool {
  id: string;
  name: string;
  ownerId: string;
  /** The member's tokens in a usage period; null: all. */
  cap: number | null;
}

/** What usage needs of other features. */
export interface Others {
  billing: Pick<BillingService, 'entitlementsOf'>;
  /** Publishes the usage to the user's tabs, without being awaited. */
  accounts: { publishUsage: (userId: string) => void };
  workspaces: {
    /** The tokens that a member may use in a usage period, null: all; null for a user who is no member. */
    memberOf: (key: {
      workspaceId: string;
      userId: string;
    }) => Promise<{ cap: number | null } | null>;
    /** The workspaces that pay for a user. */
    poolsOf: (userId: string) => Promise<WorkspacePool[]>;
  };
  chat: {
    /** The given replies that are queued or running. */
    activeReplies: (replyIds: string[]) => Promise<ReadonlySet<string>>;
    /** The most that the owner pays for what others ask in the conversation, in tokens of a usage period; null: nothing. */
    paidByOwner: (key: { id: string; ownerId: string }) => Promise<{ cap: number } | null>;
    /** @throws AppError not_found for a reply that the actor may not read */
    openReply: (
      actor: Pick<Actor, 'userId'>,
      wanted: { id: string; action: 'read' },
    ) => Promise<{ reply: { payer: Payer } }>;
  };
}

export const defineModels = (connection: Core['connection']) => ({
  usage: defineUsageModel(connection),
  ledger: defineLedgerModel(connection),
  budget: defineBudgetModel(connection),
  caps: defineCapModel(connection),
  audits: defineAuditModel(connection),
});

interface Needs extends Pick<Core, 'now'> {
  models: ReturnType<typeof defineModels>;
  config: Pick<Config, 'GUEST_TOKENS_PER_HOUR' | 'CACHED_TOKENS_SHARE'>;
  log: Pick<Log, 'info' | 'warn'>;
}

/** The object of this feature. Every function takes it, or a part of it, as its first parameter. */
export type UsageFeature = ReturnType<typeof createUsageFeature>;

export const createUsageFeature = ({ models, config, log, now }: Needs, others: Others) => ({
  periods: createUsageStore(models.usage),
  ledger: createLedgerStore(models.ledger),
  budget: createGuestBudget(models.budget, { tokensPerHour: config.GUEST_TOKENS_PER_HOUR }),
  caps: createCapStore(models.caps),
  audits: createDailyRuns<AuditCounts>(models.audits),
  /** The weight of a cached prompt token, from 0 to 1. */
  cachedShare: config.CACHED_TOKENS_SHARE,
  others,
  log,
  now,
  newId: (): string => randomUUID(),
  /** Called after the sums of a user have changed. */
  publishChange: (ownerId: string) => others.accounts.publishUsage(ownerId),
});
