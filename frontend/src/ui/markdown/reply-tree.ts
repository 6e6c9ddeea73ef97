import type { Element, ElementContent } from 'hast';
import { urlAttributes } from 'html-url-attributes';
import { defaultUrlTransform } from 'react-markdown';
import { t } from '../../i18n/markdown.ts';

/** An element, or the whole text. */
export interface Parent {
  children: ElementContent[];
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
export const adaptReply = (root: Parent): void =>
  visit(root, { root: true, directed: false, insideLink: false });

function visit(parent: Parent, context: Context): void {
  parent.children = parent.children.map((child) => {
    if (child.type === 'raw') return markup(child.value, context);
    if (child.type !== 'element') return child;
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

function markup(value: string, { root }: Context): ElementContent {
  if (/^<br\s*\/?>$/i.test(value.trim())) {
    return { type: 'element', tagName: 'br', properties: {}, children: [] };
  }
  const text: ElementContent = { type: 'text', value };
  if (!root) return text;
  const properties = { dir: 'auto', className: ['md-plain'] };
  return { type: 'element', tagName: 'p', properties, children: [text] };
}

/** Longer cells do not shrink to the width of a word. */
const SHORT_CELL = 20;

function isLongCell(cell: Element): boolean {
  return (cell.tagName === 'td' || cell.tagName === 'th') && lengthOf(cell) > SHORT_CELL;
}

const lengthOf = (parent: Parent): number =>
  parent.children.reduce((sum, child) => {
    if (child.type === 'text') return sum + child.value.length;
    return child.type === 'element' ? sum + lengthOf(child) : sum;
  }, 0);

/** Loading an image from another host would leak that the reply is read; a link leaves the choice to the user. */
function imageOr(image: Element, { insideLink }: Context): Element | ElementContent {
  const source = image.properties['src'] ?? '';
  if (isOwnFile(source)) return image;
  const text: ElementContent = {
    type: 'text',
    value: image.properties['alt'] || source || t('image'),
  };
  if (insideLink) return text;
  return { type: 'element', tagName: 'a', properties: { href: source }, children: [text] };
}

/** Empties addresses whose scheme is not known to be harmless. */
export function emptyUnsafeUrls(parent: Parent): void {
  for (const child of parent.children) {
    if (child.type !== 'element') continue;
    for (const [name, value] of Object.entries(child.properties)) {
      const tags = urlAttributes[name];
      if (tags === null || tags?.includes(child.tagName)) {
        child.properties[name] = defaultUrlTransform(String(value || ''));
      }
    }
    emptyUnsafeUrls(child);
  }
}

function isOwnFile(source: string): boolean {
  if (!URL.canParse(source, location.href)) return false;
  const url = new URL(source, location.href);
  return url.origin === location.origin && url.pathname.startsWith(OWN_FILES);
}
