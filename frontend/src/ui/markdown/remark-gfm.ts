import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Options } from 'react-markdown';

type Plugin = Extract<
  NonNullable<Options['remarkPlugins']>[number],
  (...options: never[]) => unknown
>;

/** Reads tables, task lists, footnotes, strikethrough and bare links. The package of this name also writes them: 6 KB. */
export const remarkGfm: Plugin = function readGfm() {
  const data: { micromarkExtensions?: unknown[]; fromMarkdownExtensions?: unknown[] } = this.data();
  (data.micromarkExtensions ??= []).push(gfm());
  (data.fromMarkdownExtensions ??= []).push(gfmFromMarkdown());
};
