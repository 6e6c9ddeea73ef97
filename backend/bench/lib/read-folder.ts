import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type FileReader, UnreadableFileError } from '../../src/reading/index.ts';
import { childCpuSeconds, TICKS, watchMemory } from './processes.ts';
import { atMost, inUnit, printTable, printTitle, printVerdicts } from './report.ts';

/** For the PDFs with so many pages or more: starting a child takes as long as some 40 pages. */
const MIN_LONG_PAGES = 50;
const MIN_PAGES_PER_CPU_SECOND = 143;
const MAX_PDF_MEMORY_MB = 130;

interface Cost {
  pages: number;
  cpuSeconds: number;
}

interface Row extends Cost {
  files: number;
  /** Of its long files. */
  long: Cost;
  memory: number;
  /** Files that are not read, by reason, and files with pages that are not. */
  problems: Map<string, number>;
}

/** Reads every file below a folder, one by one, and prints what became of each type of file. */
export async function readFolder(reader: Pick<FileReader, 'read'>, folder: string): Promise<void> {
  const rows = new Map<string, Row>();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of files.filter((one) => one.isFile())) {
    const file = { path: path.join(entry.parentPath, entry.name), name: entry.name };
    const extension = path.extname(entry.name).slice(1).toLowerCase();
    const row = rows.get(extension) ?? newRow();
    rows.set(extension, row);
    await readInto(row, reader, file);
  }
  printTitle(`files: every file of ${folder}`);
  printTable(
    ['type', 'files', 'pages', 'CPU s', 'pages a CPU s', 'memory', 'not read'],
    [...rows].map(([type, row]) => [
      type,
      row.files,
      row.pages,
      row.cpuSeconds.toFixed(1),
      rateOf(row).toFixed(0),
      `${row.memory} MB`,
      [...row.problems].map(([problem, count]) => `${count} ${problem}`).join(', '),
    ]),
  );
  const pdf = rows.get('pdf');
  if (!pdf) return;
  printVerdicts([
    {
      promise: `pages a CPU second of PDFs with ${MIN_LONG_PAGES} pages or more ≥ ${MIN_PAGES_PER_CPU_SECOND}`,
      measured: `${rateOf(pdf.long).toFixed(0)} of ${pdf.long.pages} pages`,
      kept: pdf.long.pages === 0 || rateOf(pdf.long) >= MIN_PAGES_PER_CPU_SECOND,
    },
    atMost('memory of a child that reads a PDF', pdf.memory, MAX_PDF_MEMORY_MB, inUnit(' MB', 0)),
  ]);
}

const newRow = (): Row => ({
  files: 0,
  pages: 0,
  cpuSeconds: 0,
  long: { pages: 0, cpuSeconds: 0 },
  memory: 0,
  problems: new Map(),
});

const rateOf = ({ pages, cpuSeconds }: Cost): number => pages / Math.max(cpuSeconds, 1 / TICKS);

async function readInto(
  row: Row,
  reader: Pick<FileReader, 'read'>,
  file: { path: string; name: string },
): Promise<void> {
  const note = (problem: string) => row.problems.set(problem, (row.problems.get(problem) ?? 0) + 1);
  const before = childCpuSeconds();
  const stop = watchMemory();
  let read = 0;
  try {
    const { pages, unread = [] } = await reader.read(file);
    read = pages.length;
    for (const { kind } of unread) note(`with ${kind}`);
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    note(error.code);
  }
  row.files += 1;
  const cpuSeconds = childCpuSeconds() - before;
  for (const cost of read >= MIN_LONG_PAGES ? [row, row.long] : [row]) {
    cost.pages += read;
    cost.cpuSeconds += cpuSeconds;
  }
  row.memory = Math.max(row.memory, stop());
}
