export type { AccountFacts, Entitlements, PlanFacts } from './entitlements.ts';
export { billingMigrations } from './migrations.ts';
export { createSubscriptionStore, defineSubscriptionModel } from './model.ts';
export { lifetimePeriod, type UsagePeriod } from './period.ts';
export { type BillingService, createBillingService } from './service.ts';
