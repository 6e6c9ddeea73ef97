import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

interface Extensions {
  micromarkExtensions?: unknown[];
  fromMarkdownExtensions?: unknown[];
}

/** Adds GitHub's Markdown to the parser. remark-gfm would load what writes Markdown too, which no page needs. */
export function parseGfm(this: { data: () => object }): void {
  const data: Extensions = this.data();
  (data.micromarkExtensions ??= []).push(gfm());
  (data.fromMarkdownExtensions ??= []).push(gfmFromMarkdown());
}
