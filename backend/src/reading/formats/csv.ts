import { MAX_TEXT_ROW_CELLS } from '../limits.ts';
import type { Extract } from './format.ts';
import { tablePages } from './table.ts';
import { textOf } from './text.ts';

/** The first line of files for Excel, which names the delimiter. */
const DECLARATION = /^"?sep=(.)"?\n/i;
/** Besides the comma, which also occurs within numbers. */
const DELIMITERS = [';', '\t', '|'];
/** Rows and characters that are examined. */
const SAMPLE_ROWS = 20;
const SAMPLE_LENGTH = 20_000;
/** Minimum share of the rows with the same number of fields. */
const MIN_EVEN_SHARE = 0.5;

/** CSV (RFC 4180) with any usual delimiter, and TSV. */
export const readCsv: Extract = async function* (file, { truncate }) {
  const whole = await textOf(file.path);
  const [line = '', declared] = DECLARATION.exec(whole) ?? [];
  const text = whole.slice(line.length);
  const isTsv = file.type.endsWith('tab-separated-values');
  const delimiter = declared ?? (isTsv ? '\t' : delimiterOf(text));
  yield* tablePages(firstCells(parseCsv(text, delimiter), truncate));
};

function* firstCells(rows: Iterable<string[]>, truncate: () => void): Generator<string[]> {
  for (const row of rows) {
    // Some programs fill up rows with empty cells.
    if (row.slice(MAX_TEXT_ROW_CELLS).some((cell) => cell.trim() !== '')) truncate();
    yield row.slice(0, MAX_TEXT_ROW_CELLS);
  }
}

/**
 * The delimiter that gives most rows the same number of fields, so that a title above the table does not decide. A comma between digits is
 * a decimal mark when another delimiter fits, and in the only column of a table.
 */
export function delimiterOf(text: string): string {
  const sample = text.slice(0, SAMPLE_LENGTH);
  const candidates = DELIMITERS.map((delimiter) => ({
    delimiter,
    share: evenShare(sample, delimiter),
  }));
  const withoutDecimals = sample.replaceAll(/(?<=\d),(?=\d)/g, '.');
  candidates.push({ delimiter: ',', share: evenShare(withoutDecimals, ',') });
  const [best] = candidates.toSorted((a, b) => b.share - a.share);
  if (best && best.share >= MIN_EVEN_SHARE) return best.delimiter;
  const isOneColumn = !withoutDecimals.includes(',') && isNamedColumn(sample);
  return (isOneColumn && DELIMITERS.find((delimiter) => !sample.includes(delimiter))) || ',';
}

/** A name without a comma above values with one at most. */
function isNamedColumn(text: string): boolean {
  const [name = '', ...values] = text.split('\n').filter((line) => line.trim() !== '');
  return !name.includes(',') && values.every((value) => value.split(',').length <= 2);
}

/** The largest share of the first rows with the same number of fields, more than one. */
function evenShare(text: string, delimiter: string): number {
  const counts = new Map<number, number>();
  let rows = 0;
  for (const row of parseCsv(text, delimiter)) {
    if (row.every((field) => field.trim() === '')) continue;
    counts.set(row.length, (counts.get(row.length) ?? 0) + 1);
    rows += 1;
    if (rows === SAMPLE_ROWS) break;
  }
  counts.delete(1);
  return rows === 0 ? 0 : Math.max(0, ...counts.values()) / rows;
}

export function* parseCsv(text: string, delimiter: string): Generator<string[]> {
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quoted = text[at] === '"' ? quotedPart(text, at) : { value: '', end: at };
    // Some programs quote only a part of a field: the text after the closing quote belongs to the field.
    const end = endOfField(text, quoted.end, delimiter);
    row.push(quoted.value + text.slice(quoted.end, end));
    at = end + 1;
    if (text[end] === delimiter) {
      if (at === text.length) row.push('');
      continue;
    }
    yield row;
    row = [];
  }
  if (row.length > 0) yield row;
}

/** The text between the quote at `start` and the closing one, and the place of the latter; a doubled quote is one quote. */
function quotedPart(text: string, start: number): { value: string; end: number } {
  let value = '';
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return { value: value + text.slice(at), end: text.length };
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    at = quote + 2;
  }
}

function endOfField(text: string, start: number, delimiter: string): number {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end += 1;
  return end;
}
