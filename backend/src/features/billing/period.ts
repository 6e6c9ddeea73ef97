import type { BillingInterval } from '../../contract/plans.ts';

/** A span of time for which usage is summed and limited. */
export interface UsagePeriod {
  /** Unique among the periods of one user. */
  id: string;
  /** Null: the beginning of the account. */
  startsAt: Date | null;
  /** When the sums restart at zero; null: never. */
  endsAt: Date | null;
}

/** Users without a subscription have one period for the life of the account. */
export const lifetimePeriod: UsagePeriod = { id: 'demo', startsAt: null, endsAt: null };

/** A period of a subscription: `id` is unique among periods of the same length. */
interface DatedPeriod extends UsagePeriod {
  startsAt: Date;
  endsAt: Date;
}

/**
 * The month of a subscription that contains `now`. Months begin at the day and time (UTC) of `startedAt`; a month without that day begins
 * on its last day. Before `startedAt` it is the first month.
 */
export const monthlyPeriod = (at: { startedAt: Date; now: Date }): DatedPeriod =>
  periodOf({ ...at, months: 1 });

export const monthsOf = (interval: BillingInterval): number => (interval === 'year' ? 12 : 1);

/** As `monthlyPeriod`, for periods of several months. */
export function periodOf({
  startedAt,
  now,
  months,
}: {
  startedAt: Date;
  now: Date;
  months: number;
}): DatedPeriod {
  const elapsed = Math.max(0, Math.floor((monthOf(now) - monthOf(startedAt)) / months)) * months;
  // In the month of `now`, the period begins on the anchor day.
  const from = elapsed > 0 && addMonths(startedAt, elapsed) > now ? elapsed - months : elapsed;
  const startsAt = addMonths(startedAt, from);
  return { id: startsAt.toISOString(), startsAt, endsAt: addMonths(startedAt, from + months) };
}

const monthOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();

/** Counted from the anchor, because a step from February 28 would lose the 31st. */
function addMonths(anchor: Date, months: number): Date {
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(anchor.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const moved = new Date(anchor);
  moved.setUTCFullYear(anchor.getUTCFullYear(), month, Math.min(anchor.getUTCDate(), lastDay));
  return moved;
}
