export { PLANS } from './plans.ts';
