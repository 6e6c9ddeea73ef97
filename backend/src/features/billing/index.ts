import { createTaskSweep } from '../../jobs/durable.ts';
import { runJob } from '../../jobs/worker.ts';
import { defineFeature, type Sweep } from '../define-feature.ts';
import { erasePayments } from './erase.ts';
import { eventRunner } from './events/events.ts';
import { webhookRoutes } from './events/webhook.ts';
import {
  type BillingFeature,
  createBillingFeature,
  defineModels,
  type Others,
  paymentEventJob,
} from './feature.ts';
import { publishGraceEnds } from './grace.ts';
import { bindMembers } from './members.ts';
import { compareSubscriptions } from './operator/comparison.ts';
import { operatorRoutes } from './operator/routes.ts';
import { billingRoutes } from './routes.ts';

export { accountOf, type Entitlements, type Lane, UNLIMITED_TOKENS } from './entitlements.ts';
export type { BillingService } from './members.ts';
export { lifetimePeriod } from './period.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Plans, subscriptions, payments, and what they entitle users to. */
export const billing = defineFeature({
  name: 'billing',
  models: defineModels,
  owners: { subscriptions: 'ownerId', paymentEvents: null, comparisons: null },
  shardKeys: { subscriptions: null, paymentEvents: null, comparisons: null },
  create: (core, others: Others) => {
    const feature = createBillingFeature(core, others);
    return { ...feature, ...bindMembers(feature) };
  },
  routes: ({ service, rateLimit }) =>
    service.plans === 'off' ? [] : [billingRoutes(service, rateLimit)],
  rawRoutes: ({ service, rateLimit }) => [webhookRoutes(service, rateLimit)],
  pages: ({ service, config, rateLimit }) => [
    operatorRoutes(service, { password: config.OPERATOR_TOKEN, rateLimit }),
  ],
  jobs: ({ service }) => {
    const runner = eventRunner(service);
    return [runJob(paymentEventJob, runner.run, runner)];
  },
  sweeps: ({ service }) => (service.plans === 'off' ? [] : sweepsOf(service)),
  // The record is removed last: while it exists, a customer may remain at the provider.
  userStores: ({ service }) => [
    {
      name: 'payments',
      count: async (userId) =>
        (await service.subscriptions.findOf(userId))?.customerIds.length ?? 0,
    },
  ],
  eraseUser: ({ service }, userId) => erasePayments(service, userId),
});

const sweepsOf = (billing: BillingFeature): Sweep[] => [
  {
    name: 'payment events without a job',
    everyMs: 10 * SECOND_MS,
    run: createTaskSweep({ ...billing, tasks: billing.events.tasks, queue: billing.eventQueue }),
  },
  { name: 'ends of grace', everyMs: 30 * SECOND_MS, run: () => publishGraceEnds(billing) },
  {
    name: 'comparison with the payment provider',
    everyMs: 10 * MINUTE_MS,
    run: () => compareSubscriptions(billing),
  },
];
