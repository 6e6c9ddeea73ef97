import { ownEntry } from '../../text/own-entry.ts';
import { UNREAD_PICTURE } from './cut.ts';
import { formatNumber } from './list-numbers.ts';

/** The part of the DOM that Turndown's parser has. */
export interface TableElement {
  parentNode: TableElement | null;
  nodeName: string;
  nodeType: number;
  textContent: string | null;
  childNodes: ArrayLike<TableElement>;
  getAttribute: (name: string) => string | null;
}

/** Maximum columns and rows of a spanning cell; maximum cells of one row. */
const MAX_COLUMN_SPAN = 50;
const MAX_ROW_SPAN = 500;
const MAX_CELLS = 500;
/** Maximum characters of spanning cells that are repeated in one table. */
const MAX_REPEATED = 200_000;

const ELEMENT = 1;
const TEXT = 3;
/** Elements on separate lines of a page; in a cell, spaces separate them. */
const BLOCK =
  /^(?:P|DIV|UL|OL|LI|DL|DT|DD|BR|HR|H[1-6]|PRE|BLOCKQUOTE|SECTION|ARTICLE|HEADER|FOOTER|FIGURE|FIGCAPTION|TR|TD|TH|CAPTION)$/;

/**
 * A table as Markdown, a line for each row. Null for a table that arranges a page: one that contains another table, or has a single
 * cell.
 */
export function markdownTable(table: TableElement): string | null {
  const found = contentsOf(table);
  if (found === null || found.rows.flat().length <= 1) return null;
  const width = found.rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const lines = found.rows.map((row) => `| ${row.map(cellText).join(' | ')} |`);
  // Markdown knows no table without a head.
  lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
  return [...(found.caption ? [found.caption, ''] : []), ...lines].join('\n');
}

const cellText = (text: string): string => text.replaceAll('|', String.raw`\|`);

/** Null when there is a table within the table. */
function contentsOf(table: TableElement): { caption: string; rows: string[][] } | null {
  const rows: string[][] = [];
  const addRow = createRowReader();
  let caption = '';
  const pending = elementsOf(table).toReversed();
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.nodeName === 'TABLE') return null;
    if (node.nodeName === 'CAPTION') caption = plainText(node) ?? '';
    else if (node.nodeName !== 'TR')
      for (const child of elementsOf(node).toReversed()) pending.push(child);
    else {
      const row = addRow(node);
      if (row === null) return null;
      if (row.some((cell) => cell !== '')) rows.push(row);
    }
  }
  return { caption, rows };
}

/** Reads row after row. A cell that spans columns or rows is repeated, so that each row is complete. */
function createRowReader() {
  let spanning: { text: string; rows: number }[] = [];
  let left = MAX_REPEATED;
  const repeated = (text: string): string => {
    left -= text.length;
    return left < 0 ? '' : text;
  };
  return (row: TableElement): string[] | null => {
    const cells: string[] = [];
    const next: typeof spanning = [];
    const addFromAbove = () => {
      for (
        let above = spanning[cells.length];
        above && above.rows > 0;
        above = spanning[cells.length]
      ) {
        next[cells.length] = { ...above, rows: above.rows - 1 };
        cells.push(repeated(above.text));
      }
    };
    for (const cell of elementsOf(row)) {
      addFromAbove();
      const text = plainText(cell);
      if (text === null) return null;
      const columns = spanOf(cell, 'colspan', MAX_COLUMN_SPAN);
      const rows = spanOf(cell, 'rowspan', MAX_ROW_SPAN) - 1;
      for (let n = 0; n < columns && cells.length < MAX_CELLS; n += 1) {
        if (rows > 0) next[cells.length] = { text, rows };
        cells.push(n === 0 ? text : repeated(text));
      }
    }
    addFromAbove();
    spanning = next;
    return cells;
  };
}

