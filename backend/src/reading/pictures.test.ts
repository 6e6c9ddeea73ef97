import { readFileSync } from 'node:fs';
import path from 'node:path';
import { degrees, PDFDocument, StandardFonts } from 'pdf-lib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { makePdf } from '../../test/documents.ts';
import { testFileReader } from '../../test/file-reader.ts';
import { createFiles, darkness } from './reading.fixture.ts';

// On a slow machine the largest picture takes longer than a user waits for one.
const { reader, put, read } = createFiles(testFileReader({ timeoutMs: 300_000 }));

const photo = ({ width, height }: { width: number; height: number }) =>
  sharp({ create: { width, height, channels: 3, background: 'navy' } });

describe('pages as pictures', () => {
  it('draws a page of a PDF as WebP of the wanted width', async () => {
    const file = await put('a.pdf', await makePdf({ pages: ['One', 'Two'] }));
    const picture = await reader.renderPage({ ...file, n: 2, width: 600 });
    expect(await sharp(picture).metadata()).toMatchObject({
      format: 'webp',
      width: 600,
      height: 849,
    });
  });

  it('draws nothing wider than 2,000 pixels', async () => {
    const file = await put('a.pdf', await makePdf({ pages: ['One'] }));
    const picture = await reader.renderPage({ ...file, n: 1, width: 90_000 });
    expect((await sharp(picture).metadata()).width).toBe(2_000);
  });

  it('refuses a page that does not exist', async () => {
    const file = await put('a.pdf', await makePdf({ pages: ['One'] }));
    await expect(reader.renderPage({ ...file, n: 2, width: 100 })).rejects.toMatchObject({
      code: 'damaged',
    });
  });

  it('shows images upright and without metadata', async () => {
    const turned = await photo({ width: 300, height: 200 })
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const file = await put('a.jpg', turned);
    const { pages, kind, type } = await reader.read(file);
    expect({ kind, type }).toEqual({ kind: 'image', type: 'image/jpeg' });
    expect(pages).toEqual([
      { n: 1, text: '', picture: { width: 200, height: 300 }, unread: 'picture' },
    ]);
    const picture = await reader.renderPage({ ...file, n: 1, width: 100 });
    const metadata = await sharp(picture).metadata();
    expect(metadata).toMatchObject({ format: 'webp', width: 100, height: 150 });
    expect(metadata.exif).toBeUndefined();
  });

  it('draws the first page while it reads, if a thumbnail is requested', async () => {
    const file = await put('a.pdf', await makePdf({ pages: ['One', 'Two'] }));
    const { pages, thumbnail } = await reader.read({ ...file, thumbnailWidth: 400 });
    expect(pages).toHaveLength(2);
    expect(await sharp(thumbnail).metadata()).toMatchObject({ format: 'webp', width: 400 });
    expect((await reader.read(file)).thumbnail).toBeUndefined();
  });

  it('has no picture of a text', async () => {
    const file = await put('a.txt', 'Words');
    await expect(reader.renderPage({ ...file, n: 1, width: 100 })).rejects.toMatchObject({
      code: 'unsupported',
    });
  });
});

/**
 * A picture of 120 × 80 pixels, left red and right blue, with a phone's metadata for a clockwise rotation. Made for this test by heif-enc
 * of libheif; free of rights.
 */
const HEIC = readFileSync(path.join(import.meta.dirname, '../../test/fixtures/turned.heic'));

describe('HEIC', () => {
  /** The colours at the top and at the bottom of a picture, rounded to 100. */
  const ends = async (picture: Buffer) => {
    const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
    const at = (y: number) => {
      const from = (y * info.width + info.width / 2) * info.channels;
      return [...data.subarray(from, from + 3)].map((value) => Math.round(value / 100) * 100);
    };
    return { top: at(5), bottom: at(info.height - 5) };
  };
  const RED_ABOVE_BLUE = { top: [200, 0, 0], bottom: [0, 0, 200] };

  it('is shown upright and without metadata', async () => {
    const file = await put('photo.heic', HEIC);
    const { type, kind, pages, thumbnail } = await reader.read({ ...file, thumbnailWidth: 400 });
    expect({ type, kind, pages }).toEqual({
      type: 'image/heic',
      kind: 'image',
      pages: [{ n: 1, text: '', picture: { width: 80, height: 120 }, unread: 'picture' }],
    });
    for (const picture of [thumbnail, await reader.renderPage({ ...file, n: 1, width: 400 })]) {
      const { format, width, height, exif } = await sharp(picture).metadata();
      expect({ format, width, height, exif }).toEqual({ format: 'webp', width: 80, height: 120 });
      expect(await ends(picture ?? Buffer.alloc(0))).toEqual(RED_ABOVE_BLUE);
    }
  });

  it('is sent to the model as an upright JPEG', async () => {
    const { type, bytes } = await reader.imageForModel(await put('photo.heic', HEIC));
    expect(type).toBe('image/jpeg');
    expect(bytes.includes('secret place')).toBe(false);
    expect(await ends(bytes)).toEqual(RED_ABOVE_BLUE);
  });

  it('is refused when it is broken', async () => {
    const cut = HEIC.subarray(0, HEIC.length - 200);
    await expect(read('cut.heic', cut)).rejects.toMatchObject({ code: 'damaged' });
    await expect(read('head.heic', HEIC.subarray(0, 300))).rejects.toMatchObject({
      code: 'damaged',
    });
  });

  it('is refused before it is decoded when it has too many pixels', async () => {
    const huge = Buffer.from(HEIC);
    // Its property `ispe` has width and height behind version and flags.
    const at = huge.indexOf('ispe') + 8;
    huge.writeUInt32BE(12_000, at);
    huge.writeUInt32BE(8_000, at + 4);
    await expect(read('huge.heic', huge)).rejects.toMatchObject({ code: 'too_complex' });
  });
});

