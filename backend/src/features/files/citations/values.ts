/** A value in which two statements on the same point may differ. */
export interface Value {
  kind: 'amount' | 'quantity' | 'percentage' | 'date';
  /** Equal for the same value in any notation; amounts of different kinds of units are not compared. */
  unit: string;
  value: string;
  /** As written in the file. */
  text: string;
}

const MONTHS =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(
  ' ',
);
const MONTH = String.raw`(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`;
const NUMBER = String.raw`\d+(?:[.,’' \u00A0]\d{3}){0,6}(?:[.,]\d{1,2})?`;
const NUMERAL = `(?:${NUMBER}|${NUMBER_WORDS.slice(1).join('|')})`;
const CURRENCY = '€|\\$|£|¥|EUR|USD|GBP|CHF|JPY|euros?|dollars?|pounds?|francs?|yen';
const UNIT =
  'minutes?|hours?|days?|weeks?|months?|years?|mm|cm|km|m²|sqm|kg|tons?|grams?|litres?|liters?|miles?|metres?|meters?|centimetres?|centimeters?|employees?|people|persons?|rooms?|copies|pages?|GB|MB|TB|kW|kWh|MW';

const DATE = new RegExp(
  String.raw`\b(\d{4})-(\d{2})-(\d{2})\b|\b(\d{1,2})(?:st|nd|rd|th|\.)?\s+(${MONTH}),?\s+(\d{4})\b|\b(${MONTH})\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b|\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b`,
  'gi',
);
const YEAR = new RegExp(
  String.raw`(?=[\p{L}\d])(?<=\b(?:after|before|by|during|from|in|of|since|till|until)\s+)(?:(${MONTH})\s+)?(1\d{3}|20\d{2})(?![\d.,]?\d|[\p{L}-])`,
  'giu',
);
const AMOUNT = new RegExp(
  `(€|\\$|£|¥|\\b(?:EUR|USD|GBP|CHF|JPY))\\s?(${NUMBER})|(?<![\\d.,])(${NUMBER})\\s?(${CURRENCY})(?![\\p{L}])`,
  'giu',
);
const PERCENTAGE = new RegExp(`(?<![\\d.,])(${NUMBER})\\s?(?:%|percent\\b|per cent\\b)`, 'gi');
const QUANTITY = new RegExp(`(?<![\\d.,\\p{L}])(${NUMERAL})[\\s-]+(${UNIT})(?![\\p{L}])`, 'giu');

const CURRENCIES: Record<string, string> = {
  '€': 'eur',
  euro: 'eur',
  $: 'usd',
  dollar: 'usd',
  '£': 'gbp',
  pound: 'gbp',
  '¥': 'jpy',
  yen: 'jpy',
  franc: 'chf',
};
/** Units with a common smaller unit. */
const CONVERSIONS: Record<string, [unit: string, factor: number]> = {
  minute: ['time', 1],
  hour: ['time', 60],
  day: ['time', 1_440],
  week: ['time', 10_080],
  month: ['month', 1],
  year: ['month', 12],
  mm: ['length', 1],
  cm: ['length', 10],
  centimetre: ['length', 10],
  centimeter: ['length', 10],
  metre: ['length', 1_000],
  meter: ['length', 1_000],
  km: ['length', 1_000_000],
  gram: ['mass', 1],
  kg: ['mass', 1_000],
  person: ['person', 1],
  people: ['person', 1],
  copies: ['copy', 1],
};

function numberOf(text: string): number {
  const word = NUMBER_WORDS.indexOf(text.toLowerCase());
  if (word !== -1) return word;
  const [, whole = text, decimals = '0'] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(text) ?? [];
  return Number(`${whole.replace(/\D/g, '')}.${decimals}`);
}

const singular = (unit: string) => {
  const lower = unit.toLowerCase();
  return lower in CONVERSIONS ? lower : lower.replace(/s$/, '');
};

const monthOf = (name: string): number =>
  MONTHS.findIndex((full) => full.startsWith(name.toLowerCase().slice(0, 3))) + 1;

function dateOf(groups: (string | undefined)[]): string {
  const [y1, m1, d1, d2, m2, y2, m3, d3, y3, d4, m4, y4] = groups;
  const name = m2 ?? m3;
  const month = name === undefined ? Number(m1 ?? m4) : monthOf(name);
  return [Number(y1 ?? y2 ?? y3 ?? y4), month, Number(d1 ?? d2 ?? d3 ?? d4)].join('-');
}

/**
 * Separates the values from a sentence.
 * @returns them, and the sentence without them
 */
export function valuesIn(sentence: string): { values: Value[]; rest: string } {
  const values: Value[] = [];
  const rest = sentence
    .replace(DATE, (text: string, ...groups: (string | undefined)[]) => {
      values.push({ kind: 'date', unit: '', value: dateOf(groups.slice(0, 12)), text });
      return ' ';
    })
    .replace(
      AMOUNT,
      (text: string, before?: string, first?: string, second?: string, after?: string) => {
        const currency = (before ?? after ?? '').toLowerCase().replace(/s$/, '');
        const value = String(numberOf(first ?? second ?? ''));
        values.push({ kind: 'amount', unit: CURRENCIES[currency] ?? currency, value, text });
        return ' ';
      },
    )
    .replace(PERCENTAGE, (text: string, number: string) => {
      values.push({ kind: 'percentage', unit: '', value: String(numberOf(number)), text });
      return ' ';
    })
    .replace(QUANTITY, (text: string, number: string, unit: string) => {
      const [common, factor] = CONVERSIONS[singular(unit)] ?? [singular(unit), 1];
      values.push({
        kind: 'quantity',
        unit: common,
        value: String(numberOf(number) * factor),
        text,
      });
      return ' ';
    });
  return values.length > 0 ? { values, rest } : yearsIn(rest);
}

/** Beside another number, a year identifies it; alone, it is the value. */
function yearsIn(sentence: string): { values: Value[]; rest: string } {
  const values: Value[] = [];
  const rest = sentence.replace(YEAR, (text: string, month: string | undefined, year: string) => {
    const value = month === undefined ? year : `${year}-${monthOf(month)}`;
    values.push({ kind: 'date', unit: month === undefined ? 'year' : 'month', value, text });
    return ' ';
  });
  return /\d/.test(rest) ? { values: [], rest: sentence } : { values, rest };
}
