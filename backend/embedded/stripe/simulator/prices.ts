import { PLANS } from '../../../src/contract/plans.ts';
import type { Price } from './state.ts';

/** The ids of the prices, as settings of the product. */
export interface PriceSettings {
  STRIPE_PRICE_STARTER: string;
  STRIPE_PRICE_STARTER_YEARLY: string;
  STRIPE_PRICE_PRO: string;
  STRIPE_PRICE_PRO_YEARLY: string;
}

/** The configured ids, with the product's defaults. */
export const priceSettings = (env: Record<string, string | undefined>): PriceSettings => ({
  STRIPE_PRICE_STARTER: env.STRIPE_PRICE_STARTER || 'price_starter_month',
  STRIPE_PRICE_STARTER_YEARLY: env.STRIPE_PRICE_STARTER_YEARLY || 'price_starter_year',
  STRIPE_PRICE_PRO: env.STRIPE_PRICE_PRO || 'price_pro_month',
  STRIPE_PRICE_PRO_YEARLY: env.STRIPE_PRICE_PRO_YEARLY || 'price_pro_year',
});

/** The prices with the amounts of the plans. */
export function pricesOf(settings: PriceSettings): Price[] {
  const ids = {
    starter: { month: settings.STRIPE_PRICE_STARTER, year: settings.STRIPE_PRICE_STARTER_YEARLY },
    pro: { month: settings.STRIPE_PRICE_PRO, year: settings.STRIPE_PRICE_PRO_YEARLY },
  };
  return PLANS.flatMap(({ id, name, price, yearlyPrice }) => [
    { id: ids[id].month, name, interval: 'month' as const, amount: Math.round(price * 100) },
    { id: ids[id].year, name, interval: 'year' as const, amount: Math.round(yearlyPrice * 100) },
  ]);
}
