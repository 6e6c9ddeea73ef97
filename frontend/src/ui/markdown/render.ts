import type { ReactElement } from 'react';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { elements } from './elements.tsx';
import { rehypeReply } from './rehype-reply.ts';

const OPTIONS = {
  components: elements,
  remarkPlugins: [remarkGfm],
  rehypePlugins: [rehypeReply],
};

/**
 * Parses Markdown with tables, task lists, footnotes, strikethrough and bare links. Called as a function and not
 * rendered as a component, so that the elements of a block can be kept.
 * @param idPrefix keeps the footnotes of two replies on one page apart
 */
export const renderMarkdown = (text: string, idPrefix?: string): ReactElement =>
  Markdown({
    ...OPTIONS,
    children: text,
    ...(idPrefix && { remarkRehypeOptions: { clobberPrefix: idPrefix } }),
  });

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
