import type { ChildNode, Document, Element, ParentNode } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import { childOf, isElement } from '../parts.ts';
import { textRun } from './runs.ts';

/** Writes each formula of a document into its text, as LaTeX between dollar signs. */
export function writeFormulas(document: Document): void {
  const pending: ParentNode[] = [document];
  for (let parent = pending.pop(); parent; parent = pending.pop()) {
    parent.children = parent.children.flatMap(asText);
    for (const child of parent.children) if (isElement(child)) pending.push(child);
  }
}

/** A paragraph of formulas stands around them; readers of the text do not know it. */
function asText(node: ChildNode): ChildNode[] {
  if (!isElement(node)) return [node];
  if (node.name === 'm:oMathPara') return node.children.flatMap(asText);
  if (node.name !== 'm:oMath') return [node];
  const text = formulaText(node);
  return text ? [textRun(text)] : [];
}

/** A formula between dollar signs; empty for one without content. */
export function formulaText(formula: Element): string {
  const text = latexOf(formula).replaceAll(/\s+/g, ' ').trim();
  return text ? ` $${text}$ ` : '';
}

/** LaTeX of an element of Office Math (ECMA-376, 22.1). An unknown element is written as its parts. */
function latexOf(element: Element | undefined): string {
  if (!element) return '';
  const part = (name: string) => latexOf(childOf(element, name));
  switch (element.name) {
    case 'm:t':
      return DomUtils.textContent(element);
    case 'm:f':
      return `\\frac{${part('m:num')}}{${part('m:den')}}`;
    case 'm:sSup':
      return `${part('m:e')}^{${part('m:sup')}}`;
    case 'm:sSub':
      return `${part('m:e')}_{${part('m:sub')}}`;
    case 'm:sSubSup':
      return `${part('m:e')}_{${part('m:sub')}}^{${part('m:sup')}}`;
    case 'm:rad': {
      const degree = part('m:deg');
      return `\\sqrt${degree ? `[${degree}]` : ''}{${part('m:e')}}`;
    }
    case 'm:nary':
      return `${property(element, 'm:naryPr', 'm:chr') ?? '∫'}${limit('_', part('m:sub'))}${limit('^', part('m:sup'))}{${part('m:e')}}`;
    case 'm:d':
      return delimited(element);
    case 'm:func':
      return `${part('m:fName')} ${part('m:e')}`;
    case 'm:m':
      return element.children
        .filter(isElement)
        .filter(({ name }) => name === 'm:mr')
        .map(cells)
        .join(' \\\\ ');
    default:
      return element.children.filter(isElement).map(latexOf).join('');
  }
}

const limit = (mark: string, text: string): string => (text ? `${mark}{${text}}` : '');

const cells = (row: Element): string => row.children.filter(isElement).map(latexOf).join(' & ');

function delimited(element: Element): string {
  const inner = element.children
    .filter(isElement)
    .filter(({ name }) => name === 'm:e')
    .map(latexOf);
  const open = property(element, 'm:dPr', 'm:begChr') ?? '(';
  const close = property(element, 'm:dPr', 'm:endChr') ?? ')';
  return `${open}${inner.join(property(element, 'm:dPr', 'm:sepChr') ?? '|')}${close}`;
}

const property = (element: Element, properties: string, name: string): string | undefined =>
  childOf(childOf(element, properties), name)?.attribs['m:val'];
