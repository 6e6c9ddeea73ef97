import { defineFeature } from '../define-feature.ts';
import { billingMigrations } from './migrations.ts';
import { createSubscriptionStore, defineSubscriptionModel } from './model.ts';
import { type BillingDeps, createBillingService } from './service.ts';

export type { Entitlements, Lane } from './entitlements.ts';
export { lifetimePeriod } from './period.ts';
export type { BillingService } from './service.ts';

interface Others {
  accounts: { find: BillingDeps['findAccount'] };
}

/** Plans, subscriptions and what they entitle users to. */
export const billing = defineFeature({
  name: 'billing',
  models: (connection) => ({ subscriptions: defineSubscriptionModel(connection) }),
  migrations: billingMigrations,
  create: ({ models, now }, { accounts }: Others) =>
    createBillingService({
      subscriptions: createSubscriptionStore(models.subscriptions),
      findAccount: accounts.find,
      now,
    }),
  eraseUser:
    ({ service, payments }) =>
    async (userId) => {
      const customerId = await service.paymentCustomerOf(userId);
      if (customerId !== null) await payments.removeCustomer(customerId);
      await service.removeAllOf(userId);
    },
});
