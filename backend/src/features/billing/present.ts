import type { BillingOverview, Invoice } from '../../contract/billing.ts';
import type { GatewayInvoice } from '../../payments/index.ts';
import { planFacts } from './entitlements.ts';
import type { Subscription } from './model.ts';

/** The subscription as its owner sees it at `now`. */
export function presentBilling(
  subscription: Subscription | null,
  { now, isTest }: { now: Date; isTest: boolean },
): BillingOverview {
  const { subscriptionPlan: plan } = planFacts({ subscriptionStatus: null }, { subscription, now });
  const { pendingChange, pastDue, periodEndsAt, cancelsAt, interval } = subscription ?? {};
  return {
    plan,
    interval: interval ?? null,
    periodEndsAt: iso(periodEndsAt),
    cancelsAt: iso(cancelsAt),
    pendingChange:
      pendingChange && periodEndsAt ? { ...pendingChange, at: periodEndsAt.toISOString() } : null,
    pastDue: pastDue
      ? { since: pastDue.since.toISOString(), graceEndsAt: pastDue.graceEndsAt.toISOString() }
      : null,
    hasCustomer: (subscription?.customerIds.length ?? 0) > 0,
    isTest,
  };
}

export const presentInvoice = ({ createdAt, ...invoice }: GatewayInvoice): Invoice => ({
  ...invoice,
  createdAt: createdAt.toISOString(),
});

const iso = (date: Date | null | undefined) => date?.toISOString() ?? null;