const spanOf = (cell: TableElement, name: string, most: number): number =>
  Math.min(Math.max(Number(cell.getAttribute(name)) || 1, 1), most);

const elementsOf = (node: TableElement): TableElement[] =>
  Array.from(node.childNodes).filter(({ nodeType }) => nodeType === ELEMENT);

/** The words below a node on one line. Null when it contains a table. */
function plainText(node: TableElement): string | null {
  const parts: string[] = [];
  const pending = [node];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.nodeName === 'TABLE') return null;
    parts.push(textOf(next));
    for (const child of Array.from(next.childNodes).toReversed()) pending.push(child);
  }
  return parts.join('').replaceAll(/\s+/g, ' ').trim();
}

/** The text that a node adds to a cell. */
function textOf(node: TableElement): string {
  if (node.nodeType === TEXT) return node.textContent ?? '';
  if (node.nodeName === 'IMG') return pictureText(node);
  if (isCheckBox(node)) return checkMark(node);
  if (node.nodeName === 'LI' && node.parentNode) return ` ${itemNumber(node) ?? '-'} `;
  return BLOCK.test(node.nodeName) ? ' ' : '';
}

const NUMBER_FORMATS = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
};
/** The numbers of the items of each list. */
const numbered = new WeakMap<TableElement, Map<TableElement, string>>();

/** What stands before an item of a numbered list, such as '7.' or 'c.'; undefined for any other item. */
export function itemNumber(item: TableElement): string | undefined {
  const list = item.parentNode;
  if (list?.nodeName !== 'OL') return undefined;
  const known = numbered.get(list) ?? numbersOf(list);
  numbered.set(list, known);
  return known.get(item);
}

function numbersOf(list: TableElement): Map<TableElement, string> {
  const items = elementsOf(list).filter(({ nodeName }) => nodeName === 'LI');
  const format = ownEntry(NUMBER_FORMATS, list.getAttribute('type') ?? '') ?? 'decimal';
  const step = list.getAttribute('reversed') === null ? 1 : -1;
  let next = integerOf(list, 'start') ?? (step === 1 ? 1 : items.length);
  const numbers = new Map<TableElement, string>();
  for (const item of items) {
    const n = integerOf(item, 'value') ?? next;
    numbers.set(item, `${formatNumber(n, format)}.`);
    next = n + step;
  }
  return numbers;
}

function integerOf(node: TableElement, name: string): number | undefined {
  const n = Number.parseInt(node.getAttribute(name) ?? '', 10);
  return Number.isNaN(n) ? undefined : n;
}

type Picture = Pick<TableElement, 'getAttribute'>;

/** Smaller pictures, in CSS pixels, are icons and tracking pixels. */
const MIN_PICTURE_SIZE = 33;

/** The text in place of a picture, with the mark of what is not read. */
export const pictureText = (picture: Picture): string =>
  alternativeText(picture) + (hasContent(picture) ? UNREAD_PICTURE : '');

/** Programs fill in the path of a picture's file, which says nothing. */
function alternativeText(picture: Picture): string {
  const text = picture.getAttribute('alt') ?? '';
  return /^\S{0,500}\.(?:png|jpe?g|gif|bmp|emf|wmf)$/i.test(text) ? '' : text;
}

/** By HTML a picture with an empty alternative is decoration. */
const hasContent = (picture: Picture): boolean =>
  picture.getAttribute('alt') !== '' &&
  ['width', 'height'].every(
    (name) =>
      Number.parseFloat(picture.getAttribute(name) ?? '') >= MIN_PICTURE_SIZE ||
      !picture.getAttribute(name),
  );

export const isCheckBox = (node: Pick<TableElement, 'nodeName' | 'getAttribute'>): boolean =>
  node.nodeName === 'INPUT' && node.getAttribute('type') === 'checkbox';

export const checkMark = (box: Pick<TableElement, 'getAttribute'>): string =>
  box.getAttribute('checked') === null ? '☐ ' : '☒ ';
