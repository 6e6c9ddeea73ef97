export type { Entitlements } from './entitlements.ts';
export { billingMigrations } from './migrations.ts';
export { createSubscriptionStore, defineSubscriptionModel } from './model.ts';
export { lifetimePeriod } from './period.ts';
export { type BillingService, createBillingService } from './service.ts';
