import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePdf } from '../../test/documents.ts';
import { testFileReader } from '../../test/file-reader.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stolas-reading-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const reader = testFileReader();

async function read(name: string, bytes: Uint8Array | string) {
  const file = path.join(folder, name);
  await writeFile(file, bytes);
  return reader.read({ path: file, name });
}

describe('text formats', () => {
  it('reads plain text as it is, with LF as line ends', async () => {
    const file = await read('notes.txt', 'First line\r\nZweite Zeile: Ä\r\n');
    expect(file).toMatchObject({ type: 'text/plain', kind: 'text', truncated: false });
    expect(file.pages).toEqual([{ n: 1, text: 'First line\nZweite Zeile: Ä\n' }]);
  });
});

describe('PDF', () => {
  it('reads each page and its size', async () => {
    const file = await read('a.pdf', await makePdf({ pages: ['One fact.', '', 'Third page.'] }));
    expect(file).toMatchObject({ type: 'application/pdf', kind: 'pdf' });
    expect(file.pages.map(({ n, text }) => ({ n, text }))).toEqual([
      { n: 1, text: 'One fact.' },
      { n: 2, text: '' },
      { n: 3, text: 'Third page.' },
    ]);
    expect(file.pages[0]?.picture).toEqual({ width: 595, height: 842 });
  });
});
