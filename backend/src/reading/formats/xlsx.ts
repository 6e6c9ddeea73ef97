import { readFile } from 'node:fs/promises';
import { type CellObject, read, utils, type WorkBook, type WorkSheet } from '@e965/xlsx';
import type { Document } from 'domhandler';
import type { UnreadKind } from '../../contract/files.ts';
import { UnreadableFileError } from '../port.ts';
import { paragraphsOf } from './charts.ts';
import { checkZip } from './check-zip.ts';
import type { Extract, PageDraft } from './format.ts';
import { rejectEncryptedOdf } from './odf/read.ts';
import {
  elementsOf,
  type Parts,
  parseXml,
  partOf,
  readParts,
  relationsOf,
  zipParts,
} from './parts.ts';
import { tablePages } from './table.ts';

/** Maximum number of rows per sheet; further rows are left out. */
const MAX_SHEET_ROWS = 50_000;
/** Maximum number of cells per row; a sheet may declare 16,384 of them for each row. */
const MAX_ROW_CELLS = 500;

/** Spreadsheets: each sheet begins a page, whose first line is the sheet's name; then its text boxes and comments. */
export const readXlsx: Extract = async function* (file, options) {
  await checkZip(file.path);
  const { bytes, onSheets } = await openXlsx(file.path);
  yield* readSheets(bytes, options, onSheets);
};

/** Spreadsheets of OpenDocument. */
export const readOds: Extract = async function* (file, options) {
  await checkZip(file.path);
  rejectEncryptedOdf(await readParts(file.path));
  yield* readXls(file, options);
};

/** Workbooks of Excel 97 to 2003, read as the newer ones are. */
export const readXls: Extract = async function* (file, options) {
  yield* readSheets(await readFile(file.path), options);
};

function* readSheets(
  bytes: Buffer,
  { progress, truncate }: Parameters<Extract>[1],
  onSheets?: Map<string, DrawnOnSheet>,
): Generator<PageDraft> {
  const book = readBook(bytes);
  let done = 0;
  for (const name of book.SheetNames) {
    const sheet = book.Sheets[name];
    const { texts = [], unread } = onSheets?.get(name) ?? {};
    const beside = [...texts, ...(sheet ? commentsOf(sheet) : [])].map((text) => [text]);
    const pages = sheet ? [...tablePages(rowsOf(sheet, truncate), name)] : [];
    pages.push(...tablePages(beside, `${name}: text boxes and comments`));
    const [first = { text: `${name}\n` }, ...further] = pages;
    if (pages.length > 0 || unread) yield unread ? { ...first, unread } : first;
    yield* further;
    done += 1;
    progress(done, book.SheetNames.length);
  }
}

function readBook(bytes: Buffer): WorkBook {
  try {
    return read(bytes, {
      dense: true,
      cellFormula: false,
      cellHTML: false,
      // Excel's own short date depends on the reader's country; this one is unambiguous.
      dateNF: 'yyyy-mm-dd',
      sheetRows: MAX_SHEET_ROWS,
    });
  } catch (error) {
    if (/password/i.test(String(error))) throw new UnreadableFileError('encrypted');
    throw error;
  }
}

/** A cell with a formula whose result no program has stored. */
const WITHOUT_RESULT =
  /<c(?![^<>]*\st=)((?:\s[^<>]*)?)>\s*<f\b[^<>]*>([^<]*)<\/f>(?:\s*<v(?:\s*\/>|>\s*<\/v>))?\s*<\/c>/g;

/** The bytes of a workbook, with formulas in place of results that are not stored, and what lies on its sheets. */
async function openXlsx(path: string) {
  const parts = await readParts(path);
  let isChanged = false;
  for (const [name, content] of parts) {
    if (!/^xl\/worksheets\/[^/]+\.xml$/.test(name)) continue;
    const xml = content.toString();
    const written = xml.replaceAll(WITHOUT_RESULT, '<c$1 t="str"><v>=$2</v></c>');
    if (written === xml) continue;
    isChanged = true;
    parts.set(name, Buffer.from(written));
  }
  return {
    bytes: isChanged ? await zipParts(parts) : await readFile(path),
    onSheets: drawnOn(parts),
  };
}

/** What lies on a sheet besides its cells. Charts show the values of cells. */
interface DrawnOnSheet {
  texts: string[];
  unread?: UnreadKind;
}

function drawnOn(parts: Parts): Map<string, DrawnOnSheet> {
  // Sheets may name the same drawing.
  const read = new Map<string, Document>();
  const drawingOf = (name: string) => {
    const drawing = read.get(name) ?? partOf(parts, name);
    read.set(name, drawing);
    return drawing;
  };
  const sheets = relationsOf(parts, 'xl/workbook.xml');
  return new Map(
    elementsOf(parseXml(parts.get('xl/workbook.xml')), 'sheet').map(({ attribs }) => {
      const sheet = sheets.get(attribs['r:id'] ?? '') ?? '';
      const targets = [...relationsOf(parts, sheet).values()];
      const drawingNames = targets.filter((target) => target.startsWith('xl/drawings/'));
      const diagramNames = drawingNames
        .flatMap((name) => [...relationsOf(parts, name).values()])
        .filter((target) => target.startsWith('xl/diagrams/data'));
      const drawings = [...drawingNames, ...diagramNames].map(drawingOf);
      const hasPicture = drawings.some((drawing) => elementsOf(drawing, 'xdr:pic').length > 0);
      const hasObject = targets.some((target) => target.startsWith('xl/embeddings/'));
      const unread = hasObject ? 'object' : hasPicture ? 'image' : undefined;
      return [
        attribs.name ?? '',
        { texts: drawings.flatMap(paragraphsOf), ...(unread && { unread }) },
      ];
    }),
  );
}

/** The comments of a sheet with their cells. */
function* commentsOf(sheet: WorkSheet): Generator<string> {
  for (const [row, cells] of dataOf(sheet).entries())
    for (const [column, cell] of (cells ?? []).slice(0, MAX_ROW_CELLS).entries())
      for (const { a: author, t: text } of cell?.c ?? [])
        yield `${utils.encode_cell({ r: row, c: column })}${author ? ` (${author})` : ''}: ${text ?? ''}`;
}

/** The rows of a sheet. Missing rows and cells are holes in the array. */
const dataOf = (sheet: WorkSheet): ((CellObject | undefined)[] | undefined)[] =>
  sheet['!data'] ?? [];

function* rowsOf(sheet: WorkSheet, truncate: () => void): Generator<string[]> {
  if (sheet['!fullref'] !== undefined && sheet['!fullref'] !== sheet['!ref']) truncate();
  for (const cells of dataOf(sheet)) {
    if (!cells) continue;
    if (cells.length > MAX_ROW_CELLS) truncate();
    yield Array.from(cells.slice(0, MAX_ROW_CELLS), (cell) => cell?.w ?? String(cell?.v ?? ''));
  }
}
