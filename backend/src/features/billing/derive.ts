import type { PlanId } from '../../contract/auth.ts';
import type { SubscriptionSnapshot } from '../../payments/index.ts';
import type { Price } from './catalog.ts';
import { type MixedPeriod, mixedPeriodAfter } from './token-limit.ts';

/** The stored facts of a subscription, derived from the provider's subscription and the facts stored before. */
export interface SubscriptionFacts {
  /** The payment provider's id; null without a subscription or for a plan that an operator granted. */
  subscriptionId: string | null;
  plan: PlanId | null;
  interval: Price['interval'] | null;
  /** `disputed`: the payer has reversed the payment, and the plan stops until the dispute is decided. */
  status: 'active' | 'past_due' | 'disputed' | null;
  /** The first day of usage periods: the start, or the latest change that began a new paid period. */
  startedAt: Date | null;
  periodEndsAt: Date | null;
  cancelsAt: Date | null;
  pendingChange: Price | null;
  pastDue: { since: Date; graceEndsAt: Date } | null;
  /** The usage period in which the price changed; null after its end. */
  mixedPeriod: MixedPeriod | null;
}

export const NO_SUBSCRIPTION: SubscriptionFacts = {
  subscriptionId: null,
  plan: null,
  interval: null,
  status: null,
  startedAt: null,
  periodEndsAt: null,
  cancelsAt: null,
  pendingChange: null,
  pastDue: null,
  mixedPeriod: null,
};

const COMPARED = (Object.keys(NO_SUBSCRIPTION) as (keyof SubscriptionFacts)[]).filter(
  (name) => name !== 'mixedPeriod',
);

export interface DeriveSettings {
  /** How long a subscriber keeps the plan after a renewal was not paid. */
  graceDays: number;
  /**
   * The plan and interval of a price.
   * @throws when it is not configured
   */
  priceOf: (priceId: string) => Price;
}

interface Derivation {
  /** Null: the provider has no running subscription. */
  snapshot: SubscriptionSnapshot | null;
  previous: SubscriptionFacts;
  now: Date;
}

const DAY_MS = 24 * 60 * 60_000;

/**
 * Whether a subscription gives or may still give a plan. Refunding the latest invoice ends it; an incomplete one was
 * never paid.
 */
export const isRunning = ({ status, latestInvoice }: SubscriptionSnapshot): boolean =>
  ['active', 'past_due', 'unpaid'].includes(status) && latestInvoice?.status !== 'refunded';

/** The stored state of a subscription at `now`. No other function maps the provider's states to ours. */
export function subscriptionFrom(
  { snapshot, previous, now }: Derivation,
  { graceDays, priceOf }: DeriveSettings,
): SubscriptionFacts {
  if (!snapshot || !isRunning(snapshot)) return NO_SUBSCRIPTION;
  const before = previous.subscriptionId === snapshot.id ? previous : NO_SUBSCRIPTION;
  const price = priceOf(snapshot.priceId);
  const { pendingPriceId, anchoredAt, periodEndsAt, cancelsAt } = snapshot;
  const isPastDue = snapshot.status !== 'active';
  // Another failed renewal while one is unpaid does not extend the grace.
  const since = before.pastDue?.since ?? now;
  return {
    ...price,
    subscriptionId: snapshot.id,
    status: statusOf(snapshot),
    startedAt: anchoredAt,
    periodEndsAt,
    cancelsAt,
    pendingChange: pendingPriceId === null ? null : priceOf(pendingPriceId),
    pastDue: isPastDue
      ? { since, graceEndsAt: new Date(since.getTime() + graceDays * DAY_MS) }
      : null,
    mixedPeriod: mixedPeriodAfter(before, { price, anchoredAt, now }),
  };
}

/** Whether two states mean the same to a user. A mixed period is not compared: it follows from the rest, and is dropped with a write after its end. */
export const isSameState = (a: SubscriptionFacts, b: SubscriptionFacts): boolean =>
  JSON.stringify(comparable(a)) === JSON.stringify(comparable(b));

const comparable = (facts: SubscriptionFacts) =>
  COMPARED.map((name) => {
    const value = facts[name];
    // Stored records may have their fields in a different order.
    return value && !(value instanceof Date) && typeof value === 'object'
      ? Object.entries(value).toSorted(([x], [y]) => (x < y ? -1 : 1))
      : value;
  });

function statusOf({ status, latestInvoice }: SubscriptionSnapshot): SubscriptionFacts['status'] {
  if (latestInvoice?.status === 'disputed') return 'disputed';
  return status === 'active' ? 'active' : 'past_due';
}
