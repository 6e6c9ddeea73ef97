import { fold } from '../../text/fold.ts';
import { stopWordsOf } from '../../text/ranking/stop-words.ts';
import { readNumberWords } from './number-words.ts';
import { type Unit, unitOf } from './unit-names.ts';
import { CURRENCY, SCALE, scaleOf, UNIT } from './units.ts';

/** A possible value of a written number, in the smallest unit of its family. */
interface Reading {
  value: number;
  /** The family of its unit; null without a known unit. */
  family: string | null;
  /** The end of a decade or century: any number up to it is meant. */
  last?: number;
  /** Possible only in a source: a claim is not required to mean it. */
  isGuess?: boolean;
}

/** A number with its unit. */
export interface NumberValue {
  kind: 'number';
  /** `1.250` is 1.25 or 1250. */
  readings: Reading[];
  /** The text marks it as rounded: 'about 900'. */
  isRounded: boolean;
  /** 'Over 250' is true of 254, 'less than 250' of 249. */
  bound: 'above' | 'below' | null;
  isNegative: boolean;
  /** Words beside it may say its sign: 'a loss of 3 million'. */
  isEitherSign: boolean;
  /** It need not occur in a source: an article, or a part of a time of day or of a name such as COVID-19. */
  isWeak: boolean;
  /** Four digits without a sign or unit. */
  isYear: boolean;
  /** It counts without a unit, in words: 'two films'. */
  isCount: boolean;
  /** Of its scale and its unit. */
  factor: number;
  /** The word behind it, folded; null without one that says what is counted. */
  word: string | null;
}

