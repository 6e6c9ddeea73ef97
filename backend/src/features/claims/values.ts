/** A number with its unit, or a date. */
export type Value = NumberValue | DateValue;

interface NumberValue {
  kind: 'number';
  /** Possible values: `1.250` is 1.25 or 1250. In the smallest unit of its family. */
  readings: number[];
  /** The family of its unit, such as `eur`, `%` or `seconds`; null without a known unit. */
  unit: string | null;
  /** The text marks it as rounded: 'about 900'. */
  isRounded: boolean;
}

interface DateValue {
  kind: 'date';
  year: number;
  month: number;
  day: number | null;
}

const MONTHS: readonly RegExp[] = [
  /^(?:jan|jän)/,
  /^feb/,
  /^(?:mar|mär)/,
  /^apr/,
  /^(?:may|mai)/,
  /^(?:jun)/,
  /^(?:jul)/,
  /^aug/,
  /^sep/,
  /^(?:oct|okt)/,
  /^nov/,
  /^(?:dec|dez)/,
];
const MONTH = String.raw`(?:jan(?:uary|uar)?|jänner|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)\.?`;
const DATES = new RegExp(
  [
    String.raw`\b(?<y1>\d{4})-(?<m1>\d{2})-(?<d1>\d{2})\b`,
    String.raw`\b(?<d2>\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?<m2>${MONTH}),?\s+(?<y2>\d{4})\b`,
    String.raw`\b(?<m3>${MONTH})\s+(?<d3>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<y3>\d{4})\b`,
    String.raw`\b(?<d4>\d{1,2})\.(?<m4>\d{1,2})\.(?<y4>\d{4})\b`,
    String.raw`\b(?<m5>${MONTH})\s+(?<y5>\d{4})\b`,
  ].join('|'),
  'giu',
);

const NUMBER = String.raw`\d+(?:[.,’'\u00A0\u202F ]\d{3}(?!\d))*(?:[.,]\d+)?`;
const WORDS: readonly (readonly string[])[] = [
  ['two', 'zwei'],
  ['three', 'drei'],
  ['four', 'vier'],
  ['five', 'fünf'],
  ['six', 'sechs'],
  ['seven', 'sieben'],
  ['eight', 'acht'],
  ['nine', 'neun'],
  ['ten', 'zehn'],
  ['eleven', 'elf'],
  ['twelve', 'zwölf'],
];
const WORD_VALUES = new Map(
  WORDS.flatMap((words, at) => words.map((word) => [word, at + 2] as const)),
);
const SCALES: readonly (readonly [RegExp, number])[] = [
  [/^(?:k|thousand|tausend|tsd\.?)$/i, 1e3],
  [/^(?:m|million|millions|millionen|mio\.?)$/i, 1e6],
  [/^(?:bn|billion|billions|milliarden?|mrd\.?)$/i, 1e9],
];
const SCALE = String.raw`(?:k|m|bn)(?![\p{L}\p{N}²])|(?:thousand|tausend|tsd\.?|millions?|millionen|mio\.?|billions?|milliarden?|mrd\.?)(?!\p{L})`;
/** Families of units with their factors. */
const UNITS: readonly (readonly [RegExp, string, number])[] = [
  [/^(?:%|percent|per cent|prozent)$/i, '%', 1],
  [/^(?:€|eur|euros?)$/i, 'eur', 1],
  [/^(?:\$|usd|dollars?)$/i, 'usd', 1],
  [/^(?:£|gbp|pounds?)$/i, 'gbp', 1],
  [/^(?:chf|francs?|franken)$/i, 'chf', 1],
  [/^(?:seconds?|sekunden?)$/i, 'seconds', 1],
  [/^(?:minutes?|minuten?)$/i, 'seconds', 60],
  [/^(?:hours?|stunden?)$/i, 'seconds', 3_600],
  [/^(?:days?|tage?n?)$/i, 'seconds', 86_400],
  [/^(?:weeks?|wochen?)$/i, 'seconds', 604_800],
  [/^(?:months?|monate?n?)$/i, 'months', 1],
  [/^(?:years?|jahre?n?)$/i, 'months', 12],
  [/^mm$/i, 'mm', 1],
  [/^cm$/i, 'mm', 10],
  [/^(?:metres?|meters?|meter)$/i, 'mm', 1_000],
  [/^(?:km|kilometres?|kilometers?|kilometer)$/i, 'mm', 1_000_000],
  [/^miles?$/i, 'miles', 1],
  [/^(?:grams?|gramm)$/i, 'g', 1],
  [/^(?:kg|kilograms?|kilogramm)$/i, 'g', 1_000],
  [/^(?:t|tons?|tonnes?|tonnen)$/i, 'g', 1_000_000],
  [/^(?:litres?|liters?|liter)$/i, 'l', 1],
  [/^(?:mb|megabytes?)$/i, 'mb', 1],
  [/^(?:gb|gigabytes?)$/i, 'mb', 1_000],
  [/^(?:tb|terabytes?)$/i, 'mb', 1_000_000],
  [/^(?:°c|degrees celsius|grad celsius)$/i, 'celsius', 1],
  [/^(?:°f|degrees fahrenheit)$/i, 'fahrenheit', 1],
];
const UNIT = String.raw`%|per cent|percent|prozent|€|\$|£|°[CF]|(?:degrees|grad) (?:celsius|fahrenheit)|[\p{L}]+`;
const NUMBERS = new RegExp(
  String.raw`(?<before>[€$£]|\b(?:EUR|USD|GBP|CHF))?\s?(?<![\p{L}\d.,])(?<number>${NUMBER}|(?:${WORDS.flat().join('|')})(?!\p{L}))(?:[\s-]?(?<scale>${SCALE}))?(?:[\s-]?(?<unit>${UNIT}))?`,
  'giu',
);
const ROUNDED =
  /(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|over|more than|just under|~|circa|ca\.?|etwa|rund|ungefähr|fast|knapp|gut|über)\s{0,20}[€$£]?\s{0,20}$/i;

