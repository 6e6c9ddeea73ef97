import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadPage } from '../../../reading/index.ts';
import { cutPassages, PASSAGE_LENGTH, type Passage } from './passages.ts';
import { type Language, languagesOf } from './stop-words.ts';
import { termsOf, wordsOf } from './terms.ts';
import { estimateTokens } from './token-estimate.ts';

/** What a search needs of one file. The indexes of several files are searched together without being rebuilt. */
export interface FileIndex {
  passages: readonly IndexedPassage[];
  /** For each term: where its entries begin and end in `entries`. */
  terms: ReadonlyMap<string, readonly [from: number, to: number]>;
  /** Passage × 256 + how often it has the term (255 at most), in the order of the passages. */
  entries: Uint32Array;
  /** Terms of all passages together. */
  length: number;
  /** Of the beginning of the text. */
  languages: readonly Language[];
  /** Estimate for the text without what passages repeat. */
  tokens: number;
}

export interface IndexedPassage extends Passage {
  /** Terms. */
  length: number;
  /** Equal for equal texts. */
  hash: string;
}

/** Text after which other work of the process goes on; it takes about 5 ms. */
const CHARACTERS_AT_ONCE = 8 * PASSAGE_LENGTH;
const LANGUAGE_SAMPLE = 5_000;

export async function indexFile(pages: readonly ReadPage[]): Promise<FileIndex> {
  const index = await indexPassages(passagesOf(pages));
  const languages = languagesOf([...wordsOf(beginningOf(pages))].map(({ word }) => word));
  const tokens = pages.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  return { ...index, languages, tokens };
}

/** Texts that are searched whole: passage n is text n. */
export async function indexTexts(texts: readonly string[]): Promise<FileIndex> {
  const index = await indexPassages(
    texts.map((text, n) => ({ passage: { page: n + 1, start: 0, end: text.length }, text })),
  );
  return { ...index, languages: [], tokens: 0 };
}

function* passagesOf(pages: readonly ReadPage[]) {
  const texts = new Map(pages.map(({ n, text }) => [n, text]));
  for (const passage of cutPassages(pages))
    yield { passage, text: texts.get(passage.page)?.slice(passage.start, passage.end) ?? '' };
}

async function indexPassages(cut: Iterable<{ passage: Passage; text: string }>) {
  const passages: IndexedPassage[] = [];
  const postings = new Map<string, number[]>();
  let length = 0;
  let charactersLeft = CHARACTERS_AT_ONCE;
  for (const { passage, text } of cut) {
    const terms = termsOf(text);
    for (const [term, count] of countOf(terms)) {
      const entry = passages.length * 256 + Math.min(count, 255);
      const list = postings.get(term);
      if (list) list.push(entry);
      else postings.set(term, [entry]);
    }
    passages.push({ ...passage, length: terms.length, hash: hashOf(text) });
    length += terms.length;
    charactersLeft -= text.length;
    if (charactersLeft > 0) continue;
    await nextTurn();
    charactersLeft = CHARACTERS_AT_ONCE;
  }
  return { passages, ...packed(postings), length };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64').slice(0, 16);

function countOf(terms: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function packed(postings: Map<string, number[]>): Pick<FileIndex, 'terms' | 'entries'> {
  const terms = new Map<string, [number, number]>();
  let size = 0;
  for (const list of postings.values()) size += list.length;
  const entries = new Uint32Array(size);
  let at = 0;
  for (const [term, list] of postings) {
    entries.set(list, at);
    terms.set(term, [at, at + list.length]);
    at += list.length;
  }
  return { terms, entries };
}

function beginningOf(pages: readonly ReadPage[]): string {
  let sample = '';
  for (const { text } of pages) {
    sample += `${text.slice(0, LANGUAGE_SAMPLE)}\n`;
    if (sample.length >= LANGUAGE_SAMPLE) break;
  }
  return sample;
}
