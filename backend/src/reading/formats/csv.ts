import type { Extract } from './format.ts';
import { tablePages } from './table.ts';
import { textOf } from './text.ts';

const DELIMITERS = [',', ';', '\t', '|'];

/** CSV (RFC 4180) with any usual delimiter, and TSV. */
export const readCsv: Extract = async function* (file) {
  const text = await textOf(file.path);
  const isTsv = file.type.endsWith('tab-separated-values');
  yield* tablePages(parseCsv(text, isTsv ? '\t' : delimiterOf(text)));
};

/** The most frequent delimiter of the first line that has any. */
function delimiterOf(text: string): string {
  for (const line of text.slice(0, 10_000).split('\n')) {
    const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length - 1);
    const most = Math.max(...counts);
    if (most > 0) return DELIMITERS[counts.indexOf(most)] ?? ',';
  }
  return ',';
}

export function* parseCsv(text: string, delimiter: string): Generator<string[]> {
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quoted = text[at] === '"' ? quotedPart(text, at) : { value: '', end: at };
    // Careless writers quote only a part of a field: what follows the closing quote belongs to it.
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

/** The text between the quote at `start` and the closing one, and where the latter ends; two quotes stand for one. */
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
