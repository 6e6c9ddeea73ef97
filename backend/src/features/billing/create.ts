import { randomUUID } from 'node:crypto';
import { type Config, hasTestPayments, publicUrl } from '../../config.ts';
import { createDailyRuns, defineDailyRunModel } from '../../db/daily-runs.ts';
import type { Core } from '../define-feature.ts';
import { createCatalog } from './catalog.ts';
import { createChanges } from './changes.ts';
import { createCheckouts } from './checkout.ts';
import { createPaymentEventStore, definePaymentEventModel } from './events/event-model.ts';
import { createPaymentEvents } from './events/events.ts';
import { paymentEventJob } from './events/jobs.ts';
import { createSubscriptionStore, defineSubscriptionModel } from './model.ts';
import type { ComparisonCounts } from './operator/comparison.ts';
import { createRefresh, type RefreshDeps } from './refresh.ts';
import type { BillingDeps } from './service.ts';

/** What billing needs of accounts. */
export interface Others {
  accounts: {
    find: BillingDeps['findAccount'];
    /** Tells the user's tabs that plan or quota changed. */
    tellChanged: (userId: string) => Promise<void>;
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

export type Models = ReturnType<typeof defineModels>;

export const createStores = ({ subscriptions, paymentEvents, comparisons }: Models) => ({
  subscriptions: createSubscriptionStore(subscriptions),
  events: createPaymentEventStore(paymentEvents),
  comparisons: createDailyRuns<ComparisonCounts>(comparisons),
});

type Own = Pick<Core, 'config' | 'now' | 'log' | 'payments'> & { models: Models; others: Others };

/** What web and worker need to deal with the payment provider. */
export function createPayments({ config, now, log, models, others, payments: gateway }: Own) {
  const stores = createStores(models);
  const catalog = createCatalog(config);
  const deps: RefreshDeps = {
    ...stores,
    gateway,
    catalog,
    settings: { graceDays: config.PAST_DUE_GRACE_DAYS, priceOf: catalog.get },
    findAccount: others.accounts.find,
    tell: others.accounts.tellChanged,
    now,
    log,
  };
  return { ...deps, ...stores, refresh: createRefresh(deps), newId: randomUUID };
}

type Payments = ReturnType<typeof createPayments>;

/** What users ask for: checkout and changes of plan. */
export function createCommands(payments: Payments, config: Config) {
  const isTest = hasTestPayments(config);
  const deps = {
    ...payments,
    isTest,
    baseUrl: publicUrl(config),
    // The embedded Stripe has a page and no form.
    ui: isTest ? ('hosted' as const) : config.STRIPE_UI,
    publishableKey: config.STRIPE_PUBLISHABLE_KEY ?? '',
  };
  const checkouts = createCheckouts(deps);
  return { checkouts, changes: createChanges({ ...deps, checkouts }) };
}

/** The queue of events. */
export const createEventQueue = (
  { events, now, log }: Pick<Payments, 'events' | 'now' | 'log'>,
  produce: Core['produce'],
) => createPaymentEvents({ events, producer: produce(paymentEventJob), now, log });
