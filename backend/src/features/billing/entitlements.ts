import type { SubscriptionStatus, User } from '../../contract/auth.ts';
import {
  GUEST_MESSAGE_LIMIT,
  GUEST_PERSONAS,
  GUEST_TOKEN_LIMIT,
  MAX_FILES_PER_MESSAGE,
  MAX_GUEST_FILE_BYTES,
  MAX_GUEST_FILES_PER_MESSAGE,
  MAX_RUNNING_REPLIES,
  STORAGE_BYTES,
} from '../../contract/limits.ts';
import { isSubscribed, mayChat, type PlanLimits, planById } from '../../contract/plans.ts';
import type { SubscriptionFacts } from './derive.ts';
import { lifetimePeriod, monthlyPeriod, type UsagePeriod } from './period.ts';
import { priceAt, usageAt } from './token-limit.ts';

/** The part of an account that billing needs. */
export interface AccountFacts {
  /** 'guest' for guests; no code reads the status of a subscription from here. */
  subscriptionStatus: SubscriptionStatus | null;
  email?: string | null;
}

/** The facts that billing needs of an actor's account. */
export const accountOf = ({ isGuest }: { isGuest: boolean }): AccountFacts => ({
  subscriptionStatus: isGuest ? 'guest' : null,
});

/** Replies of `pro` start before those of `starter`, and these before those of `guest`; no lane starves. */
export type Lane = 'pro' | 'starter' | 'guest';

/** All permissions and limits of a user, computed from account and subscription. */
export interface Entitlements
  extends PlanFacts,
    Pick<PlanLimits, 'personas' | 'uploadBytes' | 'storageBytes'> {
  /** 'none': the account does not exist or is being erased. */
  kind: 'guest' | 'user' | 'none';
  subscribed: boolean;
  mayChat: boolean;
  filesPerMessage: number;
  /** Limits for one usage period. `messages` is absent when they are unlimited; unlimited tokens are `UNLIMITED_TOKENS`. */
  limits: { tokens: number; messages?: number };
  /** The share of the workers that the user's replies wait for. */
  lane: Lane;
  /** Replies that may be queued or running at the same time. */
  runningReplies: number;
  period: UsagePeriod;
  /** The features of the plan, as the product lists them. */
  features: readonly string[];
}

/** Status and plan for display. */
type PlanFacts = Pick<User, 'subscriptionStatus' | 'subscriptionPlan'>;

interface AtTime {
  subscription: SubscriptionFacts | null;
  now: Date;
}

/**
 * Status and plan as clients see them at `now`. Grace, cancellation and planned changes take effect by the clock, even before the
 * provider's event arrives. A guest stays a guest, even with a stored subscription record.
 */
export function planFacts(account: AccountFacts | null, { subscription, now }: AtTime): PlanFacts {
  if (account?.subscriptionStatus === 'guest')
    return { subscriptionStatus: 'guest', subscriptionPlan: null };
  const nothing = { subscriptionStatus: null, subscriptionPlan: null };
  if (!subscription || subscription.status === 'disputed' || hasEnded(subscription, now))
    return nothing;
  const { status, pastDue } = subscription;
  const { plan } = priceAt(subscription, now);
  const isLocked = status === 'past_due' && pastDue !== null && pastDue.graceEndsAt <= now;
  return { subscriptionStatus: status, subscriptionPlan: isLocked ? null : plan };
}

const hasEnded = ({ cancelsAt }: SubscriptionFacts, now: Date): boolean =>
  cancelsAt !== null && cancelsAt <= now;

/** Whether a cancellation or planned change has taken effect by the clock only: its event may be late or lost. */
export const isChangeDue = (subscription: SubscriptionFacts, now: Date): boolean =>
  hasEnded(subscription, now) || priceAt(subscription, now) !== subscription;

/** The entitlements of an account at `now`; none without an account. An active subscription without a plan has those of Starter. */
export function computeEntitlements({
  account,
  subscription,
  now,
  guestTokens = GUEST_TOKEN_LIMIT,
}: AtTime & { account: AccountFacts | null; guestTokens?: number | undefined }): Entitlements {
  const plan = planFacts(account, { subscription: account && subscription, now });
  const shared = { ...plan, subscribed: isSubscribed(plan), mayChat: mayChat(plan) };
  if (plan.subscriptionStatus === 'guest')
    return {
      ...shared,
      ...WITHOUT_PLAN,
      personas: GUEST_PERSONAS,
      uploadBytes: MAX_GUEST_FILE_BYTES,
      storageBytes: STORAGE_BYTES.guest,
      filesPerMessage: MAX_GUEST_FILES_PER_MESSAGE,
      kind: 'guest',
      lane: 'guest',
      limits: { tokens: guestTokens, messages: GUEST_MESSAGE_LIMIT },
      runningReplies: MAX_RUNNING_REPLIES.guest,
      period: lifetimePeriod,
    };
  const kind = account ? ('user' as const) : ('none' as const);
  const user = { ...shared, kind, runningReplies: MAX_RUNNING_REPLIES.user };
  if (!shared.subscribed || !subscription)
    return {
      ...user,
      ...WITHOUT_PLAN,
      lane: 'starter',
      limits: { tokens: 0 },
      period: lifetimePeriod,
    };
  const planId = plan.subscriptionPlan ?? 'starter';
  const { features, limits } = planById(planId);
  const { period, tokens } = usageAt(subscription, now);
  return {
    ...user,
    lane: planId,
    features: features.map(({ text }) => text),
    personas: limits.personas,
    uploadBytes: limits.uploadBytes,
    storageBytes: limits.storageBytes,
    filesPerMessage: MAX_FILES_PER_MESSAGE,
    limits: { tokens },
    period,
  };
}

const WITHOUT_PLAN = {
  features: [],
  personas: 0,
  uploadBytes: 0,
  storageBytes: 0,
  filesPerMessage: MAX_FILES_PER_MESSAGE,
} as const;

/** More than any user uses; sums with it stay exact integers. */
export const UNLIMITED_TOKENS = 1e15;
/** Without plans, usage is summed by calendar months (UTC). */
const FIRST_OF_A_MONTH = new Date(Date.UTC(2026, 0, 1));

/** Status and plan when the operator has switched plans off: everyone has the largest plan, guests too. */
const factsWithoutPlans = (account: AccountFacts): PlanFacts => ({
  subscriptionStatus: account.subscriptionStatus === 'guest' ? 'guest' : 'active',
  subscriptionPlan: 'pro',
});

/** The entitlements without plans: Pro's, without a quota and without the limits of guests. */
export function entitlementsWithoutPlans(account: AccountFacts, now: Date): Entitlements {
  const { features, limits } = planById('pro');
  const { personas, uploadBytes, storageBytes } = limits;
  return {
    ...factsWithoutPlans(account),
    kind: 'user',
    subscribed: true,
    mayChat: true,
    lane: 'pro',
    features: features.map(({ text }) => text),
    personas,
    uploadBytes,
    storageBytes,
    filesPerMessage: MAX_FILES_PER_MESSAGE,
    limits: { tokens: UNLIMITED_TOKENS },
    runningReplies: MAX_RUNNING_REPLIES.user,
    period: monthlyPeriod({ startedAt: FIRST_OF_A_MONTH, now }),
  };
}
