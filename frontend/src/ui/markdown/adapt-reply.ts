import type { ExtraProps } from 'hast-util-to-jsx-runtime';

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
 * Makes a reply's elements fit for this page: text of either direction, `<br>` as the line break that models mean by it,
 * other markup as visible text, no link with a scheme that may do harm, and no image that would tell another host that
 * somebody reads. Changes `tree`.
 */
export function adaptReply(tree: Parent): void {
  visit(tree, { root: true, directed: false, insideLink: false });
}

function visit(parent: Parent, context: Context): void {
  parent.children = parent.children.map((child) => {
    if (child.type === 'raw') return markup(child, context);
    if (!isElement(child)) return child;
    if (child.tagName === 'img') return imageOr(child, context);
    if (child.tagName === 'a') child.properties['href'] = safeUrl(child.properties['href']);
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

function isElement(node: { type: string }): node is Element {
  return node.type === 'element';
}

/** Loading an image from elsewhere would leak; a link says what it is and leaves the choice. */
function imageOr(image: Element, { insideLink }: Context): Element | Child {
  const source = safeUrl(image.properties['src']);
  if (isOwnFile(source)) return image;
  const text: Child = { type: 'text', value: image.properties['alt'] || source || 'image' };
  if (insideLink) return text;
  return { type: 'element', tagName: 'a', properties: { href: source }, children: [text] };
}

function isOwnFile(source: string): boolean {
  if (!URL.canParse(source, location.href)) return false;
  const url = new URL(source, location.href);
  return url.origin === location.origin && url.pathname.startsWith(OWN_FILES);
}

const SAFE_SCHEME = /^(?:https?|ircs?|mailto|xmpp)$/i;

/** A relative URL or one with a harmless scheme; otherwise empty. */
function safeUrl(value: unknown): string {
  const url = typeof value === 'string' ? value : '';
  const scheme = /^([^:/?#]*):/.exec(url)?.[1];
  return scheme === undefined || SAFE_SCHEME.test(scheme) ? url : '';
}
