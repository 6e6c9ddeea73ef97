import type { Usage } from '@stolas/backend/contract';

const DAY_MS = 86_400_000;

export interface DayUsage {
  /** A day of UTC, 'yyyy-mm-dd'. */
  date: string;
  tokens: number;
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Every day from the beginning of the usage period to today, the earliest first; those without usage with 0. */
export function daysUntilToday(
  { startsAt, days }: Pick<Usage, 'startsAt' | 'days'>,
  now = new Date(),
): DayUsage[] {
  const tokensOn = new Map(days.map(({ date, tokens }) => [date, tokens]));
  const today = dateOf(now.getTime());
  const first = startsAt?.slice(0, 10) ?? days[0]?.date ?? today;
  const count = Math.max(0, Math.round((Date.parse(today) - Date.parse(first)) / DAY_MS)) + 1;
  return Array.from({ length: count }, (_, n) => {
    const date = dateOf(Date.parse(first) + n * DAY_MS);
    return { date, tokens: tokensOn.get(date) ?? 0 };
  });
}

/** How many days the usage period has, at least the `elapsed` ones. The day on which the next one begins is not counted. */
export function daysOfPeriod(
  { startsAt, resetsAt }: Pick<Usage, 'startsAt' | 'resetsAt'>,
  elapsed: number,
): number {
  if (!startsAt || !resetsAt) return elapsed;
  const length = Math.ceil((Date.parse(resetsAt) - Date.parse(startsAt)) / DAY_MS);
  return Math.max(length, elapsed);
}
