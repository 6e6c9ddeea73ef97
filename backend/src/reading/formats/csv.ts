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

/** The most frequent delimiter of the first line that contains one. */
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
