import type { PlanId, User } from './auth.ts';

type Plan = Pick<User, 'subscriptionStatus' | 'subscriptionPlan'>;

/** Whether the user has a subscription: status 'active', or plan 'starter' or 'pro'. */
export const isSubscribed = (user: Plan): boolean =>
  user.subscriptionStatus === 'active' || user.subscriptionPlan !== null;

/** Whether the user may use the chat screen: subscribers, and guests in demo mode. */
export const mayChat = (user: Plan): boolean =>
  isSubscribed(user) || user.subscriptionStatus === 'guest';

/** Prompt and completion tokens that a plan includes in each month of the subscription. */
export const PLAN_TOKENS_PER_MONTH = {
  starter: 200_000,
  pro: 3_000_000,
} as const satisfies Record<PlanId, number>;
