import type { TextIndex } from './text-index.ts';

/** A term of a question. */
export interface QueryTerm {
  term: string;
  /** 1 for the question itself. */
  weight: number;
}

export interface Query {
  terms: readonly QueryTerm[];
  /** Pages that the question names. */
  pages: readonly number[];
}

/** A passage of one of the indexes, by their positions. */
export interface RankedPassage {
  file: number;
  passage: number;
  score: number;
}

export interface Ranking {
  /** Best first; equal ones in the order of files and passages. */
  passages: RankedPassage[];
  /**
   * The largest share (0–1) of the question's information in a passage: 1 when it has every term, or is on a page that the question names.
   */
  coverage: number;
}

/** Usual values of BM25: the saturation of repeated terms, and the penalty of long passages. */
const K1 = 1.2;
const B = 0.75;

/**
 * Ranks the passages of all files together by BM25. A term that no file contains matches the terms with the same beginning. Passages on
 * pages that the question names come before all others.
 */
export function rank(indexes: readonly TextIndex[], { terms, pages }: Query): Ranking {
  const statistics = statisticsOf(indexes);
  const found = terms.map(({ term, weight }, at) => {
    const perFile = entriesOf(indexes, term, { inflected: at < MAX_INFLECTED });
    return { weight: weight * idfOf(perFile, statistics.total), perFile };
  });
  const information =
    sum(found.map(({ weight }) => weight)) * Math.min(1, TERMS_OF_QUESTION / terms.length);
  const ranked: RankedPassage[] = [];
  let most = 0;
  for (const [file, index] of indexes.entries()) {
    const scores = new Float64Array(index.passages.length);
    const shares = new Float64Array(index.passages.length);
    for (const { weight, perFile } of found) {
      for (const [passage, count] of perFile[file] ?? []) {
        const length = index.passages[passage]?.length ?? 0;
        const norm = K1 * (1 - B + (B * length) / statistics.averageLength);
        scores[passage] = (scores[passage] ?? 0) + (weight * count * (K1 + 1)) / (count + norm);
        shares[passage] = (shares[passage] ?? 0) + weight / information;
      }
    }
    for (const [passage, { page, label }] of index.passages.entries()) {
      // A page is named by its place in the file or by the number that is printed on it.
      const isNamed =
        pages.includes(page) || (label !== undefined && pages.includes(Number(label)));
      const score = (scores[passage] ?? 0) + (isNamed ? NAMED_PAGE : 0);
      if (score > 0) ranked.push({ file, passage, score });
      most = Math.max(most, isNamed ? 1 : Math.min(1, shares[passage] ?? 0));
    }
  }
  // Sorting is stable: equal scores keep the order of files and passages.
  return { passages: ranked.toSorted((a, b) => b.score - a.score), coverage: most };
}

/** No passage has most terms of a longer message, such as one with a pasted text. */
const TERMS_OF_QUESTION = 16;
/** The search for other forms of a term reads the terms of all files. */
const MAX_INFLECTED = 16;
/** More than any score. */
export const NAMED_PAGE = 1_000_000;

function statisticsOf(indexes: readonly TextIndex[]) {
  const total = sum(indexes.map((index) => index.passages.length));
  const length = sum(indexes.map((index) => index.length));
  return { total, averageLength: length / Math.max(total, 1) };
}

type Entries = [passage: number, count: number][];

function idfOf(perFile: Entries[], total: number): number {
  const having = sum(perFile.map((entries) => entries.length));
  return Math.log(1 + (total - having + 0.5) / (having + 0.5));
}

/** The passages of each file that contain `term`. */
function entriesOf(
  indexes: readonly TextIndex[],
  term: string,
  options: { inflected: boolean },
): Entries[] {
  const exact = indexes.map((index) => unpack(index, index.terms.get(term)));
  const isFound = exact.some((entries) => entries.length > 0);
  if (isFound || !options.inflected || term.length < MIN_STEM_LENGTH) return exact;
  return indexes.map((index) => inflected(index, term));
}

function unpack(index: TextIndex, range: readonly [number, number] | undefined): Entries {
  const entries: Entries = [];
  for (const entry of index.entries.subarray(range?.[0] ?? 0, range?.[1] ?? 0)) {
    entries.push([Math.floor(entry / 256), entry % 256]);
  }
  return entries;
}

/** Maximum length of endings, and minimum length of stems. */
const MIN_STEM_LENGTH = 5;
const MAX_ENDING_LENGTH = 2;

/** Other forms of a word in languages without a stemmer: terms with the same beginning. */
function inflected(index: TextIndex, term: string): Entries {
  const beginning = term.slice(0, Math.max(MIN_STEM_LENGTH, term.length - MAX_ENDING_LENGTH));
  const counts = new Map<number, number>();
  for (const [other, range] of index.terms) {
    if (!other.startsWith(beginning) || other.length > term.length + MAX_ENDING_LENGTH) continue;
    for (const [passage, count] of unpack(index, range)) {
      counts.set(passage, (counts.get(passage) ?? 0) + count);
    }
  }
  return [...counts];
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
