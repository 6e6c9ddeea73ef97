import { stemmer } from 'stemmer';
import { fold } from '../fold.ts';
import { segmentsOf } from '../segments.ts';

/** A folded word of a text, and its search terms. */
export interface Word {
  word: string;
  terms: string[];
  /** The term of the word with its diacritics, when folding removes some: they distinguish words, as the tones of Vietnamese do. */
  written?: string;
}

/**
 * The words of a text and their terms: words without case, diacritics and English endings; numbers and codes as a whole and in parts
 * (`A-113`: `a113`, `a`, `113`); words of languages without spaces by dictionary.
 */
export function* wordsOf(text: string): Generator<Word> {
  for (const [written] of composed(text).matchAll(WORD)) {
    const word = foldedWord(written);
    const differs = written !== word && { written: `=${written}` };
    if (PLAIN.test(word)) yield { word, terms: [stemOf(word)], ...differs };
    else if (UNSPACED.test(word)) yield* unspacedWords(word);
    else yield { word, terms: partsOf(word), ...differs };
  }
}

const NOT_ASCII = /[\u0080-\uffff]/;
const INVISIBLE = /[\u00ad\u200b-\u200d]/g;

/** Lower case, with compatibility forms unified, and with its diacritics. */
const composed = (text: string): string => {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.normalize('NFKC').replace(INVISIBLE, '') : lower;
};

/** Cached, because folding costs more than a lookup. */
const folded = new Map<string, string>();

function foldedWord(written: string): string {
  if (!NOT_ASCII.test(written)) return written;
  const known = folded.get(written);
  if (known !== undefined) return known;
  const word = fold(written);
  if (written.length > MAX_WORD_LENGTH) return word;
  if (folded.size >= MAX_STEMS) folded.clear();
  folded.set(written, word);
  return word;
}

/** The terms of a text, in order. */
export function termsOf(text: string): string[] {
  const all: string[] = [];
  for (const { terms, written } of wordsOf(text)) {
    for (const term of terms) all.push(term);
    if (written !== undefined) all.push(written);
  }
  return all;
}

/** A term of a question. */
export interface QueryTerm {
  term: string;
  /** 1 for the question itself. */
  weight: number;
}

/** The terms of words in a query. A word as it is written has half of the word's weight, so that words with diacritics do not count twice. */
export const queryTermsOf = (words: Iterable<Word>): QueryTerm[] =>
  [...words].flatMap(({ terms, written }) => {
    const weight = written === undefined ? 1 : 0.5;
    return [...terms, ...(written === undefined ? [] : [written])].map((term) => ({
      term,
      weight,
    }));
  });

/** Letters and digits, joined by marks that codes, dates and numbers contain; a section sign belongs to its number. */
const WORD = /(?<!§)§+\s*\d+\w*|[\p{L}\p{N}\p{M}]+(?:[-_./:,][\p{L}\p{N}\p{M}]+)*/gu;
const PLAIN = /^[a-z]+$/;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Cached stems; computing one costs more than a lookup. */
const stems = new Map<string, string>();
const MAX_STEMS = 50_000;
/** No word of a language is longer. */
const MAX_WORD_LENGTH = 40;

function stemOf(word: string): string {
  if (word.length > MAX_WORD_LENGTH) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size >= MAX_STEMS) stems.clear();
  const stem = stemmer(word);
  stems.set(word, stem);
  return stem;
}

/** A word with more parts is a list or a path. */
const MAX_PARTS = 6;

function partsOf(word: string): string[] {
  const terms = word.startsWith('§') ? [word.replace(/^§+\s*/, '§')] : [];
  const parts = word.match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [];
  if (parts.length > 1 && isOneTerm(word, parts)) {
    terms.push(parts.join(/^[\p{N}.,]+$/u.test(word) ? '.' : ''));
  }
  if (GROUPED.test(word)) terms.push(word.replace(/[.,]\d{1,2}$/, '').replace(/[.,]/g, ''));
  for (const part of parts) {
    if (PLAIN.test(part)) terms.push(stemOf(part));
    else if (HANGUL.test(part)) terms.push(...pairsOf(part));
    else terms.push(part);
  }
  return terms;
}

/** A number with thousands apart, which is also written without separators. */
const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$|^\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?$/;

/** Codes, dates and numbers are searched as a whole, and so is `e-mail`, which is also written `email`. */
const isOneTerm = (word: string, parts: string[]) =>
  /\p{N}/u.test(word) ? parts.length <= MAX_PARTS : parts.length === 2 && word.includes('-');

const HANGUL = /\p{Script=Hangul}/u;
const HAN = /^\p{Script=Han}+$/u;
const HIRAGANA = /^\p{Script=Hiragana}+$/u;

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

function* unspacedWords(run: string): Generator<Word> {
  for (const { segment: word, isWordLike } of segmentsOf(segmenter, run)) {
    // A word in Hiragana alone is nearly always grammatical.
    if (!isWordLike || HIRAGANA.test(word)) continue;
    if (HAN.test(word)) yield { word, terms: pairsOf(word) };
    else yield { word, terms: UNSPACED.test(word) ? [word] : partsOf(word) };
  }
}

/** Dictionaries split long words differently in different sentences, and Korean words have endings, so pairs of characters are compared. */
function pairsOf(word: string): string[] {
  const letters = Array.from(word);
  if (letters.length <= 2) return [word];
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}
