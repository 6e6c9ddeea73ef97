import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type Config, hasTestPayments, publicUrl } from '../../config.ts';
import { createDailyRuns, defineDailyRunModel } from '../../db/daily-runs.ts';
import { defineJob } from '../../jobs/define-job.ts';
import { createTaskQueue } from '../../jobs/durable.ts';
import type { CheckoutRequest } from '../../payments/index.ts';
import type { Core } from '../define-feature.ts';
import { createCatalog } from './catalog.ts';
import type { AccountFacts } from './entitlements.ts';
import { createPaymentEventStore, definePaymentEventModel } from './events/event-model.ts';
import { createSubscriptionStore, defineSubscriptionModel } from './model.ts';

/** What billing needs of accounts. */
export interface Others {
  accounts: {
    /** The account of an id; null when it is gone or being deleted. */
    find: (userId: string) => Promise<AccountFacts | null>;
    /** Publishes to the user's tabs that plan or quota changed. */
    publishChange: (userId: string) => Promise<void>;
  };
  workspaces: {
    /** Publishes to the members' tabs that the plan of a workspace's owner changed. */
    publishPlan: (ownerId: string) => Promise<void>;
  };
}

export const defineModels = (connection: Core['connection']) => ({
  subscriptions: defineSubscriptionModel(connection),
  paymentEvents: definePaymentEventModel(connection),
  comparisons: defineDailyRunModel(connection, {
    name: 'PaymentComparison',
    collection: 'payment_comparisons',
  }),
});

/** The counts of one comparison with the payment provider. */
export interface ComparisonCounts {
  /** Subscriptions on both sides. */
  compared: number;
  /** Users whose stored subscription differed and was repaired. */
  repaired: number;
  /** Users whose subscription could not be compared or repaired; the log has the reasons. */
  failed: number;
}

/** Applies a stored event of the payment provider. */
export const paymentEventJob = defineJob({
  name: 'payment-events',
  schema: z.object({ eventId: z.string() }),
});

interface Needs extends Pick<Core, 'config' | 'now' | 'log' | 'payments' | 'produce'> {
  models: ReturnType<typeof defineModels>;
}

/** The object of this feature. Every function takes it, or a part of it, as its first parameter. */
export type BillingFeature = ReturnType<typeof createBillingFeature>;

export function createBillingFeature(
  { models, config, now, log, payments: gateway, produce }: Needs,
  others: Others,
) {
  const catalog = createCatalog(config);
  return {
    subscriptions: createSubscriptionStore(models.subscriptions),
    events: createPaymentEventStore(models.paymentEvents),
    comparisons: createDailyRuns<ComparisonCounts>(models.comparisons),
    eventQueue: createTaskQueue(paymentEventJob, {
      producer: produce(paymentEventJob),
      idOf: ({ eventId }) => eventId,
      log,
    }),
    gateway,
    catalog,
    deriveSettings: { graceDays: config.PAST_DUE_GRACE_DAYS, priceOf: catalog.get },
    /** Whether users need a plan; without plans every user has all entitlements. */
    plans: config.PLANS,
    /** Token quota of a guest. */
    guestTokens: config.GUEST_TOKENS,
    ...pageSettings(config),
    others,
    now,
    log,
    newId: (): string => randomUUID(),
  };
}

/** Settings of the provider's payment pages. */
function pageSettings(config: Config) {
  const isTest = hasTestPayments(config);
  // The embedded Stripe has a page but no form.
  const ui: CheckoutRequest['ui'] = isTest ? 'hosted' : config.STRIPE_UI;
  return {
    isTest,
    ui,
    /** The URL of the product, without a slash at the end. */
    baseUrl: publicUrl(config),
    publishableKey: config.STRIPE_PUBLISHABLE_KEY ?? '',
  };
}
