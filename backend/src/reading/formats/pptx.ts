import type { Document, Element, ParentNode } from 'domhandler';
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
const PARTS =
  /^ppt\/(?:presentation|(?:slides|notesSlides|comments|charts|diagrams)\/[^/]+)\.xml$|\.rels$/;

/** Presentations of PowerPoint: each slide is a page, with the speaker's notes and the comments below it. */
export const readSlides: Extract = async function* (file) {
  await checkZip(file.path);
  const parts = await readParts(file.path, PARTS);
  if (!parts.has(PRESENTATION)) throw new UnreadableFileError('damaged');
  const targets = relationsOf(parts, PRESENTATION);
  for (const { attribs } of elementsOf(partOf(parts, PRESENTATION), 'p:sldId')) {
    const slide = targets.get(attribs['r:id'] ?? '') ?? '';
    const related = [...relationsOf(parts, slide).values()];
    const notes = related.find((name) => /notesSlide\d/.test(name));
    const comments = related.filter((name) => name.startsWith('ppt/comments/'));
    const lines = [
      ...linesOf(parts, slide),
      ...below('Notes:', notes ? linesOf(parts, notes) : []),
      ...below(
        'Comments:',
        comments.flatMap((name) => commentsOf(partOf(parts, name))),
      ),
    ];
    yield pageOf(lines.join('\n'));
  }
};

const below = (title: string, lines: string[]): string[] =>
  lines.length > 0 ? [title, ...lines] : [];

/** The comments of a slide: newer ones, each before its replies, are paragraphs, older ones only text. */
const commentsOf = (part: Document): string[] => [
  ...elementsOf(part, 'p188:cm').flatMap((comment) => {
    const own = childOf(comment, 'p188:txBody');
    const replies = elementsOf(comment, 'p188:reply');
    return [...(own ? [own] : []), ...replies].flatMap(paragraphsOf);
  }),
  ...elementsOf(part, 'p:text').map((text) => DomUtils.textContent(text)),
];

/** The lines of a slide, in the order of its shapes. */
function linesOf(parts: Parts, name: string): string[] {
  const targets = relationsOf(parts, name);
  const target = (id: string | undefined) => partOf(parts, targets.get(id ?? '') ?? '');

  const shapesOf = (node: ParentNode): string[] => node.children.filter(isElement).flatMap(shape);

  function shape(node: Element): string[] {
    switch (node.name) {
      case 'p:sp':
      case 'p:cxnSp':
        return textLines(node);
      case 'p:pic':
      case 'p:contentPart': {
        const [properties] = elementsOf(node, 'p:cNvPr');
        return [`${properties?.attribs.descr ?? ''}${UNREAD_PICTURE}`];
      }
      case 'p:graphicFrame':
        return frame(node);
      case 'p:grpSp':
        return shapesOf(node);
      case 'mc:AlternateContent': {
        const newer = shapesOf(childOf(node, 'mc:Choice') ?? node);
        return newer.length > 0 ? newer : shapesOf(childOf(node, 'mc:Fallback') ?? node);
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

  return elementsOf(partOf(parts, name), 'p:spTree').slice(0, 1).flatMap(shapesOf);
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
