import { stemmer } from 'stemmer';
import { fold } from '../../text/fold.ts';
import { type Language, languagesOf } from '../../text/ranking/stop-words.ts';
import { segmentsOf } from '../../text/segments.ts';
import { datesIn } from './dates.ts';
import { placeOrMonth, withShortCountries } from './places.ts';
import { CURRENCY } from './units.ts';

// These rules need no model. They are too weak to give a verdict and can only reject one.

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
/** Shorter words do not count. */
const SHORT = 3;
const COMMON = new Set(
  (
    'about above after also and any are because been before being between both but can could did does each every for from had has have her here his how into its ' +
    'just like made make many may more most much must not now only other our out over same she should some such than that the their them then there these they ' +
    'this those through under until use used very was were what when where which while who will with would you your ' +
    'aber als auch auf aus bei bis das dass dem den der des die durch ein eine einem einen einer eines für hat ist mit nach nicht noch nur oder sich sie sind über und von vor war wenn wie wird zum zur'
  ).split(' '),
);

const wordsOf = (text: string): string[] =>
  Array.from(segmentsOf(segmenter, text.normalize('NFKC')))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment.replace(/[’']s?$/u, ''));

/** A rough stem that inflected forms share. */
const stemOf = (word: string): string => stemmer(word.toLowerCase()).slice(0, 6);

const subjectsOf = (text: string): Set<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => word.length >= SHORT && !COMMON.has(word.toLowerCase()))
      .map(stemOf),
  );

/** The languages of a text, as far as its beginning tells them. */
function languagesIn(text: string): readonly Language[] {
  const words = fold(text.slice(0, MAX_SAMPLE)).match(/[\p{L}\p{M}]+/gu) ?? [];
  return languagesOf(words);
}
const MAX_SAMPLE = 2_000;

const isForeignTo = (a: string, b: string): boolean => {
  const [one, other] = [languagesIn(a), languagesIn(b)];
  return one.length > 0 && other.length > 0 && !one.some((language) => other.includes(language));
};

/** Whether a claim and its quotations have a word or number in common; true when their languages differ. */
export function sharesWords(claim: string, quoted: string): boolean {
  const wanted = subjectsOf(claim);
  if (wanted.size === 0 || isForeignTo(claim, quoted)) return true;
  const found = subjectsOf(quoted);
  return [...wanted].some((word) => found.has(word));
}

const ACRONYM = /^\p{Lu}{2,6}$/u;
const IS_CURRENCY = new RegExp(`^${CURRENCY}$`, 'u');

/** With so many words, all of them capitalised, a text is a headline. */
const MIN_HEADLINE = 5;

