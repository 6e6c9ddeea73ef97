import { createHash } from 'node:crypto';
import { termsOf } from './terms.ts';
import { turnsOf } from './turns.ts';

/** A range of a page's text, in UTF-16 code units; `end` is exclusive. */
export interface Passage {
  /** From 1. */
  page: number;
  /** The number that is printed on the page, when it is another one. */
  label?: string;
  start: number;
  end: number;
}

interface IndexedPassage extends Passage {
  /** Number of terms. */
  length: number;
  /** Equal for equal texts. */
  hash: string;
}

/** The index of one text. The indexes of several texts are searched together without a rebuild. */
export interface TextIndex {
  passages: readonly IndexedPassage[];
  /** For each term: the range of its entries in `entries`. */
  terms: ReadonlyMap<string, readonly [from: number, to: number]>;
  /** Passage × 256 + the number of its occurrences (255 at most), in the order of the passages. */
  entries: Uint32Array;
  /** Number of terms of all passages together. */
  length: number;
}

/** Characters that are indexed in a turn of the event loop, about 5 ms. */
const CHARACTERS_PER_TURN = 12_800;
/** Terms that are packed in a turn, about 5 ms. */
const TERMS_PER_TURN = 20_000;

/**
 * Indexes passages in their order, without blocking the event loop for long.
 * @param cut each with its text, and with a text of its page that it does not contain but is found by
 */
export async function indexPassages(
  cut: Iterable<{ passage: Passage; text: string; head?: string }>,
): Promise<TextIndex> {
  const termsOfHead = cachedTerms();
  const passages: IndexedPassage[] = [];
  const postings = new Map<string, number[]>();
  let length = 0;
  const turns = turnsOf(CHARACTERS_PER_TURN);
  for (const { passage, text, head = '' } of cut) {
    const terms = [...termsOf(text), ...termsOfHead(head)];
    for (const [term, count] of countOf(terms)) {
      const entry = passages.length * 256 + Math.min(count, 255);
      const list = postings.get(term);
      if (list) list.push(entry);
      else postings.set(term, [entry]);
    }
    passages.push({ ...passage, length: terms.length, hash: hashOf(text) });
    length += terms.length;
    await turns(text.length);
  }
  return { passages, ...(await packed(postings)), length };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64').slice(0, 16);

/** Passages of a page follow each other and have the same head. */
function cachedTerms(): (head: string) => readonly string[] {
  let [known, terms]: [string, readonly string[]] = ['', []];
  return (head) => {
    if (head !== known) [known, terms] = [head, termsOf(head)];
    return terms;
  };
}

function countOf(terms: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

async function packed(
  postings: Map<string, number[]>,
): Promise<Pick<TextIndex, 'terms' | 'entries'>> {
  const terms = new Map<string, [number, number]>();
  let size = 0;
  for (const list of postings.values()) size += list.length;
  const entries = new Uint32Array(size);
  const turns = turnsOf(TERMS_PER_TURN);
  let at = 0;
  for (const [term, list] of postings) {
    entries.set(list, at);
    terms.set(term, [at, at + list.length]);
    at += list.length;
    await turns(1);
  }
  return { terms, entries };
}
