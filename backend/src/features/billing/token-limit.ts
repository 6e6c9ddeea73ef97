import type { PlanId } from '../../contract/auth.ts';
import { planById } from '../../contract/plans.ts';
import type { Price } from './catalog.ts';
import { lifetimePeriod, monthlyPeriod, monthsOf, periodOf, type UsagePeriod } from './period.ts';

/** A usage period in which the price changed, with the sum of the tokens of its parts. */
export interface MixedPeriod {
  startsAt: Date;
  endsAt: Date;
  tokens: number;
}

/** The stored facts that determine the tokens. */
interface Facts {
  plan: PlanId | null;
  interval: Price['interval'] | null;
  startedAt: Date | null;
  periodEndsAt: Date | null;
  pendingChange: Price | null;
  mixedPeriod: MixedPeriod | null;
}

const AVERAGE_MONTH_MS = (365.25 / 12) * 24 * 60 * 60_000;

const tokensOf = (plan: PlanId | null): number => planById(plan ?? 'starter').limits.tokensPerMonth;

/** Plan and interval at `at`. A planned change takes effect by the clock, even before the provider's event arrives. */
export const priceAt = (facts: Facts, at: Date): Pick<Facts, 'plan' | 'interval'> =>
  facts.pendingChange && facts.periodEndsAt && facts.periodEndsAt <= at
    ? facts.pendingChange
    : facts;

/** The usage period that contains `at`, and its tokens. */
export function usageAt(facts: Facts, at: Date): { period: UsagePeriod; tokens: number } {
  const { mixedPeriod: mixed, startedAt } = facts;
  if (mixed && mixed.startsAt <= at && at < mixed.endsAt) {
    const { startsAt, endsAt, tokens } = mixed;
    return { period: { id: startsAt.toISOString(), startsAt, endsAt }, tokens };
  }
  const period = startedAt ? monthlyPeriod({ startedAt, now: at }) : lifetimePeriod;
  return { period, tokens: tokensOf(priceAt(facts, at).plan) };
}

/**
 * The usage period after a change to `price`. Tokens follow the money: the former plan's tokens are deducted in the share of its payment
 * that is credited, and the new plan's are added in the share that is charged. So no order of changes gives unpaid tokens. Null when
 * nothing has changed within a usage period.
 */
export function mixedPeriodAfter(
  before: Facts,
  { price, anchoredAt, now }: { price: Price; anchoredAt: Date; now: Date },
): MixedPeriod | null {
  const { startedAt, mixedPeriod } = before;
  if (startedAt === null) return null;
  const beginsPeriod = anchoredAt.getTime() !== startedAt.getTime();
  // Without a new paid period the provider does not report when the price changed.
  const at = beginsPeriod ? anchoredAt : now;
  const former = priceAt(before, at);
  if (!beginsPeriod && former.plan === price.plan) return stillAt(mixedPeriod, now);
  const { period, tokens } = usageAt(before, at);
  const unused = unusedMonths({ startedAt, interval: former.interval ?? 'month', at });
  const added = tokensOf(price.plan) * (beginsPeriod ? 1 : unused);
  const mixed = {
    startsAt: period.startsAt ?? at,
    endsAt: monthlyPeriod({ startedAt: anchoredAt, now: at }).endsAt,
    tokens: Math.max(0, Math.floor(tokens - tokensOf(former.plan) * unused + added)),
  };
  return stillAt(mixed, now);
}

const stillAt = (mixed: MixedPeriod | null, now: Date): MixedPeriod | null =>
  mixed && mixed.endsAt > now ? mixed : null;

/**
 * The months of tokens that were granted by `at` and are credited as unused time: the unused months of the paid period, less those whose
 * tokens are not granted yet. A month counts by its unused share.
 */
function unusedMonths({
  startedAt,
  interval,
  at,
}: {
  startedAt: Date;
  interval: Price['interval'];
  at: Date;
}): number {
  const months = monthsOf(interval);
  const paid = periodOf({ startedAt, months, now: at });
  const { endsAt } = monthlyPeriod({ startedAt, now: at });
  const left =
    (paid.endsAt.getTime() - at.getTime()) / (paid.endsAt.getTime() - paid.startsAt.getTime());
  const toCome = Math.round((paid.endsAt.getTime() - endsAt.getTime()) / AVERAGE_MONTH_MS);
  return months * Math.min(1, left) - toCome;
}
