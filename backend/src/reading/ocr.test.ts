import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { testFileReader } from '../../test/file-reader.ts';
import { makeScan, printedPage } from '../../test/scans.ts';
import { checkLanguages } from './languages.ts';
import { createFiles } from './reading.fixture.ts';

const { reader, put } = createFiles();

type Place = Awaited<ReturnType<typeof put>>;

/** What is recognised on a page, with what it has as text when `withText` is set. */
const textOf = (file: Place, n = 1, withText = true) =>
  reader.recognisePage({ ...file, n, withText });

it('recognises English and German text of scanned pages and of images', async () => {
  const english = await printedPage('The rent is 1200 euros');
  const german = await printedPage('Die Miete für größere Räume\nbeträgt über 1200 Euro');
  const pdf = await put('scan.pdf', await makeScan([english, german]));
  const image = await put('scan.png', english);
  const read = await reader.read(pdf);
  expect(read.pages).toMatchObject([
    { text: '', unread: 'picture' },
    { text: '', unread: 'picture' },
  ]);
  expect(read.unread).toEqual([{ kind: 'picture', count: 2, pages: [1, 2] }]);
  expect((await reader.read(image)).pages).toMatchObject([{ text: '', unread: 'picture' }]);
  expect(await textOf(pdf, 1)).toBe('The rent is 1200 euros');
  expect(await textOf(pdf, 2)).toBe('Die Miete für größere Räume\nbeträgt über 1200 Euro');
  expect(await textOf(image)).toBe('The rent is 1200 euros');
});

it('recognises at most 4 in 100 words of a German page wrongly', async () => {
  const text = await readFile(new URL('german-page.fixture.txt', import.meta.url), 'utf8');
  const file = await put(
    'seite.pdf',
    await makeScan([await printedPage(text, { size: 11, height: 842 })]),
  );
  const [expected, found] = [wordsOf(text), wordsOf(await textOf(file))];
  expect(expected.length).toBeGreaterThan(150);
  expect(distance(expected, found) / expected.length).toBeLessThanOrEqual(0.04);
});

it('recognises a scan that has a stamp as text, without the stamp', async () => {
  const pdf = await makeScan([await printedPage('The rent is 1200 euros')], 'Received 2026-11-24');
  const file = await put('stamp.pdf', pdf);
  const read = await reader.read(file);
  expect(read.pages).toMatchObject([{ text: 'Received 2026-11-24', unread: 'picture' }]);
  expect(await textOf(file, 1, false)).toBe('The rent is 1200 euros');
});

it('recognises the pages of a TIFF, also turned ones, and no text in noise', async () => {
  const upright = await sharp(await printedPage('The rent is 1200 euros\nfor each month'))
    .png()
    .toBuffer();
  const turned = await sharp(upright).rotate(180).png().toBuffer();
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const { width, height } = await sharp(upright).metadata();
  // Noise takes the longest, so there is little of it.
  const grain = sharp({
    create: { width: 400, height: 80, channels: 3, background: '#888', noise },
  });
  const noisy = await sharp({ create: { width, height, channels: 3, background: '#fff' } })
    .composite([{ input: await grain.png().toBuffer() }])
    .png()
    .toBuffer();
  const tiff = await sharp([upright, turned, noisy], { join: { animated: true } })
    .tiff()
    .toBuffer();
  const file = await put('fax.tiff', tiff);
  const text = 'The rent is 1200 euros\nfor each month';
  expect((await reader.read(file)).unread).toEqual([
    { kind: 'picture', count: 3, pages: [1, 2, 3] },
  ]);
  expect([await textOf(file, 1), await textOf(file, 2), await textOf(file, 3)]).toEqual([
    text,
    text,
    '',
  ]);
  expect(
    await sharp(await reader.renderPage({ ...file, n: 3, width: 300 })).metadata(),
  ).toMatchObject({ format: 'webp', width: 300 });
  await expect(reader.renderPage({ ...file, n: 4, width: 300 })).rejects.toMatchObject({
    code: 'damaged',
  });
});

it('recognises pages that are turned by 90 and 270 degrees', async () => {
  const upright = await printedPage('The rent is 1200 euros\nfor each month');
  for (const angle of [90, 270]) {
    const turned = await sharp(upright).rotate(angle).png().toBuffer();
    expect(await textOf(await put(`${angle}.png`, turned))).toBe(
      'The rent is 1200 euros\nfor each month',
    );
  }
});

it('recognises nothing in a file without pictures of pages', async () => {
  const file = await put('notes.txt', Buffer.from('The rent is 1200 euros'));
  await expect(textOf(file)).rejects.toMatchObject({ code: 'unsupported' });
});

it('names the package of a language whose data is not installed', () => {
  expect(() => checkLanguages(['deu', 'eng'])).not.toThrow();
  expect(() => checkLanguages(['deu', 'tlh'])).toThrow(
    /OCR_LANGUAGES.*npm install -w backend @tesseract\.js-data\/tlh"/,
  );
});

it('recognises the configured languages only', async () => {
  const german = await put('de.png', await printedPage('Die Miete für größere Räume'));
  const english = testFileReader({ languages: ['eng'] });
  expect(await english.recognisePage({ ...german, n: 1, withText: true })).not.toContain('größere');
});

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);

/** The least number of words to change, to add or to leave out. */
function distance(from: readonly string[], to: readonly string[]): number {
  let row = to.map((_, at) => at + 1);
  for (const [at, word] of from.entries()) {
    let [diagonal, left] = [at, at + 1];
    row = row.map((above, i) => {
      const best = Math.min(above + 1, left + 1, diagonal + (to[i] === word ? 0 : 1));
      [diagonal, left] = [above, best];
      return best;
    });
  }
  return row.at(-1) ?? from.length;
}
