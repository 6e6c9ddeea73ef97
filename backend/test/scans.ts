// Scans for tests: pages of print as pictures, made by the reader itself, so that no font of this machine is needed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import sharp from 'sharp';
import { testFileReader } from './file-reader.ts';

/** A page of print as a PNG of 1,240 pixels, 150 dpi on A4. Sizes are in points. */
export async function printedPage(text: string, { size = 20, height = 300 } = {}): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const place = { x: 40, y: height - 5 * size, lineHeight: 1.5 * size };
  document.addPage([595, height]).drawText(text, { ...place, font, size });
  const folder = await mkdtemp(path.join(tmpdir(), 'stolas-scan-'));
  const file = { path: path.join(folder, 'print.pdf'), name: 'print.pdf' };
  try {
    await writeFile(file.path, await document.save());
    const picture = await testFileReader().renderPage({ ...file, n: 1, width: 1_240 });
    return await sharp(picture).png().toBuffer();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A PDF with a picture on each page, and a line of text above it when there is one. */
export async function makeScan(pictures: readonly Buffer[], stamp = ''): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const picture of pictures) {
    const image = await document.embedPng(picture);
    const height = (595 * image.height) / image.width;
    const page = document.addPage([595, height + 20]);
    page.drawImage(image, { x: 0, y: 0, width: 595, height });
    if (stamp) page.drawText(stamp, { x: 40, y: height + 6, font, size: 9 });
  }
  return Buffer.from(await document.save());
}