describe('images for the model', () => {
  it('makes a large photo a JPEG of at most 1,568 pixels without metadata', async () => {
    const large = await photo({ width: 4_000, height: 1_000 })
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .jpeg()
      .toBuffer();
    const { type, bytes } = await reader.imageForModel(await put('b.jpg', large));
    const metadata = await sharp(bytes).metadata();
    expect(type).toBe('image/jpeg');
    expect(metadata).toMatchObject({ format: 'jpeg', width: 1_568, height: 392 });
    expect(metadata.exif).toBeUndefined();
  });

  it('keeps transparency as PNG', async () => {
    const background = { r: 0, g: 0, b: 0, alpha: 0 };
    const clear = sharp({ create: { width: 20, height: 10, channels: 4, background } });
    const { type, bytes } = await reader.imageForModel(
      await put('c.png', await clear.png().toBuffer()),
    );
    expect(type).toBe('image/png');
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 20, height: 10, hasAlpha: true });
  });

  it('refuses an image with too many pixels and a broken one', async () => {
    const huge = await photo({ width: 20_000, height: 12_000 })
      .png({ compressionLevel: 9 })
      .toBuffer();
    await expect(read('huge.png', huge)).rejects.toMatchObject({ code: 'too_complex' });
    const whole = await photo({ width: 400, height: 400 }).jpeg().toBuffer();
    await expect(read('cut.jpg', whole.subarray(0, 400))).rejects.toMatchObject({
      code: 'damaged',
    });
  });

  it('takes no SVG for an image', async () => {
    const file = await put('a.png', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    await expect(reader.imageForModel(file)).rejects.toMatchObject({ code: 'unsupported' });
  });
});

describe('marks', () => {
  const text = 'First line of the page\nThe rent is due on the fif-\nteenth of May\nLast line';

  async function pageOf(name: string, { turned }: { turned: number }) {
    const document = await PDFDocument.create();
    const font = await document.embedFont(StandardFonts.Helvetica);
    const page = document.addPage([595, 842]);
    page.drawText(text, { x: 100, y: 500, font, size: 20, lineHeight: 30 });
    page.setRotation(degrees(turned));
    const file = await put(name, await document.save());
    return { file, read: (await reader.read(file)).pages[0]?.text ?? '' };
  }

  it('cover the words, one rectangle a line, also of a word that is broken', async () => {
    const { file, read } = await pageOf('marks.pdf', { turned: 0 });
    const quote = 'due on the fifteenth of May';
    const start = read.indexOf(quote);
    expect(start).toBeGreaterThan(0);
    const rects = await reader.markPage({
      ...file,
      n: 1,
      text: read,
      start,
      end: start + quote.length,
    });
    expect(rects).toHaveLength(2);
    const picture = await reader.renderPage({ ...file, n: 1, width: 1_000 });
    for (const rect of rects) expect(await darkness(picture, rect)).toBeGreaterThan(0.05);
    expect(
      await reader.markPage({ ...file, n: 1, text: read, start: 0, end: read.length }),
    ).toHaveLength(4);
  });

  it.each([90, 180, 270])('cover the words of a page turned by %i°', async (turned) => {
    const { file, read } = await pageOf(`marks${turned}.pdf`, { turned });
    const start = read.indexOf('Last line');
    const rects = await reader.markPage({ ...file, n: 1, text: read, start, end: start + 9 });
    expect(rects).toHaveLength(1);
    const picture = await reader.renderPage({ ...file, n: 1, width: 1_000 });
    for (const rect of rects) expect(await darkness(picture, rect)).toBeGreaterThan(0.05);
  });

  it('mark exactly the characters between start and end', async () => {
    const file = await put('a.pdf', await makePdf({ pages: ['abc def ghi'] }));
    const [all] = await reader.markPage({ ...file, n: 1, text: 'abc def ghi', start: 0, end: 11 });
    const [middle] = await reader.markPage({
      ...file,
      n: 1,
      text: 'abc def ghi',
      start: 4,
      end: 7,
    });
    expect(middle?.left).toBeGreaterThan(all?.left ?? 1);
    expect((middle?.left ?? 0) + (middle?.width ?? 0)).toBeLessThan(
      (all?.left ?? 0) + (all?.width ?? 0),
    );
    expect(await reader.markPage({ ...file, n: 1, text: 'abc def ghi', start: 5, end: 5 })).toEqual(
      [],
    );
    expect(
      await reader.markPage({ ...file, n: 1, text: 'abc def ghi', start: 500, end: 900 }),
    ).toEqual([]);
  });
});

describe('pictures of character cards', () => {
  it('are redrawn as small PNGs; other formats are refused', async () => {
    const drawn = photo({ width: 900, height: 900 }).withExif({
      IFD0: { Copyright: 'secret place' },
    });
    const picture = await reader.imageForCard(await put('card.png', await drawn.png().toBuffer()));
    expect(await sharp(picture).metadata()).toMatchObject({
      format: 'png',
      width: 400,
      height: 400,
    });
    expect(picture.includes('secret place')).toBe(false);
    const refused = { code: 'unsupported' };
    const jpeg = await put('card.png', await drawn.jpeg().toBuffer());
    await expect(reader.imageForCard(jpeg)).rejects.toMatchObject(refused);
    const svg = await put('card.png', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    await expect(reader.imageForCard(svg)).rejects.toMatchObject(refused);
  });
});
