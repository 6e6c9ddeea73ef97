import { unitOf } from './unit-names.ts';

const SCALES: readonly (readonly [RegExp, number])[] = [
  [/^(?:k|thousands?|tausend|tsd\.?|milliers?|miles|['’]?000s?)$/i, 1e3],
  [/^(?:m|mn|mm|millions?|millionen|mio\.?|millón|millones)$/i, 1e6],
  [/^(?:bn|b|billions?|milliarden?|mrd\.?|milliards?)$/i, 1e9],
  [/^(?:tn|trillions?|billionen|bio\.|billón|billones)$/i, 1e12],
];
/** Words and signs for thousands, millions, billions and trillions. */
export const SCALE = String.raw`(?:(?:k|mn?|bn|tn)(?![\p{L}\p{N}²³]|/[hs])|(?:thousands?|tausend|tsd\.?|milliers?|miles(?=\sde\s)|millions?|millionen|mio\.?|millón|millones|billions?|milliarden?|mrd\.?|milliards?|trillions?|billionen|bio\.|billón|billones)(?!\p{L}))`;

/** Written before a number, or behind it. */
export const CURRENCY = String.raw`(?:(?:(?<!\p{L})(?:US|CAN?|C|AU?|NZ|HK|SG?|R)(?=\$)|[Tk])?[€$£¥₹]|(?<!\p{L})(?:[TKM]?EUR|USD|CAD|AUD|NZD|HKD|SGD|BRL|GBP|CHF|JPY|INR|CNY|SEK|NOK|DKK|PLN|CZK)(?!\p{L}))`;
/** Anything that may be a unit; the words of two words come first. */
export const UNIT = String.raw`(?:per cent|pour cent|por ciento|(?:percentage|basis) points?|(?:us|canadian|australian|new zealand|hong kong|singapore|kanadische|australische)[ -]dollars?|(?:degrees|grad) (?:celsius|fahrenheit)|k?m/[hs](?!\p{L})|\p{L}{1,15} (?:per|pro|par|por) (?:hour|stunde|heure|hora|second|sekunde|seconde|segundo)(?!\p{L})|(?:square|sq\.?|cubic|cu\.?)[ -]?\p{L}{1,15}|\p{L}{0,5}(?:watt|amp|ampere)[ -]hours?|\p{L}{1,15} (?:carrés?|cuadrad[oa]s?|cubes?|cúbicos?)(?!\p{L})|[%‰]|${CURRENCY}|°[CF]|(?!\p{L}[’'])\p{L}[\p{L}\p{M}]*(?:[²³]|(?<=m)[23](?![\p{L}\p{N}]))?)`;

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
  String.raw`(?:\(|\[|(?<!\p{L})(?:in|en)\s{1,3}|^|\|)\s?(?:amounts |figures |angaben )?(?:in |en )?(?:(?<currency>${CURRENCY})\s?(?<scale>${SCALE}|['’]?000s?)?|(?<first>${SCALE}|['’]?000s?)(?:\s(?:of\s|de\s|d[’'])?(?<unit>${CURRENCY}|euros?|dollars?|dólares|pounds?))?|(?<percent>%|percent|prozent))(?!\s?[\p{L}\d])`,
  'gimu',
);

const CURRENCIES = new RegExp(CURRENCY, 'gu');
/** Other units of a head: 'Weight (kg)', '| kWh |', 'Duration in days: 30'. At the beginning of a line, '(g)' is an item. */
const MEASURES = new RegExp(
  String.raw`(?<=[\p{L}\p{N}] ?)[([](?:in )?(?<inner>${UNIT})[)\]]|\|\s?(?<cell>${UNIT})\s?(?=\|)|(?<!\p{L})(?:in|en)\s(?<behind>${UNIT})(?=\s?(?:[|\t\n:)\]]|$))`,
  'gu',
);

/** Reads the head of the tables in a text. */
export function tableHeadOf(text: string): TableHead {
  const declared = Array.from(text.matchAll(DECLARED), ({ groups = {} }): DeclaredUnit => {
    const unit = unitOf(groups['currency'] ?? groups['unit'] ?? groups['percent']);
    const factor = scaleOf(groups['scale'] ?? groups['first']) * (unit?.factor ?? 1);
    return { family: unit?.family ?? null, factor };
  });
  for (const { groups = {} } of text.matchAll(MEASURES)) {
    const unit = unitOf(groups['inner'] ?? groups['cell'] ?? groups['behind']);
    if (unit) declared.push(unit);
  }
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
