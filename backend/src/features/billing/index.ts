import { runJob } from '../../jobs/worker.ts';
import { defineFeature } from '../define-feature.ts';
import {
  createCommands,
  createEventQueue,
  createPayments,
  createStores,
  defineModels,
  type Others,
} from './create.ts';
import { createEndOfPayments, createErasure } from './erase.ts';
import { gatewayProblem } from './errors.ts';
import { createEventHandler } from './events/events.ts';
import { paymentEventJob } from './events/jobs.ts';
import { webhookRoutes } from './events/webhook.ts';
import { createGraceSweep } from './grace.ts';
import { createComparison } from './operator/comparison.ts';
import { operatorRoutes } from './operator/routes.ts';
import { billingRoutes } from './routes.ts';
import { createBillingService } from './service.ts';

export { accountOf, type Entitlements, type Lane, UNLIMITED_TOKENS } from './entitlements.ts';
export { lifetimePeriod } from './period.ts';
export type { BillingService } from './service.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Plans, subscriptions, payments, and what they entitle users to. */
export const billing = defineFeature({
  name: 'billing',
  models: defineModels,
  owners: { subscriptions: 'ownerId', paymentEvents: null, comparisons: null },
  create: ({ models, config, now, produce, log, payments: gateway }, { accounts }: Others) => {
    const stores = createStores(models);
    const endPayments = createEndOfPayments({ ...stores, gateway });
    return {
      ...createBillingService({
        ...stores,
        findAccount: accounts.find,
        now,
        guestTokens: config.GUEST_TOKENS,
        plans: config.PLANS,
      }),
      /** Ends what a user pays or could still pay, at once. @throws AppError unavailable */
      endPayments: (userId: string): Promise<void> =>
        endPayments(userId).catch((error: unknown) => {
          throw gatewayProblem(error);
        }),
      paymentEvents: createEventQueue({ ...stores, now, log }, produce),
    };
  },
  routes: ({ rateLimit, ...own }) => {
    if (own.config.PLANS === 'off') return [];
    const payments = createPayments(own);
    return [billingRoutes({ ...payments, ...createCommands(payments, own.config), rateLimit })];
  },
  rawRoutes: ({ service, payments: gateway, rateLimit }) => [
    webhookRoutes({ gateway, events: service.paymentEvents, rateLimit }),
  ],
  pages: ({ service, models, config, rateLimit }) => {
    const { events: store, comparisons } = createStores(models);
    const events = service.paymentEvents;
    return [operatorRoutes({ config, store, events, comparisons, rateLimit })];
  },
  jobs: (own) => {
    const { queue } = own.service.paymentEvents;
    const handler = createEventHandler({ ...createPayments(own), queue });
    return [runJob(paymentEventJob, handler.run, handler)];
  },
  sweeps: (own) => {
    if (own.config.PLANS === 'off') return [];
    const payments = createPayments(own);
    return [
      {
        name: 'payment events without a job',
        everyMs: 10 * SECOND_MS,
        run: own.service.paymentEvents.sweep,
      },
      { name: 'ends of grace', everyMs: 30 * SECOND_MS, run: createGraceSweep(payments) },
      {
        name: 'comparison with the payment provider',
        everyMs: 10 * MINUTE_MS,
        run: createComparison(payments),
      },
    ];
  },
  // The record goes last: while it is there, a customer may be left at the provider.
  userStores: ({ models }) => [
    {
      name: 'payments',
      count: async (userId) =>
        (await createStores(models).subscriptions.findOf(userId))?.customerIds.length ?? 0,
    },
  ],
  eraseUser: ({ models, payments: gateway }) => createErasure({ ...createStores(models), gateway }),
});
