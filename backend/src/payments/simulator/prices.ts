import type { Config } from '../../config.ts';
import { PLANS } from '../../contract/plans.ts';
import type { Price } from './state.ts';

export type PriceSettings = Pick<
  Config,
  | 'STRIPE_PRICE_STARTER'
  | 'STRIPE_PRICE_STARTER_YEARLY'
  | 'STRIPE_PRICE_PRO'
  | 'STRIPE_PRICE_PRO_YEARLY'
>;

/** The configured price ids with the amounts of the plans. */
export function pricesOf(config: PriceSettings): Price[] {
  const ids = {
    starter: { month: config.STRIPE_PRICE_STARTER, year: config.STRIPE_PRICE_STARTER_YEARLY },
    pro: { month: config.STRIPE_PRICE_PRO, year: config.STRIPE_PRICE_PRO_YEARLY },
  };
  return PLANS.flatMap(({ id, name, price, yearlyPrice }) => [
    { id: ids[id].month, name, interval: 'month' as const, amount: Math.round(price * 100) },
    { id: ids[id].year, name, interval: 'year' as const, amount: Math.round(yearlyPrice * 100) },
  ]);
}
