import { readFile } from 'node:fs/promises';
import { type CellObject, read, SSF, utils, type WorkBook, type WorkSheet } from '@e965/xlsx';
import type { Document } from 'domhandler';
import type { UnreadKind } from '../../contract/files.ts';
import { MAX_ROW_CELLS } from '../limits.ts';
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
import { withKnownFormats } from './xls-formats.ts';

/** Maximum number of rows per sheet; further rows are left out. */
const MAX_SHEET_ROWS = 50_000;
/** Days between the calendars of workbooks, which begin in 1900 or 1904. */
const DAYS_TO_1904 = 1_462;

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
  yield* readSheets(withKnownFormats(await readFile(file.path)), options);
};

function* readSheets(
  bytes: Buffer,
  { progress, truncate }: Parameters<Extract>[1],
  onSheets?: Map<string, DrawnOnSheet>,
): Generator<PageDraft> {
  const book = readBook(bytes);
  const daysBefore = book.Workbook?.WBProps?.date1904 ? DAYS_TO_1904 : 0;
  let done = 0;
  for (const name of book.SheetNames) {
    const sheet = book.Sheets[name];
    const { texts = [], unread } = onSheets?.get(name) ?? {};
    const beside = [...texts, ...(sheet ? commentsOf(sheet) : [])].map((text) => [text]);
    const pages = sheet ? [...tablePages(rowsOf(sheet, { daysBefore, truncate }), name)] : [];
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
      cellNF: true,
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

function* rowsOf(
  sheet: WorkSheet,
  { daysBefore, truncate }: { daysBefore: number; truncate: () => void },
): Generator<string[]> {
  if (sheet['!fullref'] !== undefined && sheet['!fullref'] !== sheet['!ref']) truncate();
  for (const cells of dataOf(sheet)) {
    if (!cells) continue;
    if (cells.length > MAX_ROW_CELLS) truncate();
    yield Array.from(cells.slice(0, MAX_ROW_CELLS), (cell) => textOfCell(cell, daysBefore));
  }
}

/** In formats a slash stands for the separator of the reader's country, on which the order of day and month depends too. */
const SLASHED_DATE = /\b\d{1,2}\/\d{1,2}\/(?:\d{4}|\d{2})\b/;

/** Parts of a format that are no part of a date: texts, colours and languages. */
const NO_DATE_PART = /"[^"]*"|\\.|\[(?![hms])[^[\]]*\]/gi;
const TIME = /^\d{1,2}:\d\d:\d\d$/;
/** A number that the package shortens to six digits, as Excel does in a narrow column. */
const SHORTENED = /^-?\d(?:\.\d{1,5})?E\+\d+$/;
/** A smaller number of days is rather a duration than a date. */
const DAYS_OF_YEAR = 366;

/** The text of a cell, with unambiguous dates. Some of Excel's own formats for dates have no `z`. */
function textOfCell(cell: CellObject | undefined, daysBefore: number): string {
  const { t: type, v: value, w: shown, z } = cell ?? {};
  const text = shown ?? String(value ?? '');
  if (type !== 'n') return text;
  const number = Number(value);
  const format = z === undefined && TIME.test(text) ? 'h:mm:ss' : z?.toString();
  if (SHORTENED.test(text) && !format?.includes('E+')) return String(number);
  if (format !== undefined && !SSF.is_date(format)) return text;
  const write = (as: string, days = number + daysBefore) =>
    utils.format_cell({ t: type, v: days, z: as });
  const parts = format?.replaceAll(NO_DATE_PART, '') ?? '';
  const isTime = /[hs]|\[m/i.test(parts) && !/[dyeb]/i.test(parts);
  // The package writes no number below 0 as a time, and some dates of East Asia as times.
  if (isTime && text === '' && number < 0 && !parts.includes(';;'))
    return `-${write(String(format), -number)}`;
  if (isTime && Number.isInteger(number) && number > DAYS_OF_YEAR && !parts.includes('['))
    return write('yyyy-mm-dd');
  // The package takes the dot in `dd.mm` for one of seconds, and fails.
  const retry = () => write(String(format).replaceAll(/(?<=[dmyh])\./gi, String.raw`\.`));
  const written = shown === undefined && format !== undefined ? retry() || text : text;
  return written.replace(SLASHED_DATE, (date) => write('yyyy-mm-dd') || date);
}
