import { TEXT_PAGE_LENGTH } from '../limits.ts';
import type { PageDraft } from './format.ts';

/** Stands in extracted text for a picture or a drawing: Unicode's own character for it. */
export const UNREAD_PICTURE = '\uFFFC';
/** Stands there for a chart, a formula or an embedded object: a character that no text has. */
export const UNREAD_OBJECT = '\uFDD0';

type CutPage = Pick<PageDraft, 'text' | 'unread'>;

/** A page of `text`; it names what is not read when the text has marks of that, which are removed. */
export function pageOf(text: string): CutPage {
  const isObject = text.includes(UNREAD_OBJECT);
  if (!isObject && !text.includes(UNREAD_PICTURE)) return { text };
  const shown = text.replaceAll(/^[\uFFFC\uFDD0]+\n*|[\uFFFC\uFDD0]/gm, '');
  return { text: shown, unread: isObject ? 'object' : 'image' };
}

/** Cuts text into pages of at most `TEXT_PAGE_LENGTH`: at a line end, else at a space, never within a character. */
export function* cutIntoPages(text: string): Generator<CutPage> {
  for (let from = 0; from < text.length; ) {
    const to = endOfPage(text, from);
    yield pageOf(text.slice(from, to));
    from = to;
  }
}

function endOfPage(text: string, from: number): number {
  const to = from + TEXT_PAGE_LENGTH;
  if (to >= text.length) return text.length;
  const page = text.slice(from, to);
  const line = page.lastIndexOf('\n') + 1;
  if (line > 0) return from + line;
  const space = page.lastIndexOf(' ') + 1;
  if (space > 0) return from + space;
  return /[\uD800-\uDBFF]$/.test(page) ? to - 1 : to;
}

/**
 * Cuts Markdown into pages: a heading of at most `level` begins one when the page before it has at least `minLength` characters;
 * longer sections are cut by size.
 */
export function* cutAtHeadings(
  markdown: string,
  { level, minLength }: { level: number; minLength: number },
): Generator<CutPage> {
  const heading = new RegExp(`^#{1,${level}} `, 'gm');
  let from = 0;
  for (const { index } of markdown.matchAll(heading)) {
    if (index - from < Math.max(1, minLength)) continue;
    yield* cutIntoPages(markdown.slice(from, index));
    from = index;
  }
  yield* cutIntoPages(markdown.slice(from));
}
