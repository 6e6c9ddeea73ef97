import { type DefaultTreeAdapterTypes, parse, serialize } from 'parse5';
import { cutAtHeadings } from './cut.ts';
import type { Extract } from './format.ts';
import { rejectDeepNesting, toMarkdown } from './markdown.ts';
import { textOf } from './text.ts';

type Node = DefaultTreeAdapterTypes.Node;

/** Below this share of another form's words a text has lost some. */
const MIN_WORD_SHARE = 0.7;

const HIDDEN = new Set('head script style noscript template iframe frameset object svg'.split(' '));
/** Elements that stand on a line of their own. */
const BLOCKS = new Set(
  'p div ul ol li dl dt dd tr br hr h1 h2 h3 h4 h5 h6 pre blockquote section article'.split(' '),
);

/** Web pages: all that they show; nothing is fetched and no script runs. */
export const readHtml: Extract = async function* (file) {
  const markdown = htmlToMarkdown(await textOf(file.path));
  yield* cutAtHeadings(markdown, { level: 2, minLength: 2_000 });
};

/** @throws UnreadableFileError too_complex */
export function htmlToMarkdown(html: string): string {
  rejectDeepNesting(html);
  const document = parse(html);
  const title = titleOf(document);
  removeHidden(document);
  const plain = plainText(document);
  const markdown = toMarkdown(serialize(document));
  const text = hasWordsOf(markdown, plain) ? markdown : plain;
  return title && !text.includes(`# ${title}`) ? `# ${title}\n\n${text}` : text;
}

const childrenOf = (node: Node): Node[] => ('childNodes' in node ? node.childNodes : []);

/** A node and all below it, in the order of the page. */
function* nodesOf(root: Node): Generator<Node> {
  const pending = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    yield node;
    for (const child of childrenOf(node).toReversed()) pending.push(child);
  }
}

function removeHidden(root: Node): void {
  for (const node of nodesOf(root))
    if ('childNodes' in node)
      node.childNodes = node.childNodes.filter(({ nodeName }) => !HIDDEN.has(nodeName));
}

function titleOf(document: Node): string {
  for (const node of nodesOf(document)) if (node.nodeName === 'title') return plainText(node);
  return '';
}

/** The words below a node, a line for each block. */
function plainText(root: Node): string {
  let text = '';
  for (const node of nodesOf(root)) {
    if ('value' in node) text += node.value;
    else if (BLOCKS.has(node.nodeName)) text += '\n';
  }
  return text
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n[ \n]*/g, '\n')
    .trim();
}

/** Whether a text has the words of another form of it, or nearly all. */
export const hasWordsOf = (text: string, other: string): boolean =>
  countWords(text) >= countWords(other) * MIN_WORD_SHARE;

const countWords = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
