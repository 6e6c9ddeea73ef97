import { fold } from '../../text/fold.ts';
import { languagesOf } from '../../text/ranking/stop-words.ts';
import { type DateValue, datesIn, isSameDate } from './dates.ts';
import { isSameNumber, isSmallNumber, type NumberValue, numbersIn, withHead } from './numbers.ts';
import { type TableHead, tableHeadOf } from './units.ts';

/** A number with its unit, or a date. */
export type Value = NumberValue | DateValue;

/** Words that identify the language of a text. */
const MAX_LANGUAGE_WORDS = 500;

/** Whether words such as 'once' and 'seize' are words of English. */
function isEnglish(text: string): boolean {
  const words = fold(text.slice(0, 10 * MAX_LANGUAGE_WORDS)).match(/\p{L}+/gu) ?? [];
  return languagesOf(words.slice(0, MAX_LANGUAGE_WORDS)).includes('en');
}

/** The numbers and dates of a text. */
export function valuesIn(text: string): Value[] {
  const { dates, rest } = datesIn(text);
  return [...dates, ...numbersIn(rest, { isEnglish: isEnglish(text) })];
}

interface Found {
  numbers: NumberValue[];
  dates: DateValue[];
  years: ReadonlySet<number>;
}

function isIn(claimed: Value, { numbers, dates, years }: Found): boolean {
  if (claimed.kind === 'date') return dates.some((found) => isSameDate(claimed, found, years));
  if (claimed.isWeak || numbers.some((found) => isSameNumber(claimed, found))) return true;
  if (claimed.isCount && !numbers.some(isSmallNumber)) return true;
  return claimed.readings.some(
    ({ value, family, last = value }) =>
      // The claim has only the year of a date in the source, or the time between two of its years, which the source does not state.
      (family === null && [...years].some((year) => year >= value && year <= last)) ||
      (family === 'months' && !numbers.some(isTime) && isBetween(value / 12, years)),
  );
}

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
    (value) => !(value.kind === 'date' && value.isBare) && !isIn(value, found),
  );
}

const NO_HEAD: TableHead = { declared: [], currencies: [] };

/** Whether a value of a claim is among those of a source. */
export const isValueIn = (value: Value, source: readonly Value[]): boolean =>
  isIn(value, foundIn(source, NO_HEAD));

function foundIn(source: readonly Value[], head: TableHead): Found {
  const dates = source.filter((value) => value.kind === 'date');
  const numbers = withHead(
    source.filter((value) => value.kind === 'number'),
    head,
  );
  return { dates, numbers, years: new Set([...dates, ...numbers].flatMap(yearsOf)) };
}

const yearsOf = (value: Value): number[] =>
  value.kind === 'date'
    ? value.readings.flatMap(({ year }) => year ?? [])
    : value.isYear
      ? value.readings.map((reading) => reading.value)
      : [];

/** Whether a value is a date, or a number that may be a year. */
export const isDated = (value: Value): boolean =>
  value.kind === 'date' ? !value.isBare : value.isYear;

/** Whether a value of a claim must be in its source. */
export const isCompared = (value: Value): boolean =>
  value.kind === 'date' ? !value.isBare : !(value.isWeak || value.isCount);

/** Whether every number, date and unit of `claim` occurs in `source`. */
export const hasEveryValue = (claim: string, source: string): boolean =>
  missingValues(claim, valuesIn(source), tableHeadOf(source)).length === 0;
