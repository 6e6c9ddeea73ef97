import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Options } from 'react-markdown';

type Plugin = Extract<
  NonNullable<Options['remarkPlugins']>[number],
  (...options: never[]) => unknown
>;

/** What the parser looks for in a processor's data. */
interface Extensions {
  micromarkExtensions?: unknown[];
  fromMarkdownExtensions?: unknown[];
}

/** Reads tables, task lists, footnotes, strikethrough and bare links. The package of this name also writes them: 6 KB. */
export const remarkGfm: Plugin = function readGfm() {
  const data: object = this.data();
  const { micromarkExtensions = [], fromMarkdownExtensions = [] } = data as Extensions;
  Object.assign(data, {
    micromarkExtensions: [...micromarkExtensions, gfm()],
    fromMarkdownExtensions: [...fromMarkdownExtensions, gfmFromMarkdown()],
  });
};
