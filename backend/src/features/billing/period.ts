/** A span of time for which usage is summed and limited. */
export interface UsagePeriod {
  /** Unique among the periods of one user. */
  id: string;
  /** Null: from the beginning of the account. */
  startsAt: Date | null;
  /** When the sums start again at zero; null: never. */
  endsAt: Date | null;
}

/** Users without a subscription have one period for the life of the account. */
export const lifetimePeriod: UsagePeriod = { id: 'demo', startsAt: null, endsAt: null };

/**
 * The month of a subscription that `now` belongs to. Months begin at the day and time (UTC) of `startedAt`; in a month
 * without that day they begin on its last day. Before `startedAt` it is the first month.
 */
export function monthlyPeriod({ startedAt, now }: { startedAt: Date; now: Date }): UsagePeriod {
  const elapsed = Math.max(0, monthOf(now) - monthOf(startedAt));
  // In the month of `now` the period begins only on the anchor day.
  const index = elapsed > 0 && addMonths(startedAt, elapsed) > now ? elapsed - 1 : elapsed;
  const startsAt = addMonths(startedAt, index);
  return { id: startsAt.toISOString(), startsAt, endsAt: addMonths(startedAt, index + 1) };
}

const monthOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();

/** Always counted from the anchor: a step from February 28 would lose the 31st for good. */
function addMonths(anchor: Date, months: number): Date {
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(anchor.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const moved = new Date(anchor);
  moved.setUTCFullYear(anchor.getUTCFullYear(), month, Math.min(anchor.getUTCDate(), lastDay));
  return moved;
}
