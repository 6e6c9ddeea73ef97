/** A unit: its family, such as `eur`, `%` or `seconds`, and its factor to the smallest unit of the family. */
export interface Unit {
  family: string;
  factor: number;
}

const SCALES: readonly (readonly [RegExp, number])[] = [
  [/^(?:k|thousands?|tausend|tsd\.?|milliers?|miles|['’]?000s?)$/i, 1e3],
  [/^(?:m|mn|mm|millions?|millionen|mio\.?|millón|millones)$/i, 1e6],
  [/^(?:bn|b|billions?|milliarden?|mrd\.?|milliards?)$/i, 1e9],
];
/** Words and signs for thousands, millions and billions. */
export const SCALE = String.raw`(?:(?:k|mn?|bn)(?![\p{L}\p{N}²³])|(?:thousands?|tausend|tsd\.?|milliers?|millions?|millionen|mio\.?|millón|millones|billions?|milliarden?|mrd\.?|milliards?)(?!\p{L}))`;

const UNITS: readonly (readonly [pattern: string, family: string, factor?: number])[] = [
  [String.raw`%|percent|per cent|prozent|pour cent|por ciento`, '%'],
  [String.raw`percentage points?|prozentpunkte?n?|pp|pts`, '%'],
  [String.raw`basis points?|basispunkte?n?|bps?`, '%', 0.01],
  [String.raw`€|eur|euros?`, 'eur'],
  [String.raw`t€|teur|k€`, 'eur', 1_000],
  [String.raw`\$|us\$|usd|dollars?|us dollars?`, 'usd'],
  [String.raw`£|gbp|pounds?`, 'gbp'],
  [String.raw`chf|francs?|franken`, 'chf'],
  [String.raw`¥|jpy|yen`, 'jpy'],
  [String.raw`seconds?|sekunden?|secondes?|segundos?`, 'seconds'],
  [String.raw`minutes?|minuten?|minutos?|mins?`, 'seconds', 60],
  [String.raw`hours?|stunden?|heures?|horas?`, 'seconds', 3_600],
  [String.raw`days?|tage?n?|jours?|d[ií]as?`, 'seconds', 86_400],
  [String.raw`weeks?|wochen?|semaines?|semanas?`, 'seconds', 604_800],
  [String.raw`months?|monate?n?|mois|mes|meses`, 'months'],
  [String.raw`years?|jahre?n?|ans?|années?|años?`, 'months', 12],
  [String.raw`decades?|jahrzehnte?n?`, 'months', 120],
  [String.raw`mm`, 'mm'],
  [String.raw`cm`, 'mm', 10],
  [String.raw`metres?|meters?|m|mètres?|metros?`, 'mm', 1_000],
  [String.raw`km|kilomet(?:re|er)s?|kilomètres?|kilómetros?`, 'mm', 1_000_000],
  [String.raw`mi|miles?`, 'miles'],
  [String.raw`ft|feet|foot`, 'feet'],
  [String.raw`grams?|gramm|grammes?|gramos?`, 'g'],
  [String.raw`kg|kilograms?|kilogramm|kilos?`, 'g', 1_000],
  [String.raw`t|tons?|tonnes?|tonnen|toneladas?`, 'g', 1_000_000],
  [String.raw`lit(?:re|er)s?|litros?`, 'l'],
  [String.raw`mb|megabytes?`, 'mb'],
  [String.raw`gb|gigabytes?`, 'mb', 1_000],
  [String.raw`tb|terabytes?`, 'mb', 1_000_000],
  [String.raw`°c|degrees celsius|grad celsius`, 'celsius'],
  [String.raw`°f|degrees fahrenheit`, 'fahrenheit'],
];
const KNOWN = UNITS.map(
  ([pattern, family, factor = 1]) =>
    [new RegExp(`^(?:${pattern})$`, 'iu'), { family, factor }] as const,
);

/** Written before a number, or behind it. */
export const CURRENCY = String.raw`(?:(?:US|T|k)?[€$£¥]|(?<!\p{L})(?:T?EUR|USD|GBP|CHF|JPY)(?!\p{L}))`;
/** Anything that may be a unit; the words of two words come first. */
export const UNIT = String.raw`(?:per cent|pour cent|por ciento|(?:percentage|basis) points?|us dollars?|(?:degrees|grad) (?:celsius|fahrenheit)|%|${CURRENCY}|°[CF]|\p{L}[\p{L}\p{M}]*[²³]?)`;

/** The unit of these words, or null. */
export const unitOf = (written: string | undefined): Unit | null =>
  written === undefined ? null : (KNOWN.find(([pattern]) => pattern.test(written))?.[1] ?? null);

/** 1,000 for 'thousand', and 1 for anything else. */
export const scaleOf = (written: string | undefined): number =>
  SCALES.find(([pattern]) => pattern.test(written ?? ''))?.[1] ?? 1;

/** A unit that the head of a table gives its numbers. */
interface DeclaredUnit {
  /** Null when it is not said. */
  family: string | null;
  factor: number;
}

/** What a text says of the units of its bare numbers: '(in EUR m)', '(in millions)', 'in T€', '(%)'. */
export interface TableHead {
  declared: readonly DeclaredUnit[];
  /** The families of all currencies that it names. */
  currencies: readonly string[];
}

const DECLARED = new RegExp(
  String.raw`(?:\(|\[|(?<!\p{L})(?:in|en)\s{1,3}|^|\|)\s?(?:amounts |figures |angaben )?(?:in |en )?(?:(?<currency>${CURRENCY})\s?(?<scale>${SCALE}|['’]?000s?)?|(?<first>${SCALE}|['’]?000s?)(?:\s(?:of\s)?(?<unit>${CURRENCY}|euros?|dollars?|pounds?))?|(?<percent>%|percent|prozent))(?!\s?[\p{L}\d])`,
  'gimu',
);

const CURRENCIES = new RegExp(CURRENCY, 'gu');

/** Reads the head of the tables in a text. */
export function tableHeadOf(text: string): TableHead {
  const declared = Array.from(text.matchAll(DECLARED), ({ groups = {} }): DeclaredUnit => {
    const unit = unitOf(groups['currency'] ?? groups['unit'] ?? groups['percent']);
    const factor = scaleOf(groups['scale'] ?? groups['first']) * (unit?.factor ?? 1);
    return { family: unit?.family ?? null, factor };
  });
  const currencies = Array.from(text.matchAll(CURRENCIES), ([sign]) => unitOf(sign)?.family ?? '');
  return joinedHeads([{ declared, currencies }]);
}

/** The heads of several texts as one. */
export function joinedHeads(heads: readonly TableHead[]): TableHead {
  const declared = heads.flatMap((head) => head.declared);
  return {
    declared: [...new Map(declared.map((one) => [`${one.family} ${one.factor}`, one])).values()],
    currencies: [...new Set(heads.flatMap(({ currencies }) => currencies))],
  };
}
