import { gfm } from '@joplin/turndown-plugin-gfm';
import Turndown from 'turndown';

/**
 * HTML as Markdown whose words are those of the page: headings, lists and tables are marked; emphasis, links and characters are
 * not, so that quotations are found in it.
 */
export function toMarkdown(html: string): string {
  const turndown = new Turndown({
    headingStyle: 'atx',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
  });
  turndown.use(gfm);
  turndown.addRule('words only', {
    filter: ['a', 'b', 'strong', 'i', 'em', 'del', 's'],
    replacement: (content) => content,
  });
  turndown.addRule('pictures', {
    filter: 'img',
    replacement: (_content, node) =>
      (node as { getAttribute: (name: string) => string | null }).getAttribute('alt') ?? '',
  });
  turndown.escape = (text) => text;
  return turndown.turndown(html);
}
