import type { Root } from 'hast';
import { toJsxRuntime } from 'hast-util-to-jsx-runtime';
import { fromMarkdown, type Extension as TreeExtension } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { type Options as HastOptions, toHast } from 'mdast-util-to-hast';
import { gfm } from 'micromark-extension-gfm';
import type { Extension as SyntaxExtension } from 'micromark-util-types';
import type { ReactElement } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';
import type { Components } from 'react-markdown';
import { t } from '../../i18n/markdown.ts';
import { elements } from './elements.tsx';
import { adaptReply, emptyUnsafeUrls, type Parent } from './reply-tree.ts';

/** Tables, task lists, footnotes, strikethrough and bare links. */
const SYNTAX = [gfm()];
const TREE = [gfmFromMarkdown()];

/** What a kind of text needs beyond the Markdown that every text has. */
export interface Extension {
  /** Changes the text before it is parsed. */
  prepare?: (text: string) => string;
  components: Components;
  syntax?: readonly SyntaxExtension[];
  tree?: readonly TreeExtension[];
  /** Changes the elements before they are drawn. */
  adapt?: (root: Parent) => void;
}

interface RenderOptions {
  /** Keeps the footnotes of two replies on one page apart. */
  idPrefix?: string | undefined;
  extension?: Extension | undefined;
}

/**
 * Renders Markdown with the packages that react-markdown consists of, without its processor and its virtual file: 11 KB
 * of the chat's first load. A function and not a component, so that the elements of a block can be kept.
 */
export function renderMarkdown(
  text: string,
  { idPrefix, extension }: RenderOptions = {},
): ReactElement {
  const markdown = fromMarkdown(extension?.prepare?.(text) ?? text, {
    extensions: [...SYNTAX, ...(extension?.syntax ?? [])],
    mdastExtensions: [...TREE, ...(extension?.tree ?? [])],
  });
  const root = toHast(markdown, {
    ...(idPrefix && footnotes(idPrefix)),
    // As nodes of their own, of which `adaptReply` makes text.
    allowDangerousHtml: true,
  }) as Root & Parent;
  adaptReply(root);
  extension?.adapt?.(root);
  emptyUnsafeUrls(root);
  return toJsxRuntime(root, {
    Fragment,
    components: { ...elements, ...extension?.components },
    ignoreInvalidStyle: true,
    jsx,
    jsxs,
    passKeys: true,
    passNode: true,
  });
}

const footnotes = (clobberPrefix: string): HastOptions => ({
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
  kept.delete(key);
  kept.set(key, element);
  const oldest = kept.keys().next();
  if (kept.size > MAX_KEPT && !oldest.done) kept.delete(oldest.value);
  return element;
}
