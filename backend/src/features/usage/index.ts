export { createUsageStore, defineUsageModel } from './model.ts';
export { createUsageService, type Person, type UsageService } from './service.ts';