const SEPARATOR = String.raw`[.,’'\u00A0\u202F ]`;
const TOKEN = new RegExp(
  String.raw`(?<digits>(?<!\d|\d[.,])(?:\d{1,3}(?:${SEPARATOR}\d{3}(?!\d)){1,8}|\d+)(?:[.,]\d+)?|(?<![\p{L}\d.,])[.,]\d+)|(?<word>\p{L}[\p{L}\p{M}]*)`,
  'gu',
);
const BEFORE = new RegExp(
  String.raw`(?:(?<scale>${SCALE})\s?)?(?<currency>${CURRENCY})(?:\s?(?<late>${SCALE}))?\s?[-\u2212\u2013(]?\s?$`,
  'iu',
);
const AFTER = new RegExp(
  String.raw`[\s-]?(?:(?<scale>${SCALE})(?:\s(?:de(?=\s)|d[’']))?)?(?:[\s-]{0,2}(?<unit>${UNIT})(?<late>(?:k|mn?|bn)(?![\p{L}\p{N}]))?)?`,
  'iuy',
);
const AGE = /[\s-]{0,3}(?:years?[\s-]{1,3}old|jahre alt)/iy;
const DECADE = /[’']?s(?!\p{L})|er(?=\s(?:Jahre?n?)(?!\p{L}))/uy;
const CENTURY = /(?:st|nd|rd|th|\.)?[\s-](?:century|centuries|jahrhundert)/iy;
const ORDINAL = /^(?:st|nd|rd|th)(?!\p{L})/u;
const SECOND_WORD = /\s(?<unit>\p{L}+)/uy;
const REPEATED = /\s?\(([^()\n]{1,60})\)/y;
export const WORD_START = String.raw`(?<![\p{L}\p{M}])`;
/** So short that NEAR shows the letter before the words too. */
const BEFORE_NUMBER = String.raw`\s{0,4}[€$£]?\s{0,4}$`;
const ROUNDED = new RegExp(
  String.raw`${WORD_START}(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|just under|~|circa|ca\.?|etwa|rund|ungefähr|fast|knapp|gut|environ|presque|près de|unos|casi|alrededor de)${BEFORE_NUMBER}`,
  'iu',
);
const ABOVE = new RegExp(
  `${WORD_START}(?:over|more than|greater than|über|mehr als|plus de|más de)${BEFORE_NUMBER}`,
  'iu',
);
const BELOW = new RegExp(
  `${WORD_START}(?:under|less than|fewer than|unter|weniger als|moins de|menos de)${BEFORE_NUMBER}`,
  'iu',
);
/** Code units before and behind a number that say how to read it. */
const NEAR = 24;
const LINE_NEAR = 160;
/** Losses and payments, of which German makes compounds: statements write them with and without a sign. */
const SIGN_WORDS =
  /(?<!\p{L})(?:loss|losses|lost|declin|decreas|fell|fall|drop|down|negativ|minus|deficit|outflow|used|cost|expense|tax|paid|payment|repurchas|dividend|depreciation|amorti[sz]|impairment|provision|purchase|spen[dt]|capex|capital expenditure|lower|gesunken|sank|fiel|gezahlt|perte|baisse|charge|coût|dépense|pérdida|descen|gasto|coste)|verlust|fehlbetrag|rückgang|aufw[aä]nd|aufwendung|kosten|steuer|auszahlung|abschreibung/iu;
/** A currency, or the T before the time of an ISO date. */
const BEFORE_DIGITS = new RegExp(`^(?:${CURRENCY}|T)$`, 'iu');
/** Names whose number need not occur: 'COVID-19', 'SARS-CoV-2', 'B-12'. */
const NAME_BEFORE = /(?:\p{Lu}|[Cc]ov(?:id)?)\p{Pd}$/u;
const YEAR = /^(?:1\d|20|21)\d\d$/;
/** Behind a year they are rather an initial or a word: 'in 2019 W. Smith', 'en 2019 ha sido'. */
const RATHER_WORD = /^(?:\p{L}|\p{Lu}{2}|ha|mi)$/u;
const WORD_BEHIND = /[\s-](?<word>\p{L}[\p{L}\p{M}]*)/uy;
const NO_SUBJECT = stopWordsOf(['en', 'de', 'fr', 'es']);

interface Options {
  /** Words such as 'once' are no numbers in English. */
  isEnglish: boolean;
  /** Where numbers begin that need not occur in a source. */
  weakAt?: ReadonlySet<number>;
}

/** A number in a text, before its unit is read. */
interface Numeral {
  /** Possible values, the first being the usual one. */
  values: number[];
  /** Further values that a source may mean. */
  guesses: number[];
  start: number;
  end: number;
  isWord: boolean;
  isArticle: boolean;
  isOrdinal: boolean;
}

/** The numbers of a text without its dates. */
export function numbersIn(text: string, options: Options): NumberValue[] {
  const numerals = numeralsIn(text, options);
  const found: (NumberValue & { start: number; end: number })[] = [];
  let done = 0;
  for (const numeral of numerals) {
    if (numeral.start < done) continue;
    const end = endOfRepetition(text, numeral, options);
    done = end;
    const value = withUnit(text, numeral, end);
    const isWeak = value?.isWeak || options.weakAt?.has(numeral.start) === true;
    if (value) found.push({ ...value, isWeak, start: numeral.start, end });
  }
  // From the end, so that the first of a list has the unit of its last.
  for (const [at, first] of [...found.entries()].toReversed()) {
    const second = found[at + 1];
    if (!second) continue;
    const between = text.slice(first.end, second.start);
    if (isRange(between)) inheritUnit(first, second);
    else if (LIST.test(between)) guessUnit(first, second);
    if (first.isYear && TO_YEAR.test(between)) endRangeOfYears(first, second);
  }
  return found;
}

function numeralsIn(text: string, { isEnglish }: Options): Numeral[] {
  const tokens = Array.from(text.matchAll(TOKEN), ({ 0: word, index, groups }) => ({
    word,
    start: index,
    end: index + word.length,
    isNumber: groups?.['digits'] !== undefined,
  }));
  const numerals: Numeral[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as (typeof tokens)[number];
    const { word, start, end, isNumber } = token;
    if (isNumber) {
      numerals.push({
        ...valuesOf(word, isEnglish),
        start,
        end,
        isWord: false,
        isArticle: false,
        isOrdinal: false,
      });
      continue;
    }
    const read = readNumberWords(text, tokens, at, isEnglish);
    if (!read) continue;
    at += read.length - 1;
    const last = tokens[at]?.end ?? end;
    const { value, isArticle, isOrdinal } = read;
    numerals.push({
      values: [value],
      guesses: [],
      start,
      end: last,
      isWord: true,
      isArticle,
      isOrdinal,
    });
  }
  return numerals;
}

/** The possible values of a written number: separators of thousands and decimals differ between countries. */
function valuesOf(written: string, isEnglish: boolean): Pick<Numeral, 'values' | 'guesses'> {
  // Columns of a table may stand side by side.
  const guesses = written.includes(' ')
    ? written.split(' ').flatMap((one) => valuesOf(one, isEnglish).values)
    : [];
  const plain = written.replace(/[’'\u00A0\u202F ]/g, '');
  const marks = plain.match(/[.,]/g) ?? [];
  if (marks.length === 0) return { values: [Number(plain)], guesses };
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  const asDecimal = Number(`${plain.slice(0, last).replace(/[.,]/g, '')}.${plain.slice(last + 1)}`);
  const asThousands = Number(plain.replace(/[.,]/g, ''));
  if (!/^\d{1,3}(?:[.,]\d{3})+$/.test(plain)) return { values: [asDecimal], guesses };
  const isOnlyGrouped =
    (marks.length > 1 && new Set(marks).size === 1) || (isEnglish && marks[0] === ',');
  return { values: isOnlyGrouped ? [asThousands] : [asThousands, asDecimal], guesses };
}

/** Contracts repeat a number: 'thirty (30) days'. */
function endOfRepetition(text: string, { values, end, isWord }: Numeral, options: Options): number {
  REPEATED.lastIndex = end;
  const [whole, inner] = REPEATED.exec(text) ?? [];
  if (whole === undefined || inner === undefined) return end;
  const [only, ...others] = numeralsIn(inner, options);
  const isSame =
    only !== undefined &&
    others.length === 0 &&
    only.isWord !== isWord &&
    only.values.some((value) => values.includes(value));
  return isSame ? end + whole.length : end;
}

function withUnit(text: string, numeral: Numeral, end: number): NumberValue | null {
  const { values, guesses, start, isWord, isArticle, isOrdinal } = numeral;
  const ahead = text.slice(Math.max(0, start - NEAR), start);
  const prefix = prefixOf(ahead);
  if (prefix === 'letters') return null;
  const before = BEFORE.exec(ahead)?.groups ?? {};
  AFTER.lastIndex = end;
  const after = AFTER.exec(text);
  const { scale, unit: written, late } = after?.groups ?? {};
  AGE.lastIndex = end;
  const isAge = AGE.test(text);
  const sign = unitOf(before['currency']);
  const behind = isAge ? null : unitOf(written);
  // '$40 CAD' says whose dollars they are.
  const known = sign?.family === '$' && behind?.family.endsWith('$') ? behind : (sign ?? behind);
  const isLikeYear = YEAR.test(text.slice(start, numeral.end));
  const isRatherWord =
    isLikeYear && RATHER_WORD.test(written ?? '') && before['currency'] === undefined;
  const isOneOf = isWord || /^\sof\s/.test(text.slice(end, end + 4));
  if (isOneOf && values[0] === 1 && !known) return null;
  const factor =
    scaleOf(before['scale'] ?? before['late']) * scaleOf(scale ?? late) * (known?.factor ?? 1);
  const family = known?.family ?? null;
  const readings: Reading[] = values.map((value) => ({ value: value * factor, family }));
  const spans = spansOf(text, values[0] ?? 0, end);
  const isSpan = spans.length > 0;
  if (isSpan) readings.splice(0, readings.length, ...spans);
  for (const value of guesses) readings.push({ value: value * factor, family, isGuess: true });
  if (!isSpan)
    readings.push(
      ...otherReadings(text, { values, scale, known, end, next: end + (after?.[0].length ?? 0) }),
    );
  if (isRatherWord) readings.push(...values.map((value) => ({ value, family: null })));
  const line = lineAround(text, start, end);
  const bound = ABOVE.test(ahead) ? 'above' : BELOW.test(ahead) ? 'below' : null;
  return {
    kind: 'number',
    readings,
    isRounded: bound === null && ROUNDED.test(ahead),
    bound,
    isNegative: isNegative(text, numeral, ahead),
    isEitherSign: SIGN_WORDS.test(line),
    isWeak:
      isArticle ||
      isOrdinal ||
      prefix === 'name' ||
      (!isSpan && ORDINAL.test(text.slice(end, end + 3))),
    isYear: isLikeYear && (known === null || isRatherWord),
    isCount: isWord && family === null && factor === 1 && isSmall(values[0] ?? 0),
    factor,
    word: wordBehind(text, end),
  };
}

function wordBehind(text: string, end: number): string | null {
  WORD_BEHIND.lastIndex = end;
  const word = fold(WORD_BEHIND.exec(text)?.groups?.['word'] ?? '');
  return word === '' || NO_SUBJECT.has(word) ? null : word;
}

/** The years of '1990s', "the '30s", '1800s', '12th century', and the numbers of 'in his 30s'. */
function spansOf(text: string, value: number, end: number): Reading[] {
  const span = (first: number, length: number): Reading => ({
    value: first,
    family: null,
    last: first + length - 1,
  });
  DECADE.lastIndex = end;
  if (value % 10 === 0 && DECADE.test(text)) {
    const isCentury = value >= 1_000 && value < 2_000 && value % 100 === 0;
    const last = value < 100 ? [span(1_900 + value, 10)] : [];
    return [span(value, isCentury ? 100 : 10), ...last];
  }
  CENTURY.lastIndex = end;
  return value > 0 && value <= 21 && CENTURY.test(text) ? [span(100 * value - 99, 100)] : [];
}

interface AfterNumber {
  values: readonly number[];
  scale: string | undefined;
  known: Unit | null;
  end: number;
  /** The end of the number with its unit. */
  next: number;
}

/** '5 m' may be metres, '5 pounds' a weight, '5"' and '5 in' inches; '30 calendar days' are days. */
function otherReadings(text: string, { values, scale, known, end, next }: AfterNumber): Reading[] {
  if (known?.family === 'gbp' && /^[\s-]?(?:pounds?|pfund|libras?)$/i.test(text.slice(end, next)))
    return values.map((value) => ({ value, family: 'pounds' }));
  if (known) return [];
  if (/^(?:["″]|''|\s?in(?!\p{L}))/u.test(text.slice(end, end + 4)))
    return values.map((value) => ({ value, family: 'inches', isGuess: true }));
  if (/^m$/i.test(scale ?? ''))
    return values.flatMap((value) => [
      { value: value * 1_000, family: 'mm' },
      { value, family: null },
    ]);
  SECOND_WORD.lastIndex = next;
  const second = unitOf(SECOND_WORD.exec(text)?.groups?.['unit']);
  if (!second) return [];
  return values.map((value) => ({
    value: value * second.factor,
    family: second.family,
    isGuess: true,
  }));
}

/** 'letters': the number is a part of a word; 'name': of one such as COVID-19. */
function prefixOf(ahead: string): 'letters' | 'name' | null {
  const [letters] = /\p{L}{1,24}$/u.exec(ahead) ?? [];
  if (letters !== undefined) return BEFORE_DIGITS.test(letters) ? null : 'letters';
  return NAME_BEFORE.test(ahead) ? 'name' : null;
}

/** A minus sign, or the parentheses of a balance. */
function isNegative(text: string, { start, end }: Numeral, ahead: string): boolean {
  if (/(?:^|[\s([|:;,=€$£])(?:[-\u2013]|\u2212\s?)[€$£]?$/.test(ahead))
    return !/[\d%]\s?[-\u2013][€$£]?$/.test(ahead);
  if (/(?:minus|negative|moins|menos)\s$/i.test(ahead)) return true;
  const number = text.slice(start, end);
  return (
    /[.,]/.test(number) &&
    /\(\s?[€$£]?\s?$/.test(ahead) &&
    /^\s?€?\s?\)/.test(text.slice(end, end + 4))
  );
}

/** The line of a number, as far as it is near. */
function lineAround(text: string, start: number, end: number): string {
  const before =
    text
      .slice(Math.max(0, start - LINE_NEAR), start)
      .split('\n')
      .at(-1) ?? '';
  const [after = ''] = text.slice(end, end + LINE_NEAR).split('\n');
  return `${before} ${after}`;
}

const RANGE =
  /^\s?(?:[-\u2013\u2014]|to|bis|auf|and|und|or|oder|à|et|ou|a|y|o|hasta)\s?(?:[€$£])?$/i;
const isRange = (between: string): boolean => between.length <= 10 && RANGE.test(between);
const LIST = /^\s?[,/x×]\s?$/;
const TO_YEAR = /^[-\u2013/]$/;
/** '2018–19' ends with 2019. */
function endRangeOfYears({ readings: [first] }: NumberValue, second: NumberValue): void {
  const [last] = second.readings;
  if (!first || last?.family !== null || last.value >= 100 || second.isYear) return;
  second.readings = [{ value: first.value - (first.value % 100) + last.value, family: null }];
  second.isYear = true;
}

/** '10 to 20 million dollars' begins with 10 million dollars. */
function inheritUnit(first: NumberValue, second: NumberValue): void {
  const [one, other] = [first.readings[0]?.family ?? null, second.readings[0]?.family ?? null];
  if (first.factor !== 1 || first.isYear || (one !== null && other !== null)) return;
  const family = one ?? other;
  const plain = first.readings.filter(({ isGuess }) => !isGuess);
  first.readings = [
    ...plain.map(({ value }) => ({ value: value * second.factor, family })),
    ...plain.map((reading) => ({ ...reading, isGuess: true })),
  ];
  first.factor = second.factor;
  second.readings = second.readings.map((reading) => ({
    ...reading,
    family: reading.family ?? one,
  }));
}

/** '10, 20 and 30 mg' may begin with 10 mg. */
function guessUnit(first: NumberValue, { readings: [last], factor }: NumberValue): void {
  if (first.factor !== 1 || first.readings[0]?.family !== null || !last || last.family === null)
    return;
  const guesses = first.readings.map(({ value }) => ({
    value: value * factor,
    family: last.family,
    isGuess: true,
  }));
  first.readings = [...first.readings, ...guesses];
}

/** Counts such as 'two' are often made, not read: they are wrong only beside another count. */
const MAX_COUNT = 12;
export const isSmall = (value: number): boolean => value > 1 && value <= MAX_COUNT;
