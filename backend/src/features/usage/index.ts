export { createGuestBudget, defineBudgetModel } from './budget-model.ts';
export { createLedgerStore, defineLedgerModel } from './ledger-model.ts';
export { usageMigrations } from './migrations.ts';
export { createUsageStore, defineUsageModel } from './model.ts';
export { createUsageService, type ReadAhead, type UsageService } from './service.ts';
export { createUsageSweep, USAGE_SWEEP_EVERY_MS } from './sweep.ts';
