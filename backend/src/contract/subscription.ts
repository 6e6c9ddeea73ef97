import type { User } from './auth.ts';

type Plan = Pick<User, 'subscriptionStatus' | 'subscriptionPlan'>;

/** Section 2: status 'active', or plan 'starter' or 'pro'. */
export const isSubscribed = (user: Plan): boolean =>
  user.subscriptionStatus === 'active' || user.subscriptionPlan !== null;

/** Who may use the chat screen: subscribers, and guests in demo mode (decision 'Who may chat'). */
export const mayChat = (user: Plan): boolean =>
  isSubscribed(user) || user.subscriptionStatus === 'guest';
