import { t } from 'virtual:texts/plans';
import {
  type BillingInterval,
  type BillingOverview,
  isSubscribed,
  PLANS,
  type PlanId,
  planById,
  type User,
} from '@stolas/backend/contract';
import { formatDay } from '../../../lib/time.ts';
import { isSameOffer, type Offer } from '../offer.ts';

/** The paid plan; `interval` is null until it is known. */
export interface CurrentOffer {
  plan: PlanId;
  interval: BillingInterval | null;
  /** The plan was given, not paid for. */
  isFree: boolean;
}

// An active subscription without a plan counts as Starter (docs/product.md, 'Screens').
export function currentOffer(
  user: User | null,
  overview: BillingOverview | undefined,
): CurrentOffer | null {
  if (!user || !isSubscribed(user)) return null;
  const { subscriptionPlan } = user;
  const interval = overview?.interval ?? null;
  const isFree = overview !== undefined && interval === null;
  return { plan: subscriptionPlan ?? PLANS[0].id, interval, isFree };
}

interface Situation {
  current: CurrentOffer | null;
  overview: BillingOverview | undefined;
  /** The offer whose checkout is being created. */
  pending: Offer | undefined;
}

/** The button of an offer. */
export function choiceOf(offer: Offer, { current, overview, pending }: Situation) {
  const busy = pending !== undefined && isSameOffer(offer, pending);
  const waits = { disabled: pending !== undefined, busy };
  if (busy) return { ...waits, action: t('loading') };
  const scheduled = overview?.pendingChange;
  if (scheduled && isSameOffer(offer, scheduled)) {
    return { action: t('startsOn', { date: formatDay(scheduled.at) }), disabled: true, busy };
  }
  if (current?.plan !== offer.plan) {
    return { ...waits, action: t('choose', { plan: planById(offer.plan).name }) };
  }
  if (current.interval === null || current.interval === offer.interval) {
    return { action: t('currentPlan'), disabled: true, busy };
  }
  return { ...waits, action: t(offer.interval === 'year' ? 'toYearly' : 'toMonthly') };
}
