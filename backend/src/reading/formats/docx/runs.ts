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

/** What stands for these elements of a run in a line of text. */
const SIGNS = new Map([
  ['w:tab', '\t'],
  ['w:ptab', '\t'],
  ['w:br', ' '],
  ['w:cr', ' '],
  ['w:noBreakHyphen', '\u2011'],
]);

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
  for (const node of elementsOf(part, (name) => name === 'w:t' || SIGNS.has(name))) {
    const paragraph = paragraphOf(node);
    // The properties of a paragraph have tabs as well.
    const isInRun = node.parent && 'name' in node.parent && node.parent.name === 'w:r';
    const text = SIGNS.get(node.name) ?? DomUtils.textContent(node);
    if (paragraph && isInRun) lines.set(paragraph, `${lines.get(paragraph) ?? ''}${text}`);
  }
  return [...lines.values()].filter((line) => line.trim() !== '');
}

/** The innermost paragraph around a node: text boxes stand within others. */
export function paragraphOf(node: Element): Element | null {
  for (let parent = node.parent; parent; parent = parent.parent)
    if ('name' in parent && parent.name === 'w:p') return parent;
  return null;
}

/** Elements that mammoth does not read, by others of the same content that it does. */
const SAME_CONTENT = new Map([
  ['w:fldSimple', 'w:smartTag'],
  ['w:dir', 'w:smartTag'],
  ['w:bdo', 'w:smartTag'],
  ['w:cr', 'w:br'],
  ['w:ptab', 'w:tab'],
]);

/** Makes mammoth read simple fields, text with a direction, chosen entries of lists and all breaks, and no hidden text. */
export function writeRuns(document: Document): void {
  for (const node of elementsOf(document, (name) => SAME_CONTENT.has(name)))
    node.name = SAME_CONTENT.get(node.name) ?? node.name;
  for (const list of elementsOf(document, 'w:ddList')) {
    const chosen = Number(valueOf(list, 'w:result') ?? valueOf(list, 'w:default') ?? 0);
    const entry = elementsOf(list, 'w:listEntry')[chosen]?.attribs['w:val'];
    // The list belongs to the mark at which its field begins.
    const mark = list.parent?.parent;
    if (mark && entry) DomUtils.append(mark, new Element('w:t', {}, [new Text(entry)]));
  }
  for (const hidden of elementsOf(document, 'w:vanish')) {
    const run = hidden.parent?.parent;
    if (run && !/^(?:0|false|off)$/.test(hidden.attribs['w:val'] ?? ''))
      run.children = run.children.filter((child) => !isElement(child) || child.name !== 'w:t');
  }
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
