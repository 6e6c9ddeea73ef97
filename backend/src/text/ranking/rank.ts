import type { QueryTerm } from './terms.ts';
import type { TextIndex } from './text-index.ts';
import { turnsOf } from './turns.ts';

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

/** Passages, entries and terms that are read in a turn of the event loop, about 10 ms. */
const READ_PER_TURN = 50_000;

/** A term of the question, and its entries in each file. */
interface FoundTerm {
  weight: number;
  perFile: Entries[];
}

/**
 * Ranks the passages of all files together by BM25. A term that no file contains matches its other forms. Passages on pages that the
 * question names come before all others. Other work of the process runs in between.
 */
export async function rank(indexes: readonly TextIndex[], query: Query): Promise<Ranking> {
  const turns = turnsOf(READ_PER_TURN);
  const found = await findTerms(indexes, query.terms, turns);
  const statistics = statisticsOf(indexes);
  const information =
    sum(found.map(({ weight }) => weight)) * Math.min(1, TERMS_OF_QUESTION / found.length);
  const scored: Float64Array[] = [];
  let most = 0;
  for (const [file, index] of indexes.entries()) {
    const scores = new Float64Array(index.passages.length);
    const shares = new Float64Array(index.passages.length);
    for (const { weight, perFile } of found) {
      const entries = perFile[file] ?? NO_ENTRIES;
      for (const entry of entries) {
        const passage = entry >>> 8;
        const count = entry & 255;
        const length = index.passages[passage]?.length ?? 0;
        const norm = K1 * (1 - B + (B * length) / statistics.averageLength);
        scores[passage] = (scores[passage] ?? 0) + (weight * count * (K1 + 1)) / (count + norm);
        shares[passage] = (shares[passage] ?? 0) + weight / information;
      }
      await turns(entries.length);
    }
    for (const share of shares) most = Math.max(most, Math.min(1, share));
    for (const passage of namedPassages(index, query.pages)) {
      scores[passage] = (scores[passage] ?? 0) + NAMED_PAGE;
      most = 1;
    }
    scored.push(scores);
    await turns(scores.length);
  }
  return { passages: bestOf(scored), coverage: most };
}

/** A page is named by its place in the file or by the number that is printed on it. */
const namedPassages = ({ passages }: TextIndex, pages: readonly number[]): number[] =>
  pages.length === 0
    ? []
    : [...passages.entries()].flatMap(([passage, { page, label }]) =>
        pages.includes(page) || (label !== undefined && pages.includes(Number(label)))
          ? [passage]
          : [],
      );

async function findTerms(
  indexes: readonly TextIndex[],
  terms: readonly QueryTerm[],
  turns: (units: number) => Promise<void>,
): Promise<FoundTerm[]> {
  const { total } = statisticsOf(indexes);
  const found: FoundTerm[] = [];
  for (const [at, { term, weight }] of terms.entries()) {
    let perFile = indexes.map((index) => entriesIn(index, index.terms.get(term)));
    const isMissing = perFile.every((entries) => entries.length === 0);
    if (isMissing && at < MAX_INFLECTED && term.length >= MIN_STEM_LENGTH) {
      perFile = [];
      for (const index of indexes) {
        perFile.push(otherForms(index, term));
        await turns(index.terms.size);
      }
    }
    found.push({ weight: weight * idfOf(perFile, total), perFile });
  }
  return found;
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
const NO_ENTRIES = new Uint32Array();

function idfOf(perFile: Entries[], total: number): number {
  const having = sum(perFile.map((entries) => entries.length));
  return Math.log(1 + (total - having + 0.5) / (having + 0.5));
}

const entriesIn = ({ entries }: TextIndex, [from, to]: readonly [number, number] = [0, 0]) =>
  entries.subarray(from, to);

/** Maximum length of endings, and minimum length of stems. */
const MIN_STEM_LENGTH = 5;
const MAX_ENDING_LENGTH = 2;

/** Minimum length of a part of a compound, of what stands before it, and of a word that may be mistyped. */
const MIN_PART_LENGTH = 6;
const MIN_BEFORE_LENGTH = 3;
const MIN_TYPED_LENGTH = 7;
const ONLY_LETTERS = /^\p{L}+$/u;

const UMLAUTS: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' };
/** The term of a word whose umlauts are written in other letters: `muller` for `mueller`, and `mueller` for `=müller`. */
const respelled = (term: string): string =>
  term.startsWith('=')
    ? term.slice(1).replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter)
    : term.replace(/([aou])e/g, '$1');

/** Whether two words differ in one letter behind the first one, or in the order of two. */
function differInOne(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  if (start === 0) return false;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const isSwapped = a[start] === b[start + 1] && a[start + 1] === b[start];
  const different = Math.max(a.length, b.length) - start - end;
  return different === 1 || (different === 2 && isSwapped);
}

/**
 * Other forms of a word: with another ending, as a part of a compound ('Kündigung' of 'Kündigungsfrist'), with other letters for its
 * umlauts, or mistyped.
 */
function otherForms(index: TextIndex, term: string): Entries {
  const beginning = term.slice(0, Math.max(MIN_STEM_LENGTH, term.length - MAX_ENDING_LENGTH));
  const same = respelled(term);
  const isWord = ONLY_LETTERS.test(term);
  const mayBePart = isWord && term.length >= MIN_PART_LENGTH;
  const mayBeMistyped = isWord && term.length >= MIN_TYPED_LENGTH;
  const isForm = (other: string) =>
    (other.length <= term.length + MAX_ENDING_LENGTH && other.startsWith(beginning)) ||
    other === same ||
    (mayBePart && other.startsWith(term)) ||
    (mayBePart && other.length >= term.length + MIN_BEFORE_LENGTH && other.endsWith(term)) ||
    (mayBeMistyped && differInOne(other, term));
  const counts = new Map<number, number>();
  for (const [other, range] of index.terms) {
    if (!isForm(other)) continue;
    for (const entry of entriesIn(index, range)) {
      const passage = entry >>> 8;
      counts.set(passage, Math.min(255, (counts.get(passage) ?? 0) + (entry & 255)));
    }
  }
  return Uint32Array.from(counts, ([passage, count]) => passage * 256 + count);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
