import { readFile } from 'node:fs/promises';
import { type CellObject, read, type WorkBook, type WorkSheet } from '@e965/xlsx';
import { UnreadableFileError } from '../port.ts';
import { checkZip } from './check-zip.ts';
import type { Extract } from './format.ts';
import { rejectEncryptedOdf } from './odf/read.ts';
import { readParts } from './parts.ts';
import { tablePages } from './table.ts';

/** Maximum number of rows per sheet; further rows are left out. */
const MAX_SHEET_ROWS = 50_000;
/** Maximum number of cells per row; a sheet may declare 16,384 of them for each row. */
const MAX_ROW_CELLS = 500;

/** Spreadsheets: each sheet begins a page, whose first line is the sheet's name. */
export const readXlsx: Extract = async function* (file, options) {
  await checkZip(file.path);
  yield* readXls(file, options);
};

/** Spreadsheets of OpenDocument. */
export const readOds: Extract = async function* (file, options) {
  await checkZip(file.path);
  rejectEncryptedOdf(await readParts(file.path));
  yield* readXls(file, options);
};

/** Workbooks of Excel 97 to 2003, read as the newer ones are. */
export const readXls: Extract = async function* (file, { progress, truncate }) {
  const book = readBook(await readFile(file.path));
  let done = 0;
  for (const name of book.SheetNames) {
    const sheet = book.Sheets[name];
    if (sheet) yield* tablePages(rowsOf(sheet, truncate), name);
    done += 1;
    progress(done, book.SheetNames.length);
  }
};

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

function* rowsOf(sheet: WorkSheet, truncate: () => void): Generator<string[]> {
  if (sheet['!fullref'] !== undefined && sheet['!fullref'] !== sheet['!ref']) truncate();
  const data: (CellObject | undefined)[][] = sheet['!data'] ?? [];
  for (const cells of data) {
    // Missing rows and cells of a sheet are holes in the array.
    if (!cells) continue;
    if (cells.length > MAX_ROW_CELLS) truncate();
    yield Array.from(cells.slice(0, MAX_ROW_CELLS), (cell) => cell?.w ?? String(cell?.v ?? ''));
  }
}
