import { fold } from '../../text/fold.ts';
import { monthOf } from './dates.ts';

/** Nationalities, and other names of countries, that the ending does not tell. */
const IRREGULAR: Record<string, string> = {
  US: 'american america usa',
  GB: 'british brit britain briton briton england english uk',
  FR: 'french',
  DE: 'german',
  NL: 'dutch holland',
  ES: 'spanish spaniard',
  PT: 'portuguese',
  CH: 'swiss',
  DK: 'danish dane',
  SE: 'swedish swede',
  FI: 'finnish finn',
  PL: 'polish pole',
  GR: 'greek',
  IE: 'irish',
  NO: 'norwegian',
  TR: 'turkish turkey turk',
  CZ: 'czech',
  CY: 'cypriot',
  IS: 'icelandic',
  PE: 'peruvian',
  PH: 'filipino philippine',
  TH: 'thai',
  CI: 'ivorian',
  AF: 'afghan',
  AR: 'argentine',
  AE: 'emirati emirates',
  KR: 'korean korea',
  RU: 'soviet',
  VA: 'vatican',
  '150': 'europe european',
  '142': 'asia asian',
  '002': 'africa african',
};
/** Names of countries in two words or more, and their short forms. */
const IN_WORDS =
  /(?<![\p{L}\p{N}.])(?:(?<us>United\s+States(?:\s+of\s+America)?|U\.\s?S\.(?:\s?A\.)?|USA?)|(?<gb>United\s+Kingdom|Great\s+Britain|U\.\s?K\.|UK))(?![\p{L}\p{N}])/gu;

/** Countries by their names in English, from the data of the runtime (Unicode CLDR). */
const COUNTRIES = new Map<string, string>();
const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
for (const code of LETTERS.flatMap((first) => LETTERS.map((second) => first + second))) {
  const name = names.of(code);
  if (name && /^\p{L}+$/u.test(name) && !COUNTRIES.has(fold(name))) COUNTRIES.set(fold(name), code);
}
for (const [code, words] of Object.entries(IRREGULAR))
  for (const word of words.split(' ')) COUNTRIES.set(word, code);

/** Endings of nationalities: Libyan, Canadian, Chinese, Iraqi, British, Maltese. */
const ENDING = /(?:ians?|ans?|ns?|ese|is?|ish|ers?|ean|eans)$/;

/** The country of a nationality: 'Libyan' is of Libya, 'Hungarian' of Hungary. */
function countryOf(word: string): string | undefined {
  const known = COUNTRIES.get(word) ?? COUNTRIES.get(word.replace(/s$/, ''));
  if (known || word.length < 5) return known;
  const root = word.replace(ENDING, '').replace(/i$/, '');
  if (root.length < 3 || root === word) return undefined;
  for (const [name, code] of COUNTRIES)
    if (name.startsWith(root) && name.length - root.length <= 3 && word.length >= name.length - 1)
      return code;
  return undefined;
}

const KEYS = new Map<string, string | null>();
const MAX_KEYS = 5_000;

/** The same for names of the same month or country, such as Nov and November, Libyan and Libya; null for other words. */
export function placeOrMonth(word: string): string | null {
  const known = KEYS.get(word);
  if (known !== undefined) return known;
  const folded = fold(word);
  const month = monthOf(folded);
  const key = month ? `month ${month}` : (countryOf(folded) ?? null);
  if (KEYS.size >= MAX_KEYS) KEYS.clear();
  KEYS.set(word, key);
  return key;
}

/** The text with one word for each country that has several: 'U.S.' and 'United States' are America. */
export const withShortCountries = (text: string): string =>
  text.replace(IN_WORDS, (_, us?: string) => (us === undefined ? 'Britain' : 'America'));
