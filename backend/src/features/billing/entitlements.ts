import type { SubscriptionStatus, User } from '../../contract/auth.ts';
import {
  GUEST_MESSAGE_LIMIT,
  GUEST_TOKEN_LIMIT,
  MAX_RUNNING_REPLIES,
} from '../../contract/limits.ts';
import { planById } from '../../contract/plans.ts';
import { isSubscribed, mayChat } from '../../contract/subscription.ts';
import type { Subscription } from './model.ts';
import { lifetimePeriod, monthlyPeriod, type UsagePeriod } from './period.ts';

/** The part of an account that billing needs. */
export interface AccountFacts {
  /** 'guest' for guests; a subscription's status is not read from here. */
  subscriptionStatus: SubscriptionStatus | null;
}

/** Replies of `pro` start before those of `starter`, and those before `guest`; none starves. */
export type Lane = 'pro' | 'starter' | 'guest';

/** What a user may do and use, computed from account and subscription; nothing else decides it. */
export interface Entitlements extends PlanFacts {
  /** 'none': there is no such account, or it is being erased. */
  kind: 'guest' | 'user' | 'none';
  subscribed: boolean;
  mayChat: boolean;
  /** For one usage period; `messages` is left out when they are not limited. */
  limits: { tokens: number; messages?: number };
  /** The share of the workers that the user's replies wait for. */
  lane: Lane;
  /** Replies that may be queued or running at the same time. */
  runningReplies: number;
  period: UsagePeriod;
}

/** Status and plan as the user sees them. */
export type PlanFacts = Pick<User, 'subscriptionStatus' | 'subscriptionPlan'>;

/** Status and plan as clients see them. A guest stays a guest, even if a subscription record is left. */
export function planFacts(
  account: AccountFacts | null,
  subscription: Subscription | null,
): PlanFacts {
  if (account?.subscriptionStatus === 'guest')
    return { subscriptionStatus: 'guest', subscriptionPlan: null };
  return {
    subscriptionStatus: subscription?.status ?? null,
    subscriptionPlan: subscription?.plan ?? null,
  };
}

/** The entitlements of an account at `now`; without an account: none. An active subscription without a plan has those of Starter. */
export function computeEntitlements({
  account,
  subscription,
  now,
}: {
  account: AccountFacts | null;
  subscription: Subscription | null;
  now: Date;
}): Entitlements {
  const plan = planFacts(account, account && subscription);
  const shared = { ...plan, subscribed: isSubscribed(plan), mayChat: mayChat(plan) };
  if (plan.subscriptionStatus === 'guest')
    return {
      ...shared,
      kind: 'guest',
      lane: 'guest',
      limits: { tokens: GUEST_TOKEN_LIMIT, messages: GUEST_MESSAGE_LIMIT },
      runningReplies: MAX_RUNNING_REPLIES.guest,
      period: lifetimePeriod,
    };
  const metered = shared.subscribed && subscription;
  return {
    ...shared,
    kind: account ? 'user' : 'none',
    lane: plan.subscriptionPlan ?? 'starter',
    limits: {
      tokens: metered ? planById(plan.subscriptionPlan ?? 'starter').limits.tokensPerMonth : 0,
    },
    runningReplies: MAX_RUNNING_REPLIES.user,
    period: metered ? monthlyPeriod({ startedAt: subscription.startedAt, now }) : lifetimePeriod,
  };
}
