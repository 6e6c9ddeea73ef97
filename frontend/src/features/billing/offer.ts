import { type BillingInterval, PLANS, type PlanId, planById } from '@stolas/backend/contract';
import { formatDollars } from '../../lib/money.ts';

/** A plan as it is paid for. */
export interface Offer {
  plan: PlanId;
  interval: BillingInterval;
}

/** '$29' a month, or '$278.40' a year. */
export function priceOf({ plan, interval }: Offer): string {
  const { price, yearlyPrice } = planById(plan);
  return formatDollars(interval === 'year' ? yearlyPrice : price);
}

const rankOf = ({ plan, interval }: Offer): number =>
  PLANS.findIndex(({ id }) => id === plan) * 2 + (interval === 'year' ? 1 : 0);

/** Whether the change applies now, pro-rated; otherwise it waits for the end of the paid period. */
export const isUpgrade = (from: Offer, to: Offer): boolean => rankOf(to) > rankOf(from);

export const isSameOffer = (one: Offer, other: Offer): boolean =>
  one.plan === other.plan && one.interval === other.interval;