function dateOf(groups: Record<string, string | undefined>): DateValue {
  const pick = (letter: string) =>
    [1, 2, 3, 4, 5].map((at) => groups[`${letter}${at}`]).find((found) => found !== undefined);
  const month = pick('m') ?? '';
  const named = MONTHS.findIndex((name) => name.test(month.toLowerCase())) + 1;
  const day = pick('d');
  return {
    kind: 'date',
    year: Number(pick('y')),
    month: named || Number(month),
    day: day === undefined ? null : Number(day),
  };
}

/** The possible values of a written number: separators of thousands and decimals differ between countries. */
function readingsOf(written: string): number[] {
  const word = WORD_VALUES.get(written.toLowerCase());
  if (word !== undefined) return [word];
  const plain = written.replace(/[’'\u00A0\u202F ]/g, '');
  const marks = plain.match(/[.,]/g) ?? [];
  if (marks.length === 0) return [Number(plain)];
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  const asDecimal = Number(`${plain.slice(0, last).replace(/[.,]/g, '')}.${plain.slice(last + 1)}`);
  const asThousands = Number(plain.replace(/[.,]/g, ''));
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})+$/.test(plain);
  if (!isGrouped) return [asDecimal];
  return marks.length > 1 && new Set(marks).size === 1 ? [asThousands] : [asThousands, asDecimal];
}

function unitOf(written: string | undefined): { unit: string; factor: number } | null {
  const found = UNITS.find(([pattern]) => pattern.test(written ?? ''));
  return found ? { unit: found[1], factor: found[2] } : null;
}

/** The numbers and dates of a text. */
export function valuesIn(text: string): Value[] {
  const values: Value[] = [];
  const rest = text.replace(DATES, (...found: unknown[]) => {
    values.push(dateOf(found.at(-1) as Record<string, string | undefined>));
    return ' '.repeat(String(found[0]).length);
  });
  for (const match of rest.matchAll(NUMBERS)) {
    const { before, number = '', scale, unit } = match.groups ?? {};
    const known = unitOf(before) ?? unitOf(unit);
    const isWord = WORD_VALUES.has(number.toLowerCase());
    // The number in 'one of two' has no unit and is skipped; the one in 'two months' has one.
    if (isWord && !known) continue;
    const factor =
      (SCALES.find(([pattern]) => pattern.test(scale ?? ''))?.[1] ?? 1) * (known?.factor ?? 1);
    values.push({
      kind: 'number',
      readings: readingsOf(number).map((reading) => reading * factor),
      unit: known?.unit ?? null,
      isRounded: ROUNDED.test(
        rest.slice(
          Math.max(0, match.index - 20),
          match.index + (before ? 0 : match[0].search(/\S/)),
        ),
      ),
    });
  }
  return values;
}

/** The maximum relative difference between a rounded number and the source. */
const ROUNDING = 0.05;

function isSameNumber(claimed: NumberValue, found: NumberValue): boolean {
  if (claimed.unit !== null && claimed.unit !== found.unit) return false;
  return claimed.readings.some((value) =>
    found.readings.some((other) => {
      if (Math.abs(value - other) <= 1e-9 * Math.abs(other)) return true;
      return claimed.isRounded && Math.abs(value - other) <= ROUNDING * Math.abs(other);
    }),
  );
}

function isIn(claimed: Value, found: readonly Value[]): boolean {
  if (claimed.kind === 'date')
    return found.some(
      (other) =>
        other.kind === 'date' &&
        other.year === claimed.year &&
        other.month === claimed.month &&
        (claimed.day === null || claimed.day === other.day),
    );
  return found.some((other) => {
    if (other.kind === 'number') return isSameNumber(claimed, other);
    // The claim has only the year of a date in the source.
    return claimed.unit === null && claimed.readings.includes(other.year);
  });
}

/** Whether every number, date and unit of `claim` occurs in `source`; rounded numbers may differ slightly. */
export function hasEveryValue(claim: string, source: string): boolean {
  const found = valuesIn(source);
  return valuesIn(claim).every((value) => isIn(value, found));
}
