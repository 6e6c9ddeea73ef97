import { stemmer } from 'stemmer';
import { segmentsOf } from '../../text/segments.ts';

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
    .map(({ segment }) => segment);

/** A rough stem that inflected forms share. */
const stemOf = (word: string): string => stemmer(word.toLowerCase()).slice(0, 6);

const subjectsOf = (text: string): Set<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => word.length >= SHORT && !COMMON.has(word.toLowerCase()))
      .map(stemOf),
  );

/** Common words of German, where every noun has a capital. */
const GERMAN = /(?<!\p{L})(?:der|das|und|ist|nicht|eine?|mit|wird|sind|auf)(?!\p{L})/iu;
const isForeignTo = (a: string, b: string): boolean => GERMAN.test(a) !== GERMAN.test(b);

/** Whether a claim and its quotations have a word or number in common; true when their languages differ. */
export function sharesWords(claim: string, quoted: string): boolean {
  const wanted = subjectsOf(claim);
  if (wanted.size === 0 || isForeignTo(claim, quoted)) return true;
  const found = subjectsOf(quoted);
  return [...wanted].some((word) => found.has(word));
}

/** Capitalised words inside a sentence; none in German. */
export function namesIn(text: string): string[] {
  if (GERMAN.test(text)) return [];
  return (
    text.match(/(?=\p{Lu})(?<=[\p{L}\p{N},;:’'")\]]\s+["“‘(]?)\p{Lu}[\p{L}\p{M}’'-]{2,}/gu) ?? []
  ).map((name) => name.replace(/[’']s?$/, ''));
}

/** A passage with its name for readers. */
interface LabelledText {
  label: string;
  text: string;
}

/** Cached, because many claims of a reply are compared with the same passages. */
const stems = new WeakMap<LabelledText, ReadonlySet<string>>();

function stemsOf(passage: LabelledText): ReadonlySet<string> {
  const known = stems.get(passage);
  if (known) return known;
  const found = new Set(wordsOf(`${passage.label}\n${passage.text}`).map(stemOf));
  stems.set(passage, found);
  return found;
}

/** Whether every name of a claim occurs in its passages. */
export function hasAllNames(claim: string, passages: readonly LabelledText[]): boolean {
  const words = namesIn(claim).flatMap(wordsOf).map(stemOf);
  return words.every((word) => passages.some((passage) => stemsOf(passage).has(word)));
}
