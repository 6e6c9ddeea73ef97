import {
  type BillingInterval,
  type BillingOverview,
  isSubscribed,
  type PlanId,
  planById,
  type User,
} from '@stolas/backend/contract';
import { formatDay } from '../../../lib/time.ts';
import { isSameOffer, type Offer } from '../offer.ts';

/** What the user pays for; `interval` is null until it is known. */
export interface CurrentOffer {
  plan: PlanId;
  interval: BillingInterval | null;
}

// An active subscription without a plan counts as Starter (docs/product.md, 'Screens').
export function currentOffer(
  user: User | null,
  overview: BillingOverview | undefined,
): CurrentOffer | null {
  if (!user || !isSubscribed(user)) return null;
  return { plan: user.subscriptionPlan ?? 'starter', interval: overview?.interval ?? null };
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
  if (busy) return { ...waits, action: 'Loading...' };
  const scheduled = overview?.pendingChange;
  if (scheduled && isSameOffer(offer, scheduled)) {
    return { action: `Starts ${formatDay(scheduled.at)}`, disabled: true, busy };
  }
  if (current?.plan !== offer.plan) {
    return { ...waits, action: `Choose ${planById(offer.plan).name}` };
  }
  if (current.interval === null || current.interval === offer.interval) {
    return { action: 'Current Plan', disabled: true, busy };
  }
  return { ...waits, action: offer.interval === 'year' ? 'Switch to Yearly' : 'Switch to Monthly' };
}
