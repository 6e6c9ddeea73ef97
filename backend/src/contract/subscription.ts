import type { User } from './auth.ts';

type Plan = Pick<User, 'subscriptionStatus' | 'subscriptionPlan'>;

/** Whether the user has a subscription: status 'active', or plan 'starter' or 'pro'. */
export const isSubscribed = (user: Plan): boolean =>
  user.subscriptionStatus === 'active' || user.subscriptionPlan !== null;

/** Whether the user may use the chat screen: subscribers, and guests in demo mode. */
export const mayChat = (user: Plan): boolean =>
  isSubscribed(user) || user.subscriptionStatus === 'guest';
