import type { ExtraProps } from 'react-markdown';

type Element = NonNullable<ExtraProps['node']>;
type Child = Element['children'][number];
interface Parent {
  children: Array<Child | { type: string }>;
}

const OWN_FILES = '/api/files/';
const DIRECTED = new Set('p h1 h2 h3 h4 h5 h6 ul ol li blockquote table th td section'.split(' '));

/**
 * Makes a reply's elements fit for this page: text of either direction, `<br>` as the line break that models mean by it,
 * and no image that would tell another host that somebody reads.
 */
export function rehypeReply() {
  return (tree: Parent) => visit(tree, { insideLink: false });
}

function visit(parent: Parent, context: { insideLink: boolean }): void {
  parent.children = parent.children.map((child) => {
    if (child.type === 'raw') return breakOr(child);
    if (!isElement(child)) return child;
    if (child.tagName === 'img') return imageOr(child, context);
    if (DIRECTED.has(child.tagName)) child.properties['dir'] = 'auto';
    visit(child, { insideLink: context.insideLink || child.tagName === 'a' });
    return child;
  });
}

function isElement(node: { type: string }): node is Element {
  return node.type === 'element';
}

function breakOr(raw: Child | { type: string; value?: string }): Child | { type: string } {
  const isBreak = 'value' in raw && /^<br\s*\/?>$/i.test(raw.value?.trim() ?? '');
  return isBreak ? { type: 'element', tagName: 'br', properties: {}, children: [] } : raw;
}

/** Loading an image from elsewhere would leak; a link says what it is and leaves the choice. */
function imageOr(image: Element, { insideLink }: { insideLink: boolean }): Element | Child {
  const source = image.properties['src'] ?? '';
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