/** Capitalised words inside a sentence; none in German, where every noun has a capital, and none in a headline. */
export function namesIn(text: string): string[] {
  if (languagesIn(text).includes('de')) return [];
  const long = text.match(/(?<!\p{L})\p{L}{4,}/gu) ?? [];
  if (long.length >= MIN_HEADLINE && long.every((word) => /^\p{Lu}/u.test(word))) return [];
  return (
    (
      text.match(
        /(?=\p{Lu})(?<=[\p{L}\p{N},;’'")\]]\s+["“‘(]?)\p{Lu}[\p{L}\p{M}’'-]{2,}(?![\p{L}\p{M}\p{N}])/gu,
      ) ?? []
    )
      .map((name) => name.replace(/[’']s?$|-$/, ''))
      .filter((name) => ACRONYM.test(name) || !COMMON.has(name.toLowerCase()))
      // Units are compared as values.
      .filter((name) => !IS_CURRENCY.test(name))
  );
}

/** A passage with its name for readers. */
interface LabelledText {
  label: string;
  text: string;
}

/** The words of a passage, as names are compared. */
interface Words {
  stems: ReadonlySet<string>;
  /** Countries and months that it names. */
  places: ReadonlySet<string>;
  /** First letters of its names, run by run: 'WHO' for 'World Health Organization'. */
  initials: string;
  acronyms: ReadonlySet<string>;
  languages: readonly Language[];
}

/** Cached, because many claims of a reply are compared with the same passages. */
const known = new WeakMap<LabelledText, Words>();

/** Reads the words of a passage, once. */
export function readWords(passage: LabelledText): Words {
  const cached = known.get(passage);
  if (cached) return cached;
  const words = wordsOf(withShortCountries(`${passage.label}\n${passage.text}`));
  const found = {
    // 'COVID19' is COVID too.
    stems: new Set(
      [...new Set(words.flatMap((word) => [word, word.replace(/(?<!\d)\d+$/, '')]))].map(stemOf),
    ),
    places: new Set(words.filter(isCapitalised).flatMap((word) => placeOrMonth(word) ?? [])),
    initials: runsOf(words).map(initialsOf).join(' '),
    acronyms: new Set(words.filter((word) => ACRONYM.test(word))),
    languages: languagesIn(passage.text),
  };
  known.set(passage, found);
  return found;
}

/** Words inside names of organisations that have no letter in their acronym. */
const JOINERS = new Set('of and the for de la du des von der für und et'.split(' '));

/** Names of several words. */
function runsOf(words: readonly string[]): string[][] {
  const runs: string[][] = [[]];
  for (const word of words) {
    if (isCapitalised(word)) runs.at(-1)?.push(word);
    else if (!JOINERS.has(word) && runs.at(-1)?.length !== 0) runs.push([]);
  }
  return runs.filter(({ length }) => length > 1);
}
/** 'WWII' for 'World War II'. */
const initialsOf = (run: readonly string[]): string =>
  run.map((word) => (/^[IVX]{2,4}$/.test(word) ? word : word.charAt(0))).join('');

const isCapitalised = (word: string): boolean => /^\p{Lu}/u.test(word);

/** Words for the kind of a named thing: texts say 'Kent State' for 'Kent State University', and 'William' for 'Prince William'. */
const KINDS = new Set(
  (
    'university college school academy institute company corporation group foundation association society museum festival prize award ' +
    'river lake mountain mountains island islands city town county province prefecture state region district bay ' +
    'airport base station street avenue road bridge tower building palace castle hospital church cathedral park stadium ' +
    'army navy president minister senator governor chancellor king queen prince princess duke duchess sir lord lady doctor professor ' +
    'captain general colonel judge justice mister madam chairman director novel film album'
  ).split(' '),
);
const isKind = (word: string): boolean => KINDS.has(word.toLowerCase());

/** Whether every name of a claim occurs in its passages; true when their languages differ. */
export function hasAllNames(claim: string, passages: readonly LabelledText[]): boolean {
  // Dates are compared as values.
  const names = namesIn(withShortCountries(datesIn(claim).rest))
    .flatMap(wordsOf)
    .filter(isCapitalised);
  if (names.length === 0) return true;
  const texts = passages.map(readWords);
  const own = languagesIn(claim);
  const isForeign = ({ languages }: Words) =>
    languages.length > 0 && !languages.some((language) => own.includes(language));
  if (own.length > 0 && texts.length > 0 && texts.every(isForeign)) return true;
  const runs = runsOf(wordsOf(claim));
  const written = new Set(
    runs.filter((run) => texts.some(({ acronyms }) => acronyms.has(initialsOf(run)))).flat(),
  );
  const isFound = (name: string): boolean => {
    const [stem, place] = [stemOf(name), placeOrMonth(name)];
    return texts.some(
      ({ stems, places, initials }) =>
        stems.has(stem) ||
        (place && places.has(place)) ||
        (ACRONYM.test(name) && initials.includes(name)),
    );
  };
  const kindsOfFound = new Set(
    runs
      .filter((run) => run.some((word) => !isKind(word) && isFound(word)))
      .flat()
      .filter(isKind),
  );
  return names.every((name) => written.has(name) || kindsOfFound.has(name) || isFound(name));
}
