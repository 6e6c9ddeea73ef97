import { TABLE_PAGE_ROWS } from '../limits.ts';
import type { PageDraft } from './format.ts';

/** Characters that would break a row into several. */
// oxlint-disable-next-line no-control-regex
const BREAKS = /[\t\r\n\u0000]+/g;

/**
 * Pages of a table: one line per row, cells separated by tabs, at most `TABLE_PAGE_ROWS` rows a page. `title` is the first line of each
 * page. Rows without any text are left out.
 */
export function* tablePages(rows: Iterable<string[]>, title?: string): Generator<PageDraft> {
  let page = createPage(title);
  for (const row of rows) {
    if (!row.some((cell) => cell.trim() !== '')) continue;
    page.add(row);
    if (page.rows.length < TABLE_PAGE_ROWS) continue;
    yield page.draft();
    page = createPage(title);
  }
  if (page.rows.length > 0) yield page.draft();
}

function createPage(title?: string) {
  const rows: NonNullable<PageDraft['rows']> = [];
  const lines: string[] = title === undefined ? [] : [title];
  let at = title === undefined ? 0 : title.length + 1;
  return {
    rows,
    add: (cells: string[]) => {
      const row = cells.map((cell) => {
        const text = cell.replaceAll(BREAKS, ' ').trim();
        const start = at;
        at += text.length + 1;
        return { text, start, end: start + text.length };
      });
      rows.push(row);
      lines.push(row.map(({ text }) => text).join('\t'));
    },
    draft: (): PageDraft => ({ text: `${lines.join('\n')}\n`, rows }),
  };
}
