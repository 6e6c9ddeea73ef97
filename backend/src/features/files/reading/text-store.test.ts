import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ObjectMissingError } from '../../../objects/index.ts';
import { textKey } from '../library/file-record.ts';
import { memoryObjects } from './objects.fixture.ts';
import { createFileTexts } from './text-store.ts';

const FILE = { id: 'f'.repeat(24), ownerId: 'a'.repeat(24) };
const PAGES = [
  { n: 1, text: 'Owls hoot. 🦉' },
  { n: 2, text: 'Birds\nowl\t2\n', rowsStart: 6 },
];

describe('the text of a file', () => {
  it('is stored under its file and read back', async () => {
    const objects = memoryObjects();
    await createFileTexts({ objects }).save(FILE, PAGES);
    expect([...objects.stored.keys()]).toEqual([textKey(FILE)]);
    expect(await createFileTexts({ objects }).pagesOf(FILE)).toEqual(PAGES);
  });

  it('is unchanged when it is long, has no pages, or has line ends of every kind', async () => {
    const objects = memoryObjects();
    const long = Array.from({ length: 30 }, (_, n) => ({
      n: n + 1,
      text: 'Ä\n\r\u2028'.repeat(50_000),
    }));
    for (const pages of [long, []]) {
      await createFileTexts({ objects }).save(FILE, pages);
      expect(await createFileTexts({ objects }).pagesOf(FILE)).toEqual(pages);
    }
  });

  it('is loaded once for all callers, and again after it was stored again', async () => {
    const objects = memoryObjects();
    const texts = createFileTexts({ objects });
    await texts.save(FILE, PAGES);
    await Promise.all([texts.pagesOf(FILE), texts.pagesOf(FILE)]);
    await texts.pagesOf(FILE);
    expect(objects.reads).toBe(1);
    await texts.save(FILE, PAGES.slice(1));
    expect(await texts.pagesOf(FILE)).toEqual(PAGES.slice(1));
  });

  it('that is missing is loaded again', async () => {
    const objects = memoryObjects();
    const texts = createFileTexts({ objects });
    await expect(texts.pagesOf(FILE)).rejects.toBeInstanceOf(ObjectMissingError);
    await createFileTexts({ objects }).save(FILE, PAGES);
    expect(await texts.pagesOf(FILE)).toEqual(PAGES);
    await texts.remove(FILE);
    await expect(texts.pagesOf(FILE)).rejects.toBeInstanceOf(ObjectMissingError);
  });

  it('above the limit of the memory is read from the store each time', async () => {
    const objects = memoryObjects();
    const texts = createFileTexts({ objects, maxBytes: 10 });
    await texts.save(FILE, PAGES);
    await texts.pagesOf(FILE);
    await texts.pagesOf(FILE);
    expect(objects.reads).toBe(2);
  });

  it('of a table from an earlier version, which stored each cell, takes only the memory of its text', async () => {
    const objects = memoryObjects();
    const row = Array.from({ length: 500 }, (_, at) => ({ text: '', start: 6 + at, end: 6 + at }));
    const page = { n: 1, text: `Birds\n${'\t'.repeat(499)}x\n` };
    const stored = `${JSON.stringify({ ...page, rows: [row] })}\n${JSON.stringify({ n: 2, text: 'x' })}\n`;
    objects.stored.set(textKey(FILE), gzipSync(stored));
    const texts = createFileTexts({ objects, maxBytes: 2_000 });
    const pages = [
      { ...page, rowsStart: 6 },
      { n: 2, text: 'x' },
    ];
    expect(await texts.pagesOf(FILE)).toEqual(pages);
    expect(await texts.pagesOf(FILE)).toEqual(pages);
    expect(objects.reads).toBe(1);
  });
});

describe('what is derived from a text', () => {
  it('is computed once by its name, for all callers', async () => {
    const objects = memoryObjects();
    const texts = createFileTexts({ objects });
    await texts.save(FILE, PAGES);
    let computed = 0;
    const count = async (pages: readonly object[]) => {
      computed += 1;
      return pages.length;
    };
    const asked = [texts.derived(FILE, 'count', count), texts.derived(FILE, 'count', count)];
    expect(await Promise.all(asked)).toEqual([2, 2]);
    expect(await texts.derived(FILE, 'first', ([page]) => page?.n)).toBe(1);
    expect([computed, objects.reads]).toEqual([1, 1]);
  });

  it('is computed again after a failure, and after the text was stored again', async () => {
    const objects = memoryObjects();
    const texts = createFileTexts({ objects });
    await texts.save(FILE, PAGES);
    const fail = () => {
      throw new Error('Broken');
    };
    await expect(texts.derived(FILE, 'count', fail)).rejects.toThrow('Broken');
    expect(await texts.derived(FILE, 'count', (pages) => pages.length)).toBe(2);
    await texts.save(FILE, PAGES.slice(1));
    expect(await texts.derived(FILE, 'count', (pages) => pages.length)).toBe(1);
  });

  it('counts as much as the text does', async () => {
    const objects = memoryObjects();
    const texts = createFileTexts({ objects, maxBytes: 600 });
    await texts.save(FILE, PAGES);
    await texts.pagesOf(FILE);
    await texts.derived(FILE, 'count', (pages) => pages.length);
    await texts.pagesOf(FILE);
    expect(objects.reads).toBe(1);
    await texts.derived(FILE, 'first', ([page]) => page?.n);
    await texts.pagesOf(FILE);
    expect(objects.reads).toBe(2);
  });
});
