export { PLANS, type Plan } from './plans.ts';
