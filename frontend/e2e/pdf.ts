import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFileReader } from '../../backend/src/reading/index.ts';
import { makePdf } from '../../backend/test/documents.ts';

/** A PDF whose pages have these texts, in lines of at most 90 characters; Latin letters only. */
export const pdfOf = (pages: readonly string[]): Promise<Buffer> =>
  makePdf({ pages: pages.map((text) => text.replaceAll(/(.{1,90})(?:\s|$)/g, '$1\n')) });

/** The text of a PDF, with the product's own reader of files. */
export async function textOfPdf(data: Buffer): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stolas-print-'));
  const file = path.join(folder, 'printed.pdf');
  await writeFile(file, data);
  const script = path.resolve(import.meta.dirname, '../../backend/dist/read-file.js');
  const reader = createFileReader({ languages: ['eng'], concurrency: 1, script });
  const { pages } = await reader.read({ path: file, name: 'printed.pdf' });
  await rm(folder, { recursive: true });
  return pages
    .map(({ text }) => text)
    .join(' ')
    .replace(/\s+/g, ' ');
}
