import { fold } from '../text/fold.ts';
import { segmentsOf } from '../text/segments.ts';

/** A folded word of a text, and its place there, in UTF-16 code units; `end` is exclusive. */
export interface TextWord {
  word: string;
  start: number;
  end: number;
}

/** Letters, digits and their marks; invisible characters do not end a word. */
const RUN = /[\p{L}\p{N}\p{M}\u00ad\u200b-\u200d]+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Characters that compatibility forms may add to a word: `½` is `1⁄2`. */
const NO_LETTER = /[^\p{L}\p{N}\p{M}]+/gu;

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

/** The words of a text in order, without case and diacritics; for languages without spaces by dictionary. */
export function* wordsOf(text: string): Generator<TextWord> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (!UNSPACED.test(run)) yield* folded(run, index);
    else
      for (const { segment, index: at, isWordLike } of segmentsOf(segmenter, run))
        if (isWordLike) yield* folded(segment, index + at);
  }
}

function* folded(written: string, start: number): Generator<TextWord> {
  const word = fold(written).replace(NO_LETTER, '');
  if (word) yield { word, start, end: start + written.length };
}

/** The distinct words of a search, in order. */
export const searchWords = (q: string): string[] => [
  ...new Set(Array.from(wordsOf(q), ({ word }) => word)),
];

/** The words of a text that match a search for `words`; the last one also matches as a prefix. */
export function* findWords(text: string, words: readonly string[]): Generator<TextWord> {
  const whole = new Set(words);
  const beginning = words.at(-1);
  if (beginning === undefined) return;
  for (const found of wordsOf(text))
    if (whole.has(found.word) || found.word.startsWith(beginning)) yield found;
}
