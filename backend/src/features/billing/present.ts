import type { BillingOverview, ChangePreview, Invoice } from '../../contract/billing.ts';
import { planById } from '../../contract/plans.ts';
import type { ChangePreview as Charge, GatewayInvoice } from '../../payments/index.ts';
import type { Price } from './catalog.ts';
import { planFacts } from './entitlements.ts';
import type { Subscription } from './model.ts';
import { monthsOf, periodOf } from './period.ts';
import { mixedPeriodAfter, priceAt, usageAt } from './token-limit.ts';

/** The subscription as its owner sees it at `now`. */
export function presentBilling(
  subscription: Subscription | null,
  { now, isTest }: { now: Date; isTest: boolean },
): BillingOverview {
  const { subscriptionPlan: plan } = planFacts({ subscriptionStatus: null }, { subscription, now });
  const { pendingChange, pastDue, periodEndsAt, cancelsAt } = subscription ?? {};
  const price = subscription && priceAt(subscription, now);
  return {
    plan,
    interval: price?.interval ?? null,
    periodEndsAt: iso(periodEndsAt),
    cancelsAt: iso(cancelsAt),
    pendingChange:
      pendingChange && periodEndsAt && price === subscription
        ? { ...pendingChange, at: periodEndsAt.toISOString() }
        : null,
    pastDue: pastDue
      ? { since: pastDue.since.toISOString(), graceEndsAt: pastDue.graceEndsAt.toISOString() }
      : null,
    hasCustomer: (subscription?.customerIds.length ?? 0) > 0,
    isTest,
  };
}

/** The cost of a change to `price`; without `change` it is the first payment, on the payment page. */
export function presentPreview({
  price,
  now,
  change,
}: {
  price: Price;
  now: Date;
  change?: { from: Subscription; charge: Charge; when: 'now' | 'periodEnd' };
}): ChangePreview {
  const { price: monthly, yearlyPrice, limits } = planById(price.plan);
  const renewal = Math.round((price.interval === 'year' ? yearlyPrice : monthly) * 100);
  if (!change) {
    const next = { amount: renewal, at: endOfFirst(price, now) };
    const first = { currency: 'usd', amount: renewal, credit: 0, tokens: limits.tokensPerMonth };
    return { ...price, when: 'checkout', ...first, next, quote: null };
  }
  const { from, charge, when } = change;
  const { amount, credit, currency, prorationDate: at } = charge;
  const isNow = when === 'now';
  const nextAt = isNow ? endOfFirst(price, at) : (iso(from.periodEndsAt) ?? endOfFirst(price, at));
  return {
    ...price,
    when,
    currency,
    amount,
    credit,
    tokens: isNow ? addedTokens(from, { price, at }) : 0,
    next: { amount: Math.max(0, renewal - credit), at: nextAt },
    quote: isNow ? { prorationDate: at.toISOString(), amount } : null,
  };
}

const endOfFirst = ({ interval }: Price, now: Date): string =>
  periodOf({ startedAt: now, now, months: monthsOf(interval) }).endsAt.toISOString();

function addedTokens(from: Subscription, { price, at }: { price: Price; at: Date }): number {
  const after = mixedPeriodAfter(from, { price, anchoredAt: at, now: at });
  return after ? after.tokens - usageAt(from, at).tokens : 0;
}

export const presentInvoice = ({ createdAt, ...invoice }: GatewayInvoice): Invoice => ({
  ...invoice,
  createdAt: createdAt.toISOString(),
});

const iso = (date: Date | null | undefined) => date?.toISOString() ?? null;
