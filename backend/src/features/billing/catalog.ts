import { type Config, planFeatures } from '../../config.ts';
import type { PlanId } from '../../contract/auth.ts';
import {
  type BillingInterval,
  type FeatureState,
  featureState,
  type Offer,
  PLANS,
  type Plan,
  type PlanFeature,
} from '../../contract/plans.ts';

/** What a price of the payment provider pays for. */
export type Price = Offer;

export type PriceSettings = Pick<
  Config,
  | 'PLAN_FEATURES'
  | 'SUPPORT_EMAIL'
  | 'SUPPORT_URL'
  | 'STRIPE_PRICE_STARTER'
  | 'STRIPE_PRICE_STARTER_YEARLY'
  | 'STRIPE_PRICE_PRO'
  | 'STRIPE_PRICE_PRO_YEARLY'
>;

/** The plans on sale with their configured prices: the only place that knows price ids. */
export function createCatalog(config: PriceSettings) {
  const ids: Record<PlanId, Record<BillingInterval, string>> = {
    starter: { month: config.STRIPE_PRICE_STARTER, year: config.STRIPE_PRICE_STARTER_YEARLY },
    pro: { month: config.STRIPE_PRICE_PRO, year: config.STRIPE_PRICE_PRO_YEARLY },
  };
  const prices = new Map<string, Price>(
    PLANS.flatMap(({ id: plan }) =>
      (['month', 'year'] as const).map((interval) => [ids[plan][interval], { plan, interval }]),
    ),
  );
  const setting = planFeatures(config);
  const textsOf = (features: readonly PlanFeature[], state: FeatureState) =>
    features.filter((one) => featureState(one, setting) === state).map(({ text }) => text);
  return {
    /** Every plan on sale, from the smallest to the largest. */
    plans: (): Plan[] =>
      PLANS.map(({ limits: _limits, features, ...plan }) => ({
        ...plan,
        features: textsOf(features, 'available'),
        soon: textsOf(features, 'soon'),
        stripePriceId: ids[plan.id].month,
        stripeYearlyPriceId: ids[plan.id].year,
      })),
    /** The price of an id; null when it is not configured. */
    find: (priceId: string): Price | null => prices.get(priceId) ?? null,
    /** As `find`, but throws for an unknown price. */
    get: (priceId: string): Price => {
      const price = prices.get(priceId);
      if (price) return price;
      throw new Error(`Price ${priceId} is not configured: see the settings STRIPE_PRICE_….`);
    },
    priceId: ({ plan, interval }: Price): string => ids[plan][interval],
  };
}

export const isSamePrice = (a: Price | null, b: Price | null): boolean =>
  a?.plan === b?.plan && a?.interval === b?.interval;
