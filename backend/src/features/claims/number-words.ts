import { fold } from '../../text/fold.ts';

/** Words for 1 to 19, by language; several spellings of one number stand together. */
const SMALL = [
  `one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen`,
  `ein/eins/eine/einen/einem/einer/eines zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn`,
  `un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize`,
  `un/uno/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve`,
];
/** Words for 20, 30 … 90; French goes on from 60 and 80. */
const TENS = [
  `twenty thirty forty fifty sixty seventy eighty ninety`,
  `zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig`,
  `vingt/vingts trente quarante cinquante soixante septante huitante/octante nonante`,
  `veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa`,
];
const OTHERS: Record<string, number> = {
  hundred: 100,
  hundert: 100,
  cent: 100,
  cents: 100,
  cien: 100,
  ciento: 100,
  thousand: 1_000,
  tausend: 1_000,
  mille: 1_000,
  mil: 1_000,
  dozen: 12,
  dutzend: 12,
  douzaine: 12,
  docena: 12,
  doscientos: 200,
  trescientos: 300,
  cuatrocientos: 400,
  quinientos: 500,
  seiscientos: 600,
  setecientos: 700,
  ochocientos: 800,
  novecientos: 900,
  veintiuno: 21,
  veintiun: 21,
  veintidos: 22,
  veintitres: 23,
  veinticuatro: 24,
  veinticinco: 25,
  veintiseis: 26,
  veintisiete: 27,
  veintiocho: 28,
  veintinueve: 29,
};

const VALUES = new Map<string, number>(Object.entries(OTHERS));
const addAll = (lists: readonly string[], valueAt: (at: number) => number) => {
  for (const list of lists)
    for (const [at, spellings] of list.split(' ').entries())
      for (const word of spellings.split('/')) VALUES.set(word, valueAt(at));
};
addAll(SMALL, (at) => at + 1);
addAll(TENS, (at) => 10 * at + 20);

/** They are also words of English that are no numbers. */
const AMBIGUOUS = new Set(
  'once seize elf neuf sept cent cents mil mille dix dos tres un una'.split(' '),
);
const ORDINALS = new Map<string, number>();
for (const list of [
  `first/erste/premier/primero second/zweite/deuxieme/segundo third/dritte/troisieme/tercero fourth/vierte fifth/funfte sixth/sechste seventh/siebte eighth/achte ninth/neunte tenth/zehnte eleventh/elfte twelfth/zwolfte`,
])
  for (const [at, words] of list.split(' ').entries())
    for (const word of words.split('/')) ORDINALS.set(word, at + 1);
/** Words for 1 that are articles too. */
const ARTICLES = new Set('a an ein eine einen einem einer eines un une una'.split(' '));
for (const article of ['a', 'an']) VALUES.set(article, 1);

const GERMAN_TENS = /^(.+?)und(zwanzig|dreissig|vierzig|funfzig|sechzig|siebzig|achtzig|neunzig)$/;
/** German joins the words of a number below a million. */
function germanValue(word: string): number | undefined {
  const known = VALUES.get(word);
  if (known !== undefined) return known;
  for (const [name, factor] of [
    ['tausend', 1_000],
    ['hundert', 100],
  ] as const) {
    const at = word.indexOf(name);
    if (at === -1) continue;
    const before = at === 0 ? 1 : germanValue(word.slice(0, at));
    const rest = word.slice(at + name.length).replace(/^und/, '');
    const after = rest === '' ? 0 : germanValue(rest);
    return before === undefined || after === undefined ? undefined : before * factor + after;
  }
  const [, unit = '', tens = ''] = GERMAN_TENS.exec(word) ?? [];
  const [small, large] = [VALUES.get(unit), VALUES.get(tens)];
  return small === undefined || large === undefined || small > 9 ? undefined : small + large;
}

/** A word of a text at its place. */
export interface PlacedWord {
  word: string;
  start: number;
  end: number;
}

