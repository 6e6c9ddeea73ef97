import { PDFDocument, StandardFonts } from 'pdf-lib';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { testFileReader } from '../../test/file-reader.ts';
import type { ReadFile } from './port.ts';
import { createFiles } from './reading.fixture.ts';

const { reader, put } = createFiles();
const recognising = testFileReader({ ocr: true });

/** A page of large print  drawn by the reader itself, so that no font of this machine is needed. */
async function printed(text: string): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  document.addPage([595, 300]).drawText(text, { x: 40, y: 200, font, size: 20, lineHeight: 30 });
  const file = await put('print.pdf', await document.save());
  const picture = await reader.renderPage({ ...file, n: 1, width: 1_240 });
  return sharp(picture).png().toBuffer();
}

/** A PDF with a picture on each page, and a line of text above it when there is one. */
async function scanned(pictures: Buffer[], stamp = ''): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const picture of pictures) {
    const page = document.addPage([595, 320]);
    page.drawImage(await document.embedPng(picture), { x: 0, y: 0, width: 595, height: 300 });
    if (stamp) page.drawText(stamp, { x: 40, y: 306, font, size: 9 });
  }
  return document.save();
}

const textsOf = ({ pages }: ReadFile) => pages.map(({ text }) => text);

it('recognises English and German text of scanned pages and of images, if the operator wants it', async () => {
  const english = await printed('The rent is 1200 euros');
  const german = await printed('Die Miete für größere Räume\nbeträgt über 1200 Euro');
  const pdf = await put('scan.pdf', await scanned([english, german]));
  const image = await put('scan.png', english);

  const unread = { kind: 'picture', count: 2, pages: [1, 2] };
  expect(await reader.read(pdf)).toMatchObject({
    pages: [{ text: '' }, { text: '' }],
    unread: [unread],
  });
  expect(textsOf(await reader.read(image))).toEqual(['']);
  const recognised = await recognising.read(pdf);
  expect(textsOf(recognised)).toEqual([
    'The rent is 1200 euros',
    'Die Miete für größere Räume\nbeträgt über 1200 Euro',
  ]);
  expect(recognised.unread).toBeUndefined();
  expect(textsOf(await recognising.read(image))).toEqual(['The rent is 1200 euros']);
}, 300_000);

it('recognises a scan that has a stamp as text, and keeps the stamp', async () => {
  const pdf = await scanned([await printed('The rent is 1200 euros')], 'Received 2026-11-24');
  const file = await put('stamp.pdf', pdf);
  expect(textsOf(await reader.read(file))).toEqual(['Received 2026-11-24']);
  expect((await reader.read(file)).unread).toEqual([{ kind: 'picture', count: 1, pages: [1] }]);
  expect(textsOf(await recognising.read(file))).toEqual([
    'Received 2026-11-24\nThe rent is 1200 euros',
  ]);
}, 300_000);

it('recognises the pages of a TIFF, also turned ones, and no text in noise', async () => {
  const upright = await sharp(await printed('The rent is 1200 euros\nfor each month'))
    .png()
    .toBuffer();
  const turned = await sharp(upright).rotate(180).png().toBuffer();
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const { width, height } = await sharp(upright).metadata();
  const grain = await sharp({ create: { width, height, channels: 3, background: '#888', noise } })
    .png()
    .toBuffer();
  const tiff = await sharp([upright, turned, grain], { join: { animated: true } })
    .tiff()
    .toBuffer();
  const file = await put('fax.tiff', tiff);
  const text = 'The rent is 1200 euros\nfor each month';
  const read = await recognising.read(file);
  expect(textsOf(read)).toEqual([text, text, '']);
  expect(read.unread).toEqual([{ kind: 'no_text', count: 1, pages: [3] }]);
  expect(
    await sharp(await reader.renderPage({ ...file, n: 3, width: 300 })).metadata(),
  ).toMatchObject({ format: 'webp', width: 300 });
  await expect(reader.renderPage({ ...file, n: 4, width: 300 })).rejects.toMatchObject({
    code: 'damaged',
  });
}, 300_000);
