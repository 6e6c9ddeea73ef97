import { type Document, Element, type ParentNode, Text } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import { childOf, elementsOf, isElement, parseXml } from '../parts.ts';

/** The attribute `w:val` of a child. */
export const valueOf = (node: ParentNode | undefined, name: string): string | undefined =>
  childOf(node, name)?.attribs['w:val'];

/** Puts a run of text into a paragraph, before all others. */
export function prependRun(paragraph: Element, text: string): void {
  const properties = childOf(paragraph, 'w:pPr');
  if (properties) DomUtils.append(properties, textRun(text));
  else DomUtils.prependChild(paragraph, textRun(text));
}

export const textRun = (text: string): Element =>
  new Element('w:r', {}, [new Element('w:t', { 'xml:space': 'preserve' }, [new Text(text)])]);

/** Paragraphs of a part as lines of text, without empty ones and without what only older programs show. */
export function linesOfPart(xml: Buffer | undefined): string[] {
  const part = parseXml(xml);
  for (const holder of elementsOf(part, 'mc:AlternateContent'))
    holder.children = holder.children.filter(
      (child) => !isElement(child) || child.name !== 'mc:Fallback',
    );
  const lines = new Map<Element, string>(
    elementsOf(part, 'w:p').map((paragraph) => [paragraph, '']),
  );
  for (const text of elementsOf(part, 'w:t')) {
    const paragraph = paragraphOf(text);
    if (paragraph)
      lines.set(paragraph, `${lines.get(paragraph) ?? ''}${DomUtils.textContent(text)}`);
  }
  return [...lines.values()].filter((line) => line.trim() !== '');
}

/** The innermost paragraph around a node: text boxes stand within others. */
export function paragraphOf(node: Element): Element | null {
  for (let parent = node.parent; parent; parent = parent.parent)
    if ('name' in parent && parent.name === 'w:p') return parent;
  return null;
}

/** Writes the readings above words in brackets after them. */
export function writeRuby(document: Document): void {
  for (const ruby of elementsOf(document, 'w:ruby')) {
    const textOf = (name: string) =>
      elementsOf(ruby, name)
        .flatMap((part) => elementsOf(part, 'w:t'))
        .map((text) => DomUtils.textContent(text))
        .join('');
    const text = `${textOf('w:rubyBase')} (${textOf('w:rt')})`;
    ruby.name = 'w:t';
    ruby.attribs = { 'xml:space': 'preserve' };
    ruby.children = [new Text(text)];
  }
}
