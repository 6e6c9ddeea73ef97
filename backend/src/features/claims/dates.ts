/** A date, or a part of one; null for what is not said. */
export interface CalendarDate {
  year: number | null;
  month: number | null;
  day: number | null;
}

/** A date in a text: `12/10/2026` may be in October or December. */
export interface DateValue {
  kind: 'date';
  readings: CalendarDate[];
  /** Only the name of a month: it completes a year that stands elsewhere, and is never required. */
  isBare: boolean;
}

/** Names of months in English, German, French and Spanish, in full and abbreviated. */
const MONTHS = new Map<string, number>([
  ['sept', 9],
  ['mrz', 3],
  ['maerz', 3],
]);
for (const locale of ['en', 'de', 'de-AT', 'fr', 'es'])
  for (const length of ['long', 'short'] as const) {
    const format = new Intl.DateTimeFormat(locale, { month: length, timeZone: 'UTC' });
    for (let month = 1; month <= 12; month += 1) {
      const name = format
        .format(Date.UTC(2026, month - 1, 15))
        .toLowerCase()
        .replace(/\.$/, '');
      MONTHS.set(name, month);
      MONTHS.set(name.normalize('NFD').replace(/\p{M}/gu, ''), month);
    }
  }

/** The month of a name, from 1. */
export const monthOf = (name: string): number | undefined =>
  MONTHS.get(name.toLowerCase().replace(/\.$/, ''));

const NAMES = [...MONTHS.keys()].toSorted((a, b) => b.length - a.length).join('|');
const MONTH = String.raw`(?<!\p{L})(?:${NAMES})(?!\p{L})\.?`;
const DAY = String.raw`(?<!\d|\d[.,])\d{1,2}(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+|d[’'])?`;
const YEAR = String.raw`\d{4}(?!\d|[.,]\d)`;
/** Of two digits at the end of what is said: 'Fri 15 Feb 19'. */
const SHORT_YEAR = String.raw`[’']?\d{2}(?=\s{0,3}(?:[\n,;|)]|$))`;
const BEFORE_YEAR = String.raw`(?:,|\s+de|\s+del|\s+of)?\s+`;
const DATES = new RegExp(
  [
    String.raw`(?<!\d|\d[.,/-])(?<y1>\d{4})[-./](?<m1>\d{1,2})[-./](?<d1>\d{1,2})(?!\d|[.,/-]\d)`,
    String.raw`(?<d2>${DAY})(?<m2>${MONTH})${BEFORE_YEAR}(?<y2>${YEAR}|${SHORT_YEAR})`,
    String.raw`(?<m3>${MONTH})\s+(?<d3>\d{1,2})(?:st|nd|rd|th)?(?:,\s*|\s+)(?<y3>${YEAR})`,
    String.raw`(?<!\d|\d[.,/-])(?<d4>\d{1,2})(?:\.\s?|[/-])(?<m4>\d{1,2})(?:\.\s?|[/-])(?<y4>\d{4}|\d{2})(?!\d|[.,/-]\d)`,
    String.raw`(?<m5>${MONTH})${BEFORE_YEAR}(?<y5>${YEAR})`,
    String.raw`(?<!\d|\d[.,/])(?<m6>\d{1,2})\/(?<y6>\d{4})(?!\d)`,
    String.raw`(?<d7>${DAY})(?<m7>${MONTH})`,
    String.raw`(?<m8>${MONTH})\s+(?<d8>\d{1,2})(?:st|nd|rd|th)?(?!\d|\p{L}|[.,]\d|\s?%)`,
  ].join('|'),
  'giu',
);

/** The dates of a text, and the text with blanks in their places. */
export function datesIn(text: string): { dates: DateValue[]; rest: string } {
  const dates: DateValue[] = [];
  const rest = text.replace(DATES, (...found: unknown[]) => {
    const whole = String(found[0]);
    const readings = readingsOf(found.at(-1) as Groups, whole.includes('/'));
    if (readings.length === 0) return whole;
    dates.push({ kind: 'date', readings, isBare: false });
    return ' '.repeat(whole.length);
  });
  return { dates: [...dates, ...bareMonthsIn(rest)], rest };
}

const BARE_MONTH = new RegExp(MONTH, 'giu');

/** The names of months without day and year, in capitals as names are. */
function bareMonthsIn(text: string): DateValue[] {
  const months = new Set(
    Array.from(text.matchAll(BARE_MONTH), ([name]) =>
      /^\p{Lu}/u.test(name) ? monthOf(name) : undefined,
    ),
  );
  return [...months].flatMap((month) =>
    month === undefined
      ? []
      : { kind: 'date', readings: [{ year: null, month, day: null }], isBare: true },
  );
}

type Groups = Record<string, string | undefined>;

/** Slashes stand in dates that begin with the month or the day. */
function readingsOf(groups: Groups, isEitherOrder: boolean): CalendarDate[] {
  const pick = (letter: string) =>
    [1, 2, 3, 4, 5, 6, 7, 8].map((at) => groups[`${letter}${at}`]).find((one) => one !== undefined);
  const numberOf = (written: string | undefined) =>
    written === undefined ? null : Number.parseInt(written, 10);
  const named = pick('m') ?? '';
  const month = monthOf(named) ?? Number(named);
  const day = numberOf(pick('d'));
  const orders = [{ month, day }];
  if (isEitherOrder && groups['d4'] !== undefined && day !== null)
    orders.push({ month: day, day: month });
  return orders
    .filter((one) => isIn(one.month, 12) && (one.day === null || isIn(one.day, 31)))
    .flatMap((one) => yearsOf(pick('y')).map((year) => ({ year, ...one })));
}

const isIn = (value: number, limit: number): boolean => value >= 1 && value <= limit;

/** A year of two digits is of this century or the last. */
function yearsOf(written: string | undefined): (number | null)[] {
  if (written === undefined) return [null];
  const year = Number(written.replace(/\D/g, ''));
  return year < 100 ? [2_000 + year, 1_900 + year] : [year];
}

/** Whether the source has the claimed date; a date without year gets one that stands beside it, `years`. */
export function isSameDate(
  claimed: DateValue,
  found: DateValue,
  years: ReadonlySet<number>,
): boolean {
  return claimed.readings.some(({ year, month, day }) =>
    found.readings.some(
      (other) =>
        month === other.month &&
        (day === null || day === other.day) &&
        (year === null || year === other.year || (other.year === null && years.has(year))),
    ),
  );
}
