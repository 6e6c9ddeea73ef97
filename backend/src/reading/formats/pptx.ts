import type { Element, ParentNode } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import { UnreadableFileError } from '../port.ts';
import { chartOf, paragraphsOf } from './charts.ts';
import { checkZip } from './check-zip.ts';
import { pageOf, UNREAD_OBJECT, UNREAD_PICTURE } from './cut.ts';
import { formulaText } from './docx/formulas.ts';
import type { Extract } from './format.ts';
import { formatNumber } from './list-numbers.ts';
import {
  childOf,
  elementsOf,
  isElement,
  type Parts,
  partOf,
  readParts,
  relationsOf,
} from './parts.ts';

const PRESENTATION = 'ppt/presentation.xml';
const PARTS = /^ppt\/(?:presentation|(?:slides|notesSlides|charts|diagrams)\/[^/]+)\.xml$|\.rels$/;

/** Presentations of PowerPoint: each slide is a page, with the speaker's notes below it. */
export const readSlides: Extract = async function* (file) {
  await checkZip(file.path);
  const parts = await readParts(file.path, PARTS);
  if (!parts.has(PRESENTATION)) throw new UnreadableFileError('damaged');
  const targets = relationsOf(parts, PRESENTATION);
  for (const { attribs } of elementsOf(partOf(parts, PRESENTATION), 'p:sldId')) {
    const slide = targets.get(attribs['r:id'] ?? '') ?? '';
    const notes = [...relationsOf(parts, slide).values()].find((name) => /notesSlide\d/.test(name));
    const spoken = notes ? linesOf(parts, notes) : [];
    const below = spoken.length > 0 ? ['Notes:', ...spoken] : [];
    yield pageOf([...linesOf(parts, slide), ...below].join('\n'));
  }
};

/** The lines of a slide, in the order of its shapes. */
function linesOf(parts: Parts, name: string): string[] {
  const targets = relationsOf(parts, name);
  const target = (id: string | undefined) => partOf(parts, targets.get(id ?? '') ?? '');

  const below = (node: ParentNode): string[] => node.children.filter(isElement).flatMap(shape);

  function shape(node: Element): string[] {
    switch (node.name) {
      case 'p:sp':
      case 'p:cxnSp':
        return textLines(node);
      case 'p:pic':
      case 'p:contentPart':
        return [UNREAD_PICTURE];
      case 'p:graphicFrame':
        return frame(node);
      case 'p:grpSp':
        return below(node);
      case 'mc:AlternateContent': {
        const newer = below(childOf(node, 'mc:Choice') ?? node);
        return newer.length > 0 ? newer : below(childOf(node, 'mc:Fallback') ?? node);
      }
      default:
        return [];
    }
  }

  /** A table, a chart or a diagram; another object is not read. */
  function frame(node: Element): string[] {
    const [table] = elementsOf(node, 'a:tbl');
    if (table) return elementsOf(table, 'a:tr').map(rowText);
    const [chart] = elementsOf(node, 'c:chart');
    const [diagram] = elementsOf(node, 'dgm:relIds');
    const { title = '', rows = [] } = chart ? chartOf(target(chart.attribs['r:id'])) : {};
    const lines = diagram
      ? paragraphsOf(target(diagram.attribs['r:dm']))
      : rows.map((row) => row.join('\t'));
    return lines.length > 0 ? [...(title ? [title] : []), ...lines] : [UNREAD_OBJECT];
  }

  return elementsOf(partOf(parts, name), 'p:spTree').slice(0, 1).flatMap(below);
}

const rowText = (row: Element): string =>
  elementsOf(row, 'a:tc')
    .map((cell) => elementsOf(cell, 'a:p').map(inlineText).join(' ').replaceAll(/\s+/g, ' ').trim())
    .join('\t');

/** The paragraphs of a shape with marks of titles and bullets and with the numbers of lists. */
function textLines(shapeNode: Element): string[] {
  const [placeholder] = elementsOf(shapeNode, 'p:ph');
  const isTitle = /^(?:title|ctrTitle)$/.test(placeholder?.attribs.type ?? '');
  const counts: number[] = [];
  return elementsOf(shapeNode, 'a:p').flatMap((paragraph) => {
    const text = inlineText(paragraph);
    if (text.trim() === '') return [];
    const mark = isTitle ? '# ' : itemMark(childOf(paragraph, 'a:pPr'), counts);
    return [mark ? `${mark}${text.trim()}` : text];
  });
}

/** What stands before an item of a list. `counts` has the last number of each level. */
function itemMark(properties: Element | undefined, counts: number[]): string {
  const level = Math.min(Math.max(Number(properties?.attribs.lvl) || 0, 0), 8);
  const auto = childOf(properties, 'a:buAutoNum');
  counts.length = Math.min(counts.length, auto ? level + 1 : level);
  if (!auto) return ['a:buChar', 'a:buBlip'].some((name) => childOf(properties, name)) ? '- ' : '';
  const { type = '', startAt } = auto.attribs;
  const n = (counts[level] ?? (Number(startAt) || 1) - 1) + 1;
  counts[level] = n;
  const [, letters, letterCase] = /^(alpha|roman)(Lc|Uc)/.exec(type) ?? [];
  const kind = letters === 'alpha' ? 'Letter' : 'Roman';
  const number = formatNumber(
    n,
    letters ? `${letterCase === 'Lc' ? 'lower' : 'upper'}${kind}` : 'decimal',
  );
  if (type.endsWith('ParenBoth')) return `(${number}) `;
  return `${number}${type.endsWith('ParenR') ? ')' : type.endsWith('Period') ? '.' : ''} `;
}

/** The runs, fields, breaks and formulas of a paragraph. */
const inlineText = (paragraph: Element): string =>
  paragraph.children
    .filter(isElement)
    .map((node) => {
      if (node.name === 'a:br') return '\n';
      const formulas = elementsOf(node, 'm:oMath');
      if (node.name === 'm:oMath' || formulas.length > 0)
        return (formulas.length > 0 ? formulas : [node]).map(formulaText).join('');
      return DomUtils.textContent(elementsOf(node, 'a:t'));
    })
    .join('');