/** A number in words. */
export interface WordNumber {
  value: number;
  /** The number of its words, conjunctions included. */
  length: number;
  /** It is 'a', 'ein' or 'une', which may be an article. */
  isArticle: boolean;
  /** 'Third' and 'dritte', which 3rd and 3. may stand for. */
  isOrdinal: boolean;
}

const CONJUNCTIONS = new Set(['and', 'und', 'et', 'y']);

/**
 * The number that begins at `words[at]`, such as 'one hundred and twenty-five', 'zweihundertfünfzig', 'quatre-vingt-dix' or 'treinta y
 * cinco'; null when the word is no number. Millions are scales of numbers.
 */
export function readNumberWords(
  text: string,
  words: readonly PlacedWord[],
  at: number,
  isEnglish: boolean,
): WordNumber | null {
  const valueAt = (index: number): number | undefined => {
    const word = fold(words[index]?.word ?? '');
    return isEnglish && AMBIGUOUS.has(word) ? undefined : germanValue(word);
  };
  const areJoined = (index: number) =>
    /^[\s-]{1,2}$/.test(text.slice(words[index - 1]?.end, words[index]?.start));
  const ordinal = ORDINALS.get(fold(words[at]?.word ?? '').replace(/(?<=te)[nrs]$/, ''));
  if (ordinal !== undefined)
    return { value: ordinal, length: 1, isArticle: false, isOrdinal: true };
  const first = valueAt(at);
  if (first === undefined) return null;
  let sum: Sum = { thousands: 0, rest: first };
  let next = at + 1;
  while (next < words.length && areJoined(next)) {
    const isConjunction =
      CONJUNCTIONS.has(fold(words[next]?.word ?? '')) &&
      next + 1 < words.length &&
      areJoined(next + 1);
    const added = valueAt(isConjunction ? next + 1 : next);
    const joined =
      added === undefined || (isConjunction && !mayFollow(sum, added)) ? null : add(sum, added);
    if (!joined) break;
    sum = joined;
    next += isConjunction ? 2 : 1;
  }
  const ordinalEnd = ORDINALS.get(fold(words[next]?.word ?? '')) ?? 10;
  // 'Thirty second intervals' are of 30 seconds.
  if (
    ordinalEnd < 10 &&
    ordinalEnd !== 2 &&
    areJoined(next) &&
    sum.rest % 100 >= 20 &&
    sum.rest % 10 === 0
  )
    return {
      value: sum.thousands + sum.rest + ordinalEnd,
      length: next - at + 1,
      isArticle: false,
      isOrdinal: true,
    };
  const isArticle = next === at + 1 && ARTICLES.has(fold(words[at]?.word ?? ''));
  return { value: sum.thousands + sum.rest, length: next - at, isArticle, isOrdinal: false };
}

interface Sum {
  thousands: number;
  /** Below the thousands. */
  rest: number;
}

/** 'Twenty and five' is one number; 'two and five' are two. */
const mayFollow = ({ thousands, rest }: Sum, added: number): boolean =>
  added < 100 && (rest >= 20 || (thousands > 0 && rest === 0));

/** The sum with a further word, or null when that begins another number. */
function add({ thousands, rest }: Sum, value: number): Sum | null {
  const [tens, units] = [rest % 100, rest % 10];
  if (value === 1_000)
    return thousands === 0 && rest < 1_000 ? { thousands: rest * value, rest: 0 } : null;
  if (value === 12 && rest === 1) return { thousands, rest: value };
  if (value === 100) return rest < 100 && rest > 0 ? { thousands, rest: rest * value } : null;
  if (value > 100) return rest === 0 ? { thousands, rest: value } : null;
  // Quatre-vingts.
  if (value === 20 && tens === 4) return { thousands, rest: rest + 76 };
  const isFree =
    value >= 20
      ? tens === 0
      : value >= 10
        ? tens === 0 || tens === 60 || tens === 80
        : units === 0 && tens !== 10;
  return isFree ? { thousands, rest: rest + value } : null;
}
