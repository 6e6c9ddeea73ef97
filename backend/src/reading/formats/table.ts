import type { FilePage } from '../../contract/files.ts';
import { TABLE_PAGE_LENGTH, TABLE_PAGE_ROWS } from '../limits.ts';
import type { ReadPage } from '../port.ts';
import type { PageDraft } from './format.ts';

/** Characters that would break a row into several. */
// oxlint-disable-next-line no-control-regex
const BREAKS = /[\t\r\n\u0000]+/g;

/**
 * Pages of a table: one line per row, cells separated by tabs, at most `TABLE_PAGE_ROWS` rows and `TABLE_PAGE_LENGTH` characters a page.
 * `title` is the first line of each page. Rows without any text are left out.
 */
export function* tablePages(rows: Iterable<string[]>, title?: string): Generator<PageDraft> {
  const head = title === undefined ? '' : `${title}\n`;
  let lines: string[] = [];
  // Without the title: a long one would leave a page for each row.
  let length = 0;
  const draft = () => ({ text: head + lines.join(''), rowsStart: head.length });
  for (const row of rows) {
    const line = `${row.map((cell) => cell.replaceAll(BREAKS, ' ').trim()).join('\t')}\n`;
    if (line.trim() === '') continue;
    const isFull = lines.length === TABLE_PAGE_ROWS || length + line.length > TABLE_PAGE_LENGTH;
    if (isFull && lines.length > 0) {
      yield draft();
      lines = [];
      length = 0;
    }
    lines.push(line);
    length += line.length;
  }
  if (lines.length > 0) yield draft();
}

/** Whether both pages have rows of one table. */
export const isSameTable = (page: ReadPage, other: ReadPage): boolean =>
  page.rowsStart !== undefined &&
  page.rowsStart === other.rowsStart &&
  other.text.startsWith(page.text.slice(0, page.rowsStart));

/** The first page of the table of a page, where the first row names the columns; a page of no table stands alone. */
export const firstPageOf = (pages: readonly ReadPage[], page: ReadPage): ReadPage =>
  pages.find((other) => isSameTable(other, page)) ?? page;

type Row = NonNullable<FilePage['rows']>[number];

/** The rows of a page of a table, with the range of each cell in its text; none for another page. */
export function* rowsOf({ text, rowsStart = text.length }: ReadPage): Generator<Row> {
  for (let at = rowsStart; at < text.length; ) {
    const lineEnd = text.indexOf('\n', at);
    const line = text.slice(at, lineEnd === -1 ? text.length : lineEnd);
    yield line.split('\t').map((cell) => {
      const start = at;
      const end = start + cell.length;
      at = end + 1;
      return { text: cell, start, end };
    });
  }
}
