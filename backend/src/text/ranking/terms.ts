import { stemmer } from 'stemmer';
import { fold } from '../fold.ts';
import { segmentsOf } from '../segments.ts';

/** A folded word of a text, and its search terms. */
export interface Word {
  word: string;
  terms: string[];
}

/**
 * The words of a text and their terms: words without case, diacritics and English endings; numbers and codes as a whole and in parts
 * (`A-113`: `a113`, `a`, `113`); words of languages without spaces by dictionary.
 */
export function* wordsOf(text: string): Generator<Word> {
  for (const [word] of fold(text).matchAll(WORD)) {
    if (PLAIN.test(word)) yield { word, terms: [stemOf(word)] };
    else if (UNSPACED.test(word)) yield* unspacedWords(word);
    else yield { word, terms: partsOf(word) };
  }
}

/** The terms of a text, in order. */
export function termsOf(text: string): string[] {
  const all: string[] = [];
  for (const { terms } of wordsOf(text)) for (const term of terms) all.push(term);
  return all;
}

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
  for (const part of parts) {
    if (PLAIN.test(part)) terms.push(stemOf(part));
    else if (HANGUL.test(part)) terms.push(...pairsOf(part));
    else terms.push(part);
  }
  return terms;
}

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
