import type { BillingInterval } from '../../../src/contract/plans.ts';

const MONTHS: Record<BillingInterval, number> = { month: 1, year: 12 };

/** Stripe's times are whole seconds. */
export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** The instant `months` after `anchor`, in UTC; on the last day of a month without that day. */
export function addMonths(anchor: Date, months: number): Date {
  const moved = new Date(anchor);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0));
  moved.setUTCDate(Math.min(anchor.getUTCDate(), lastDay.getUTCDate()));
  return moved;
}

/** The end of the first period that ends after `after`, with periods counted from `anchor`. */
export function periodEndAfter(anchor: Date, interval: BillingInterval, after: Date): Date {
  let periods = 1;
  while (addMonths(anchor, periods * MONTHS[interval]) <= after) periods += 1;
  return addMonths(anchor, periods * MONTHS[interval]);
}

/** The part of `amount` (in cents, rounded) for the time from `now` to the end of a period, counted in whole seconds. */
export function remainder(
  amount: number,
  { startsAt, endsAt, now }: { startsAt: Date; endsAt: Date; now: Date },
): number {
  const whole = secondsOf(endsAt) - secondsOf(startsAt);
  return Math.round((amount * Math.max(0, secondsOf(endsAt) - secondsOf(now))) / whole);
}
