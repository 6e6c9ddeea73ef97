import { t } from 'virtual:texts/markdown';
import type { ReactElement } from 'react';
import Markdown, { type Options } from 'react-markdown';
import { keep } from '../../lib/keep.ts';
import { elements } from './elements.tsx';
import { readGfm } from './read-gfm.ts';
import { rehypeReply } from './rehype-reply.ts';

const OPTIONS = {
  components: elements,
  remarkPlugins: [readGfm],
  rehypePlugins: [rehypeReply],
} satisfies Options;

/** The options of a kind of text beyond the Markdown that all texts have. */
export interface Extension {
  /** Changes the text before it is parsed. */
  prepare: (text: string) => string;
  components: NonNullable<Options['components']>;
  remarkPlugins: NonNullable<Options['remarkPlugins']>;
  rehypePlugins?: NonNullable<Options['rehypePlugins']>;
}

interface RenderOptions {
  /** Separates the footnotes of two replies on one page. */
  idPrefix?: string | undefined;
  extension?: Extension | undefined;
}

/**
 * Parses Markdown with tables, task lists, footnotes, strikethrough and bare links. Called as a function and not
 * rendered as a component, so that the elements of a block can be kept.
 */
export function renderMarkdown(
  text: string,
  { idPrefix, extension }: RenderOptions = {},
): ReactElement {
  return Markdown({
    ...OPTIONS,
    ...(extension && {
      components: { ...elements, ...extension.components },
      remarkPlugins: [...OPTIONS.remarkPlugins, ...extension.remarkPlugins],
      rehypePlugins: [...OPTIONS.rehypePlugins, ...(extension.rehypePlugins ?? [])],
    }),
    children: extension ? extension.prepare(text) : text,
    ...(idPrefix && { remarkRehypeOptions: footnotes(idPrefix) }),
  });
}

const footnotes = (clobberPrefix: string): Options['remarkRehypeOptions'] => ({
  clobberPrefix,
  footnoteLabel: t('footnotes'),
  // One footnote may be referred to several times.
  footnoteBackLabel: (index, time) =>
    t('backToReference', { n: time > 1 ? `${index + 1}-${time}` : index + 1 }),
});

/** Elements of blocks that were parsed before, so that a row that is mounted again is not parsed again. */
const kept = new Map<string, ReactElement>();
const MAX_KEPT = 400;
let grown: { key: string; element: ReactElement } | undefined;

interface BlockOptions {
  live: boolean;
  extension?: Extension | undefined;
}

/** The elements of one block. One that still grows is kept only until it has grown or ended. */
export function renderBlock(text: string, { live, extension }: BlockOptions): ReactElement {
  const key = `${extension ? '+' : '-'}${text}`;
  if (live) {
    grown = { key, element: renderMarkdown(text, { extension }) };
    return grown.element;
  }
  const known = kept.get(key) ?? (grown?.key === key ? grown.element : undefined);
  const element = known ?? renderMarkdown(text, { extension });
  keep(kept, [key, element], MAX_KEPT);
  return element;
}
