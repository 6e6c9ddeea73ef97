import { toJsxRuntime } from 'hast-util-to-jsx-runtime';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toHast } from 'mdast-util-to-hast';
import { gfm } from 'micromark-extension-gfm';
import type { ReactElement } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';
import { adaptReply } from './adapt-reply.ts';
import { elements } from './elements.tsx';

// Built once: building them takes longer than parsing a short block.
const GFM = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/**
 * Parses Markdown with tables, task lists, footnotes, strikethrough and bare links.
 * @param idPrefix keeps the footnotes of two replies on one page apart
 */
export function renderMarkdown(text: string, idPrefix?: string): ReactElement {
  const tree = toHast(fromMarkdown(text, GFM), {
    allowDangerousHtml: true,
    ...(idPrefix && { clobberPrefix: idPrefix }),
  });
  if ('children' in tree) adaptReply(tree);
  return toJsxRuntime(tree, {
    Fragment,
    jsx,
    jsxs,
    components: elements,
    ignoreInvalidStyle: true,
    passKeys: true,
    passNode: true,
  });
}

/** Elements of blocks that were parsed before, so that a row that is mounted again is not parsed again. */
const kept = new Map<string, ReactElement>();
const MAX_KEPT = 400;
let grown: { text: string; element: ReactElement } | undefined;

/** The elements of one block. One that still grows is kept only until it has grown or ended. */
export function renderBlock(text: string, live: boolean): ReactElement {
  if (live) {
    grown = { text, element: renderMarkdown(text) };
    return grown.element;
  }
  const known = kept.get(text) ?? (grown?.text === text ? grown.element : undefined);
  const element = known ?? renderMarkdown(text);
  kept.delete(text);
  kept.set(text, element);
  const oldest = kept.keys().next();
  if (kept.size > MAX_KEPT && !oldest.done) kept.delete(oldest.value);
  return element;
}
