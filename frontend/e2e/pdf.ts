import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFileReader } from '../../backend/src/reading/index.ts';

/** A PDF whose pages have these texts, one line each 90 characters; Latin letters only. */
export const pdfOf = (pages: readonly string[]): Buffer => documentOf(pages.map(contentOf));

/** A PDF whose pages are drawn like those of a scanner: bars in place of lines of text. */
export const scanOf = (pages: number): Buffer => documentOf(Array(pages).fill(bars()));

const bars = (): string =>
  Array.from({ length: 32 }, (_, line) => {
    const width = line % 8 === 7 ? 180 : 440 + ((line * 37) % 40);
    return `0.35 g 60 ${770 - line * 20} ${width} 7 re f`;
  }).join(' ');

function documentOf(contents: readonly string[]): Buffer {
  const kids = contents.map((_page, i) => `${4 + i * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...contents.flatMap((stream, i) => {
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + i * 2} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const offset = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const start = file.length;
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  file += `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

function contentOf(text: string): string {
  const lines = text.match(/.{1,90}(?:\s|$)/g) ?? [];
  const shown = lines.map((line) => `(${line.trim().replace(/[\\()]/g, '\\$&')}) Tj T*`);
  return `BT /F1 11 Tf 14 TL 60 780 Td ${shown.join(' ')} ET`;
}

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
