import { fold } from '../../text/fold.ts';
import { languagesOf } from '../../text/ranking/stop-words.ts';
import { type DateValue, datesIn, isSameDate } from './dates.ts';
import { type NumberValue, numbersIn } from './numbers.ts';
import { type PeriodValue, periodsIn } from './periods.ts';
import { isSameNumber, isSmallNumber, withHead } from './same-number.ts';
import { isSameTime, type TimeValue, timesIn } from './times.ts';
import { type TableHead, tableHeadOf } from './units.ts';

/** A number with its unit, a date, a part of a year, or a time of day. */
export type Value = NumberValue | DateValue | PeriodValue | TimeValue;

/** Words that identify the language of a text. */
const MAX_LANGUAGE_WORDS = 500;

/** Whether words such as 'once' and 'seize' are words of English. */
function isEnglish(text: string): boolean {
  const words = fold(text.slice(0, 10 * MAX_LANGUAGE_WORDS)).match(/\p{L}+/gu) ?? [];
  return languagesOf(words.slice(0, MAX_LANGUAGE_WORDS)).includes('en');
}

/** The numbers, dates, periods and times of a text. */
export function valuesIn(text: string): Value[] {
  const { periods, rest: withoutPeriods } = periodsIn(text);
  const { dates, rest } = datesIn(withoutPeriods);
  const english = isEnglish(text);
  const { times, starts } = timesIn(rest, english);
  const numbers = numbersIn(rest, { isEnglish: english, weakAt: starts });
  return [...periods, ...dates, ...times, ...numbers];
}

interface Found {
  numbers: NumberValue[];
  dates: DateValue[];
  times: TimeValue[];
  /** Names of periods. */
  periods: ReadonlySet<string>;
  years: ReadonlySet<number>;
}

/** 'Around 1990' is said of 1988 to 1992: 5% would be a century. */
const ROUNDED_YEARS = 2;

function isIn(claimed: Value, { numbers, dates, times, years, periods }: Found): boolean {
  if (claimed.kind === 'period') return periods.has(claimed.name);
  if (claimed.kind === 'date') return dates.some((date) => isSameDate(claimed, date, years));
  if (claimed.kind === 'time') {
    const isNumber = (part: number) =>
      numbers.some(
        ({ isWeak, readings: [first] }) =>
          !isWeak && first?.value === part && first.family === null,
      );
    return times.some((time) => isSameTime(claimed, time)) || !!claimed.parts?.every(isNumber);
  }
  if (claimed.isWeak || numbers.some((number) => isSameNumber(claimed, number))) return true;
  const more = claimed.isYear && claimed.isRounded ? ROUNDED_YEARS : 0;
  if (claimed.isCount && !numbers.some(isSmallNumber)) return true;
  return claimed.readings.some(
    ({ value, family, last = value }) =>
      // The claim has only the year of a date in the source, or the time between two of its years, which the source does not state.
      (family === null && [...years].some((year) => year >= value - more && year <= last + more)) ||
      (family === 'months' && !numbers.some(isTime) && isBetween(value / 12, years)),
  );
}

/** Whether a source has months in the place of quarters: 'three months ended 30 September'. A fiscal year begins in any of them. */
const isInMonths = ({ numbers, dates, periods }: Found): boolean =>
  periods.size === 0 && (dates.length > 0 || numbers.some(isTime));

const isTime = ({ readings: [first] }: NumberValue): boolean => first?.family === 'months';

/** Whether two years are so many years apart: from May 1816 to March 1828 it is 11 years, and one speaks of 12 or 13. */
const isBetween = (count: number, years: ReadonlySet<number>): boolean =>
  [...years].some((year) =>
    [-1, 0, 1].some((more) => count + more > 0 && years.has(year + count + more)),
  );

/**
 * The numbers, dates and units of `claim` that are not among those of a source; rounded numbers may differ slightly.
 * @param head what the text around the source says of the units of its numbers
 */
export function missingValues(claim: string, source: readonly Value[], head: TableHead): Value[] {
  const found = foundIn(source, head);
  return valuesIn(claim).filter(
    (value) =>
      !isBareMonth(value) && !isIn(value, found) && !(value.kind === 'period' && isInMonths(found)),
  );
}

const NO_HEAD: TableHead = { declared: [], currencies: [] };

/** Whether a value of a claim is among those of a source. */
export const isValueIn = (value: Value, source: readonly Value[]): boolean =>
  isIn(value, foundIn(source, NO_HEAD));

function foundIn(source: readonly Value[], head: TableHead): Found {
  const dates = source.filter((value) => value.kind === 'date');
  const times = source.filter((value) => value.kind === 'time');
  const numbers = withHead(
    source.filter((value) => value.kind === 'number'),
    head,
  );
  const periods = new Set(source.flatMap((value) => (value.kind === 'period' ? value.name : [])));
  return {
    dates,
    numbers,
    periods,
    times,
    years: new Set([...dates, ...numbers].flatMap(yearsOf)),
  };
}

const yearsOf = (value: NumberValue | DateValue): number[] =>
  value.kind === 'date'
    ? value.readings.flatMap(({ year }) => year ?? [])
    : value.isYear
      ? value.readings.map((reading) => reading.value)
      : [];

/** Whether a value is a date, a period, or a number that may be a year. */
export const isDated = (value: Value): boolean =>
  value.kind === 'number' ? value.isYear : value.kind !== 'time' && !isBareMonth(value);

/** Whether a value of a claim must be in its source. */
export const isCompared = (value: Value): boolean =>
  value.kind === 'number' ? !(value.isWeak || value.isCount) : !isBareMonth(value);

const isBareMonth = (value: Value): boolean => value.kind === 'date' && value.isBare;

/** A text that claims are compared with, read once for all of them. */
export interface ReadText {
  values: readonly Value[];
  head: TableHead;
}

export const readValues = (text: string): ReadText => ({
  values: valuesIn(text),
  head: tableHeadOf(text),
});

/** Whether every number, date and unit of `claim` occurs in a source. */
export const hasEveryValue = (claim: string, { values, head }: ReadText): boolean =>
  missingValues(claim, values, head).length === 0;
