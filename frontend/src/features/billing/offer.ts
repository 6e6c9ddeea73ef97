import { type Offer, planById } from '@stolas/backend/contract';
import { formatDollars } from '../../lib/money.ts';

export type { Offer } from '@stolas/backend/contract';

/** '$29' a month, or '$278.40' a year. */
export function priceOf({ plan, interval }: Offer): string {
  const { price, yearlyPrice } = planById(plan);
  return formatDollars(interval === 'year' ? yearlyPrice : price);
}

export const isSameOffer = (one: Offer, other: Offer): boolean =>
  one.plan === other.plan && one.interval === other.interval;
