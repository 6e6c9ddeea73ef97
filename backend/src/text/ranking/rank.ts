import type { QueryTerm } from './terms.ts';
import type { TextIndex } from './text-index.ts';

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
  const scored: Float64Array[] = [];
  let most = 0;
  for (const [file, index] of indexes.entries()) {
    const scores = new Float64Array(index.passages.length);
    const shares = new Float64Array(index.passages.length);
    for (const { weight, perFile } of found) {
      for (const entry of perFile[file] ?? []) {
        const passage = entry >>> 8;
        const count = entry & 255;
        const length = index.passages[passage]?.length ?? 0;
        const norm = K1 * (1 - B + (B * length) / statistics.averageLength);
        scores[passage] = (scores[passage] ?? 0) + (weight * count * (K1 + 1)) / (count + norm);
        shares[passage] = (shares[passage] ?? 0) + weight / information;
      }
    }
    for (const share of shares) most = Math.max(most, Math.min(1, share));
    if (pages.length > 0)
      for (const [passage, { page, label }] of index.passages.entries()) {
        // A page is named by its place in the file or by the number that is printed on it.
        if (!pages.includes(page) && !(label !== undefined && pages.includes(Number(label))))
          continue;
        scores[passage] = (scores[passage] ?? 0) + NAMED_PAGE;
        most = 1;
      }
    scored.push(scores);
  }
  return { passages: bestOf(scored), coverage: most };
}

/** No caller reads more passages of a ranking. */
const MAX_RANKED = 1_000;

function bestOf(scored: readonly Float64Array[]): RankedPassage[] {
  const least = leastOf(scored);
  const ranked: RankedPassage[] = [];
  for (const [file, scores] of scored.entries())
    for (let passage = 0; passage < scores.length; passage += 1) {
      const score = scores[passage] ?? 0;
      if (score >= least) ranked.push({ file, passage, score });
    }
  // Sorting is stable: equal scores keep the order of files and passages.
  return ranked.toSorted((a, b) => b.score - a.score).slice(0, MAX_RANKED);
}

/** The score of the last passage that is read. Numbers are sorted much faster than passages. */
function leastOf(scored: readonly Float64Array[]): number {
  const all = new Float64Array(sum(scored.map(({ length }) => length)));
  let at = 0;
  for (const scores of scored) {
    all.set(scores, at);
    at += scores.length;
  }
  return Math.max(Number.MIN_VALUE, all.toSorted().at(-MAX_RANKED) ?? 0);
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

/** Entries of an index: passage × 256 + count. */
type Entries = Uint32Array;

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
  const exact = indexes.map((index) => entriesIn(index, index.terms.get(term)));
  const isFound = exact.some((entries) => entries.length > 0);
  if (isFound || !options.inflected || term.length < MIN_STEM_LENGTH) return exact;
  return indexes.map((index) => inflected(index, term));
}

const entriesIn = ({ entries }: TextIndex, [from, to]: readonly [number, number] = [0, 0]) =>
  entries.subarray(from, to);

/** Maximum length of endings, and minimum length of stems. */
const MIN_STEM_LENGTH = 5;
const MAX_ENDING_LENGTH = 2;

/** Other forms of a word in languages without a stemmer: terms with the same beginning. */
function inflected(index: TextIndex, term: string): Entries {
  const beginning = term.slice(0, Math.max(MIN_STEM_LENGTH, term.length - MAX_ENDING_LENGTH));
  const counts = new Map<number, number>();
  for (const [other, range] of index.terms) {
    if (!other.startsWith(beginning) || other.length > term.length + MAX_ENDING_LENGTH) continue;
    for (const entry of entriesIn(index, range)) {
      const passage = entry >>> 8;
      counts.set(passage, Math.min(255, (counts.get(passage) ?? 0) + (entry & 255)));
    }
  }
  return Uint32Array.from(counts, ([passage, count]) => passage * 256 + count);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
