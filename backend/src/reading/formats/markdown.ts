import { Parser } from 'htmlparser2';
import Turndown from 'turndown';
import { UnreadableFileError } from '../port.ts';
import {
  checkMark,
  isCheckBox,
  itemNumber,
  markdownTable,
  pictureText,
  type TableElement,
} from './markdown-table.ts';

/** Real pages are less deep. */
const MAX_DEPTH = 500;

/**
 * Parsers of nested markup take time that grows at least with the square of its depth; so does traversing the tree.
 * @throws UnreadableFileError too_complex
 */
export function rejectDeepNesting(markup: string, { xml = false } = {}): void {
  let depth = 0;
  const events = {
    onopentagname: () => {
      depth += 1;
      if (depth > MAX_DEPTH) throw new UnreadableFileError('too_complex', 'Nested too deep.');
    },
    onclosetag: () => {
      depth -= 1;
    },
  };
  new Parser(events, { xmlMode: xml }).end(markup);
}

/**
 * HTML as Markdown with exactly the page's words: headings, lists and tables are marked; emphasis, links and characters are not, so that
 * quotations can be found in it.
 */
export function toMarkdown(html: string): string {
  const turndown = new Turndown({
    headingStyle: 'atx',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
  });
  turndown.addRule('words only', {
    filter: ['a', 'b', 'strong', 'i', 'em', 'del', 's'],
    replacement: (content) => content,
  });
  turndown.addRule('pictures', {
    filter: 'img',
    replacement: (_content, node) => pictureText(node as TableElement),
  });
  turndown.addRule('check boxes', {
    filter: (node) => isCheckBox(node),
    replacement: (_content, node) => checkMark(node),
  });
  turndown.addRule('numbered items', {
    filter: (node) => node.nodeName === 'LI' && node.parentNode?.nodeName === 'OL',
    replacement: (content, node) => {
      const prefix = `${itemNumber(node as TableElement)}  `;
      const end = content.endsWith('\n') ? '\n\n' : '\n';
      return `${prefix}${content.trim().replaceAll('\n', `\n${' '.repeat(prefix.length)}`)}${end}`;
    },
  });
  turndown.addRule('tables', {
    filter: 'table',
    replacement: (content, node) => {
      const table = markdownTable(node);
      return `\n\n${table ?? content}\n\n`;
    },
  });
  // Cells are of tables that arrange a page; all other tables are written as tables.
  turndown.addRule('blocks', {
    filter: ['caption', 'tr', 'th', 'td', 'details', 'summary', 'legend', 'option'],
    replacement: (content) => `\n\n${content}\n\n`,
  });
  turndown.escape = (text) => text;
  rejectDeepNesting(html);
  return turndown.turndown(html);
}
