import { type BookType, utils, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import { read as readInChild } from '../child/read.ts';
import { createFiles } from '../reading.fixture.ts';
import { rowsOf } from './table.ts';

const { put, read } = createFiles();

const quoted = (cell: unknown) => `"${String(cell).replaceAll('"', '""')}"`;

/** A table in the format that its name says, in a sheet named Stock if it has any. */
const tableIn = (format: string, rows: unknown[][]) => {
  if (format === 'csv') return rows.map((row) => row.map(quoted).join(',')).join('\n');
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'Stock');
  const bookType = format === 'xls' ? 'biff8' : (format as BookType);
  return write(book, { type: 'buffer', bookType }) as Buffer;
};

it.each(['csv', 'xlsx', 'xls', 'ods'])('has its cells by its text: %s', async (format) => {
  const rows = [
    ['Name', ' two\r\nlines ', 'a\tb'],
    ['', '', ''],
    ['', 'says "hi"\u2028; often', ''],
    ['x'],
  ];
  const { pages } = await read(`a.${format}`, tableIn(format, rows));
  const [page = { n: 1, text: '' }, ...further] = pages;
  expect(further).toEqual([]);
  expect(page.text.slice(0, page.rowsStart)).toBe(format === 'csv' ? '' : 'Stock\n');
  const cells = [...rowsOf(page)];
  const filled = cells.map((row) => row.flatMap(({ text }) => (text === '' ? [] : [text])));
  expect(filled).toEqual([['Name', 'two lines', 'a b'], ['says "hi"\u2028; often'], ['x']]);
  expect(cells[1]?.findIndex(({ text }) => text !== '')).toBe(1);
  for (const { text, start, end } of cells.flat()) expect(page.text.slice(start, end)).toBe(text);
});

describe('a wide table', () => {
  it.each(['csv', 'xlsx'])('loses no row: %s', async (format) => {
    const days = Array.from({ length: 366 }, (_, day) => day);
    const rows = Array.from({ length: 450 }, (_, at) => days.map((day) => `${at}/${day}`));
    const { pages, truncated } = await read(`a.${format}`, tableIn(format, rows));
    expect(truncated).toBe(false);
    const lines = pages.flatMap((page) => page.text.slice(page.rowsStart).trimEnd().split('\n'));
    expect(lines).toEqual(rows.map((row) => row.join('\t')));
    for (const { text, rowsStart } of pages) {
      expect(text.slice(0, rowsStart)).toBe(format === 'csv' ? '' : 'Stock\n');
      expect(text.length).toBeLessThanOrEqual(50_010);
    }
  });

  it('has a page for each row that is longer than a page, and only a giant row is cut', async () => {
    const rows = [['first'], ['long '.repeat(20_000)], ['x'.repeat(500_000)], ['last']];
    const { pages, truncated } = await read('a.csv', tableIn('csv', rows));
    expect(truncated).toBe(true);
    expect(pages.map(({ text }) => text.length)).toEqual([6, 100_000, 400_000, 5]);
  });
});

it('sends of a table little more than its text, however many cells are empty', async () => {
  const csv = `x${','.repeat(499)}\n`.repeat(1_000);
  const file = await put('a.csv', csv);
  const sent: number[] = [];
  await readInChild({ ...file }, (message) => sent.push(JSON.stringify(message).length));
  // A tab is two characters of JSON.
  expect(sent.reduce((sum, length) => sum + length)).toBeLessThan(3 * csv.length);
  expect(Math.max(...sent)).toBeLessThan(200_000);
});

it('has the first 16,384 cells of each row of CSV, and says so when more of them have text', async () => {
  const cells = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`);
  const file = await read('a.csv', tableIn('csv', [cells(16_390), cells(16_384)]));
  expect(file.truncated).toBe(true);
  const line = cells(16_384).join('\t');
  expect(file.pages.map(({ text }) => text)).toEqual([`${line}\n`, `${line}\n`]);
  const empty = await read('b.csv', `a,b${','.repeat(17_000)}\n`);
  expect(empty.truncated).toBe(false);
});
