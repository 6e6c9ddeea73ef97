import { type Document, Element, Text } from 'domhandler';
import { chartOf, paragraphsOf } from '../charts.ts';
import { UNREAD_OBJECT, UNREAD_PICTURE } from '../cut.ts';
import { childOf, elementsOf } from '../parts.ts';
import { paragraphOf, textRun } from './runs.ts';

/** Charts and diagrams of a document that are read. */
const MAX_OBJECTS = 200;

const DRAWINGS = new Set(['w:drawing', 'w:pict', 'w:object']);
const OBJECTS = new Set(['c:chart', 'cx:chart', 'dgm:relIds', 'o:OLEObject', 'w:control']);
/** Pictures, and drawings that say more than a box or a line. */
const GROUPS = new Set(['wpg:wgp', 'wpc:wpc', 'v:group', 'a:custGeom', 'w14:contentPart']);
const PICTURES = new Set(['pic:pic', 'v:imagedata']);

/**
 * Writes what drawings say below their paragraph: text boxes, the numbers of charts, the texts of diagrams. A mark takes the place of what
 * is not read; pictures that stand alone are left to the reader of the text.
 */
export function writeDrawings(document: Document, partOf: (id: string) => Document): void {
  for (const holder of elementsOf(document, 'mc:AlternateContent')) chooseForm(holder);
  const below = new Map<Element, Element[]>();
  let count = 0;
  for (const drawing of elementsOf(document, (name) => DRAWINGS.has(name))) {
    const paragraph = paragraphOf(drawing);
    const blocks = paragraph ? (below.get(paragraph) ?? []) : [];
    blocks.push(...takeBoxes(drawing));
    const objects = elementsOf(drawing, (name) => OBJECTS.has(name));
    count += objects.length;
    const contents = objects.map((object) => (count > MAX_OBJECTS ? [] : shownBy(object, partOf)));
    blocks.push(...contents.flat());
    if (contents.some((one) => one.length === 0)) becomeMark(drawing, UNREAD_OBJECT);
    else if (elementsOf(drawing, (name) => GROUPS.has(name)).length > 0)
      becomeMark(drawing, UNREAD_PICTURE);
    else if (elementsOf(drawing, (name) => PICTURES.has(name)).length === 0)
      becomeMark(drawing, '');
    if (paragraph) below.set(paragraph, blocks);
  }
  insertBelow(below);
  // A document within the document, as HTML say.
  for (const chunk of elementsOf(document, 'w:altChunk')) {
    chunk.name = 'w:p';
    chunk.children = [textRun(UNREAD_OBJECT)];
  }
}

/** A drawing has a form for newer programs, other content is read in that for older ones. Readers of the text take the latter. */
function chooseForm(holder: Element): void {
  const newer = childOf(holder, 'mc:Choice');
  const older = childOf(holder, 'mc:Fallback');
  const isNewer = newer && (!older || elementsOf(newer, 'w:drawing').length > 0);
  const chosen = isNewer ? newer : older;
  if (chosen) chosen.name = 'mc:Fallback';
  holder.children = chosen ? [chosen] : [];
}

/** Takes the text boxes out of a drawing. */
function takeBoxes(drawing: Element): Element[] {
  const boxes = elementsOf(drawing, 'w:txbxContent');
  for (const { parent } of boxes) if (parent) parent.children = [];
  return boxes;
}

/** What an object shows as paragraphs and tables; none when it cannot be read. */
function shownBy(object: Element, partOf: (id: string) => Document): Element[] {
  const { name, attribs } = object;
  if (name === 'dgm:relIds') return paragraphsOf(partOf(attribs['r:dm'] ?? '')).map(paragraphWith);
  if (name !== 'c:chart') return [];
  const { title, rows } = chartOf(partOf(attribs['r:id'] ?? ''));
  return rows.length > 0 ? [...(title ? [paragraphWith(title)] : []), tableOf(rows)] : [];
}

/** Writes the description of a drawing that is not read, and its mark, in its place. */
function becomeMark(drawing: Element, mark: string): void {
  const [properties] = mark ? elementsOf(drawing, 'wp:docPr') : [];
  drawing.name = 'w:t';
  drawing.attribs = { 'xml:space': 'preserve' };
  drawing.children = [new Text(`${properties?.attribs.descr ?? ''}${mark}`)];
}

/** Inserts blocks below paragraphs. */
function insertBelow(blocks: Map<Element, Element[]>): void {
  for (const parent of new Set([...blocks.keys()].map((paragraph) => paragraph.parent)))
    if (parent)
      parent.children = parent.children.flatMap((child) => [
        child,
        ...(blocks.get(child as Element) ?? []),
      ]);
}

const paragraphWith = (text: string): Element => new Element('w:p', {}, [textRun(text)]);

const tableOf = (rows: string[][]): Element =>
  new Element(
    'w:tbl',
    {},
    rows.map(
      (cells) =>
        new Element(
          'w:tr',
          {},
          cells.map((cell) => new Element('w:tc', {}, [paragraphWith(cell)])),
        ),
    ),
  );
