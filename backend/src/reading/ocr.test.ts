import { PDFDocument, StandardFonts } from 'pdf-lib';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { testFileReader } from '../../test/file-reader.ts';
import { createFiles } from './reading.fixture.ts';

const { reader, put } = createFiles();
const recognising = testFileReader({ ocr: true });

/** A page in large print, drawn by the reader itself, so that no font of the machine is needed. */
async function printed(text: string): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  document.addPage([595, 300]).drawText(text, { x: 40, y: 150, font, size: 30 });
  const file = await put('print.pdf', await document.save());
  const picture = await reader.renderPage({ ...file, n: 1, width: 1_240 });
  return sharp(picture).png().toBuffer();
}

it('recognises the text of scanned pages and of images, if the operator wants it', async () => {
  const png = await printed('The rent is 1200 euros');
  const scan = await PDFDocument.create();
  scan
    .addPage([595, 300])
    .drawImage(await scan.embedPng(png), { x: 0, y: 0, width: 595, height: 300 });
  const pdf = await put('scan.pdf', await scan.save());
  const image = await put('scan.png', png);

  expect((await reader.read(pdf)).pages[0]?.text).toBe('');
  expect((await reader.read(image)).pages[0]?.text).toBe('');
  expect((await recognising.read(pdf)).pages[0]?.text).toBe('The rent is 1200 euros');
  expect((await recognising.read(image)).pages[0]?.text).toBe('The rent is 1200 euros');
}, 120_000);
