import { t } from 'virtual:texts/markdown';
import type { ExtraProps } from 'react-markdown';

type Element = NonNullable<ExtraProps['node']>;
type Child = Element['children'][number];
interface Parent {
  children: Array<Child | { type: string }>;
}

const OWN_FILES = '/api/files/';
const DIRECTED = new Set('p h1 h2 h3 h4 h5 h6 ul ol blockquote table'.split(' '));

interface Context {
  root: boolean;
  /** An element around this one finds the direction; it looks only at text whose elements do not say their own. */
  directed: boolean;
  insideLink: boolean;
}

/**
 * Makes a reply's elements fit for this page: text of either direction, `<br>` as the line break that models mean by
 * it, other markup as visible text, and no image that would tell another host that the reply is read.
 */
export function rehypeReply() {
  return (tree: Parent) => visit(tree, { root: true, directed: false, insideLink: false });
}

function visit(parent: Parent, context: Context): void {
  parent.children = parent.children.map((child) => {
    if (child.type === 'raw') return markup(child, context);
    if (!isElement(child)) return child;
    if (child.tagName === 'img') return imageOr(child, context);
    if (isLongCell(child)) child.properties['className'] = ['md-long'];
    const directs = !context.directed && DIRECTED.has(child.tagName);
    if (directs) child.properties['dir'] = 'auto';
    visit(child, {
      root: false,
      directed: context.directed || directs,
      insideLink: context.insideLink || child.tagName === 'a',
    });
    return child;
  });
}

function markup(raw: Child | { type: string; value?: string }, { root }: Context) {
  const value = 'value' in raw ? (raw.value ?? '') : '';
  if (/^<br\s*\/?>$/i.test(value.trim())) {
    return { type: 'element', tagName: 'br', properties: {}, children: [] };
  }
  const text: Child = { type: 'text', value };
  if (!root) return text;
  const properties = { dir: 'auto', className: ['md-plain'] };
  return { type: 'element', tagName: 'p', properties, children: [text] };
}

/** Longer cells do not shrink to the width of a word. */
const SHORT_CELL = 20;

function isLongCell(cell: Element): boolean {
  return (cell.tagName === 'td' || cell.tagName === 'th') && lengthOf(cell) > SHORT_CELL;
}

const lengthOf = (parent: Element): number =>
  parent.children.reduce((sum, child) => {
    if (child.type === 'text') return sum + child.value.length;
    return child.type === 'element' ? sum + lengthOf(child) : sum;
  }, 0);

function isElement(node: { type: string }): node is Element {
  return node.type === 'element';
}

/** Loading an image from another host would leak that the reply is read; a link leaves the choice to the user. */
function imageOr(image: Element, { insideLink }: Context): Element | Child {
  const source = image.properties['src'] ?? '';
  if (isOwnFile(source)) return image;
  const text: Child = { type: 'text', value: image.properties['alt'] || source || t('image') };
  if (insideLink) return text;
  return { type: 'element', tagName: 'a', properties: { href: source }, children: [text] };
}

function isOwnFile(source: string): boolean {
  if (!URL.canParse(source, location.href)) return false;
  const url = new URL(source, location.href);
  return url.origin === location.origin && url.pathname.startsWith(OWN_FILES);
}
