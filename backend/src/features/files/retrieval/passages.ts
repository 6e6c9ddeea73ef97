import { type ReadPage, rowsOf } from '../../../reading/index.ts';
import type { Passage } from '../../../text/ranking/text-index.ts';

export interface PassageSizes {
  /** Maximum length of a passage, in UTF-16 code units. */
  length?: number;
  /** Maximum overlap with the previous passage, in UTF-16 code units; less than half of `length`. */
  overlap?: number;
}

export const PASSAGE_LENGTH = 1_600;
export const PASSAGE_OVERLAP = 200;

/** The sizes for tables and for files of many pages, where what belongs together is shorter and the head of the page explains it. */
const SHORT: Required<PassageSizes> = { length: 800, overlap: 100 };
const MANY_PAGES = 10;

/** The sizes of the passages of a page in a file of `count` pages. */
export const sizesFor = (
  { rowsStart }: Pick<ReadPage, 'rowsStart'>,
  count: number,
): PassageSizes => (rowsStart !== undefined || count >= MANY_PAGES ? SHORT : {});

/** The part of a page that says what the rest of it is about: the names of the columns, or a title and the years below it. */
export interface PageHead {
  kind: 'columns' | 'beginning';
  text: string;
  /** A passage from here on does not contain it. */
  end: number;
}

const MAX_COLUMNS_LENGTH = 300;
const MAX_BEGINNING_LENGTH = 200;

/**
 * @param first the first page of its table, where the first row names the columns
 * @returns undefined for a page without text
 */
export function headOf(page: ReadPage, first: ReadPage = page): PageHead | undefined {
  const [columns = []] = rowsOf(first);
  const names = columns.map((cell) => cell.text).join(' | ');
  if (names !== '')
    return {
      kind: 'columns',
      text: names.slice(0, MAX_COLUMNS_LENGTH),
      end: first === page ? (columns.at(-1)?.end ?? 0) : 0,
    };
  const { text } = page;
  const start = skipSpace(text, 0);
  const end = endOf(text, start, MAX_BEGINNING_LENGTH, wordStarts);
  return start < end ? { kind: 'beginning', text: text.slice(start, end), end } : undefined;
}

/**
 * Cuts text into passages: at sentence ends if possible, else at line ends, else at spaces; tables at line ends, so that rows stay whole.
 * No passage crosses a page. Together the passages of a page contain all of its text except white space between them; a page without text
 * has none.
 */
export function* cutPassages(
  pages: readonly ReadPage[],
  { length = PASSAGE_LENGTH, overlap = PASSAGE_OVERLAP }: PassageSizes = {},
): Generator<Passage> {
  for (const { n, text, rowsStart } of pages) {
    const bordersOf = rowsStart !== undefined ? lineStarts : sentenceStarts;
    let start = skipSpace(text, 0);
    let covered = 0;
    while (start < text.length) {
      const end = endOf(text, start, length, bordersOf);
      const trimmed = trimEnd(text, start, end);
      // After a long gap, the passage may consist of the overlap only.
      if (trimmed > covered) yield { page: n, start, end: trimmed };
      covered = trimmed;
      if (end >= text.length || skipSpace(text, end) >= text.length) break;
      start = skipSpace(text, nextStart(text, { start, end, overlap, bordersOf }));
    }
  }
}

/** Offsets in `text` at which a unit begins; never 0. */
type Borders = (text: string) => number[];

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** A single line end may be a line break of a PDF within a sentence; an empty line always ends a sentence. */
function sentenceStarts(text: string): number[] {
  const joined = text.replace(/(?<!\n)\n(?!\n)/g, ' ');
  const starts: number[] = [];
  for (const { index } of sentences.segment(joined)) if (index > 0) starts.push(index);
  return starts;
}

const lineStarts: Borders = (text) => startsAfter(text, /\n/g);
const wordStarts: Borders = (text) => startsAfter(text, /\s+/g);

function startsAfter(text: string, separator: RegExp): number[] {
  const starts: number[] = [];
  for (const { index, 0: found } of text.matchAll(separator)) starts.push(index + found.length);
  return starts;
}

/** Minimum length of a passage, as a share of the maximum, unless the text ends. */
const MIN_SHARE = 0.5;

function endOf(text: string, start: number, length: number, bordersOf: Borders): number {
  if (text.length - start <= length) return text.length;
  // One more, so that a border at the very end is found.
  const window = text.slice(start, start + length + 1);
  for (const borders of [bordersOf, lineStarts, wordStarts]) {
    const border = borders(window).findLast((at) => at <= length);
    if (border !== undefined && border >= length * MIN_SHARE) return start + border;
  }
  const end = start + length;
  return isInsidePair(text, end) ? end - 1 : end;
}

interface Cut {
  start: number;
  end: number;
  overlap: number;
  bordersOf: Borders;
}

/** The next passage begins with the first unit that is completely in the overlap. */
function nextStart(text: string, { start, end, overlap, bordersOf }: Cut): number {
  if (overlap === 0) return end;
  const from = Math.max(start + 1, end - overlap);
  // Includes text before it, so that a border at the very beginning is found.
  const before = Math.max(start, from - overlap);
  const window = text.slice(before, end);
  for (const borders of [bordersOf, lineStarts, wordStarts]) {
    const border = borders(window).find((at) => before + at >= from && before + at < end);
    if (border !== undefined) return before + border;
  }
  return isInsidePair(text, from) ? from + 1 : from;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && /\s/.test(text.charAt(at - 1))) at -= 1;
  return at;
}

const isInsidePair = (text: string, at: number) =>
  isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));

const isHigh = (unit: number) => unit >= 0xd8_00 && unit <= 0xdb_ff;
const isLow = (unit: number) => unit >= 0xdc_00 && unit <= 0xdf_ff;
