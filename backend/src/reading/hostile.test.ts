import { describe, expect, it } from 'vitest';
import {
  encryptPdf,
  makeDocx,
  makePdf,
  makePptx,
  makeXlsx,
  makeZipBomb,
} from '../../test/documents.ts';
import { declareSize, makeZip, overlapEntries } from '../../test/zip.ts';
import { UnreadableFileError } from './port.ts';
import { createFiles } from './reading.fixture.ts';

const { read } = createFiles();
/** The code with which a file is refused; null when it is read. */
const refusal = (name: string, bytes: Uint8Array | string): Promise<string | null> =>
  read(name, bytes).then(
    () => null,
    (error: unknown) => (error instanceof UnreadableFileError ? error.code : String(error)),
  );

describe('files without text', () => {
  it('refuses an empty file and a text of white space', async () => {
    expect(await refusal('a.txt', '')).toBe('empty');
    expect(await refusal('a.pdf', '')).toBe('empty');
    expect(await refusal('b.txt', ' \n\t\n')).toBe('empty');
    expect(await refusal('c.csv', '\n\n')).toBe('empty');
  });

  it('reads no text from a PDF with 10,000 empty pages', async () => {
    const { PDFDocument } = await import('pdf-lib');
    const document = await PDFDocument.create();
    for (let n = 0; n < 10_000; n += 1) document.addPage();
    const { pages } = await read('pages.pdf', await document.save());
    expect(pages).toHaveLength(10_000);
    expect(pages.every(({ text }) => text === '')).toBe(true);
  });

  it('refuses a document without text', async () => {
    expect(await refusal('a.docx', await makeDocx([]))).toBe('no_text');
  });

  it('refuses an unknown format', async () => {
    expect(await refusal('a.zip', await makeZip({ 'a.txt': 'x' }))).toBe('unsupported');
    expect(await refusal('a.bin', Buffer.from([0, 1, 2, 3]))).toBe('unsupported');
  });
});

describe('broken files', () => {
  it('refuses truncated files', async () => {
    const docx = await makeDocx(['Some text that is cut']);
    expect(await refusal('a.docx', docx.subarray(0, docx.length - 40))).toBe('damaged');
    const xlsx = await makeXlsx({ A: [['x']] });
    expect(await refusal('a.xlsx', xlsx.subarray(0, xlsx.length / 2))).toBe('damaged');
    expect(await refusal('a.pdf', Buffer.from('%PDF-1.7\n1 0 obj\n<<'))).toBe('damaged');
  });

  it('refuses bytes that do not match the name', async () => {
    expect(await refusal('a.pdf', Buffer.from([0, 1, 2, 3, 255]))).toBe('damaged');
    expect(await refusal('a.docx', Buffer.from('PK\u0003\u0004 and nothing more', 'latin1'))).toBe(
      'damaged',
    );
  });

  it('refuses an archive without the parts of its format', async () => {
    expect(await refusal('a.docx', await makeZip({ 'word/other.xml': '<a/>' }))).toBe('damaged');
    expect(await refusal('a.pptx', await makeZip({ 'ppt/other.xml': '<a/>' }))).toBe('damaged');
  });
});

describe('protected files', () => {
  it('refuses an encrypted PDF', async () => {
    expect(await refusal('a.pdf', await encryptPdf())).toBe('encrypted');
  });

  it('refuses an encrypted Office document', async () => {
    const compound = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(1_000),
      Buffer.from('EncryptedPackage', 'utf16le'),
      Buffer.alloc(1_000),
    ]);
    expect(await refusal('a.docx', compound)).toBe('encrypted');
    expect(await refusal('b.xlsx', compound)).toBe('encrypted');
  });
});

describe('archives that unpack to more than they may', () => {
  it('refuses an archive that declares too many bytes', async () => {
    expect(await refusal('bomb.docx', await makeZipBomb({ unpackedMb: 150 }))).toBe('too_complex');
  });

  it('refuses an archive that declares too few bytes', async () => {
    const liar = declareSize(await makeZip(bombParts()), 1_000);
    await expect(read('liar.docx', liar)).rejects.toMatchObject({
      code: expect.stringMatching(/too_complex|damaged/) as string,
    });
  });

  it('refuses entries that share their bytes', async () => {
    const parts = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`word/part${at}.xml`, 'x'.repeat(10_000)]),
    );
    expect(await refusal('overlap.docx', overlapEntries(await makeDocx(['x'], parts)))).toBe(
      'too_complex',
    );
  });

  it('refuses too many entries', async () => {
    const parts = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`p/${at}`, '']));
    expect(await refusal('many.pptx', await makeZip(parts))).toBe('too_complex');
  });

  it('refuses names that leave the archive', async () => {
    const pptx = await makePptx([{ text: 'x' }]);
    const name = 'ppt/presentation.xml';
    const hostile = Buffer.from(
      pptx.toString('latin1').replaceAll(name, `../../..${name.slice('ppt/pres'.length)}`),
      'latin1',
    );
    expect(await refusal('names.pptx', hostile)).toBe('damaged');
  });
});

describe('texts that take too much memory', () => {
  it('refuses entities that multiply', async () => {
    const entities = Array.from(
      { length: 12 },
      (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`,
    ).join('');
    const xml = `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY e0 "lol">${entities}]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&e12;</w:t></w:r></w:p></w:body></w:document>`;
    const docx = await makeDocx([], { 'word/document.xml': xml });
    await expect(read('lol.docx', docx)).rejects.toMatchObject({ name: 'UnreadableFileError' });
  });

  it.each(['<div>', '<b>x', '<table><tr><td>x', '<ul><li>x', '<svg><g>', '<a href="x" title="y">'])(
    'refuses %s that is nested too deep, before it has a tree',
    async (tag) => {
      expect(await refusal('deep.html', tag.repeat(1_000_000))).toBe('too_complex');
    },
  );

  it('refuses it in a mail too', async () => {
    const mail = `From: a@b.c\r\nContent-Type: text/html\r\n\r\n${'<b>x'.repeat(1_000_000)}`;
    expect(await refusal('deep.eml', mail)).toBe('too_complex');
  });

  it('reads markup that is long and not deep, void and unclosed elements included', async () => {
    const { pages } = await read('flat.html', '<p>An owl<br>hoots<img>'.repeat(2_000));
    expect(pages.map(({ text }) => text).join('')).toContain('An owl');
  });
});

it('reads a PDF with 500 pages', async () => {
  const pages = Array.from({ length: 500 }, (_, at) => `Fact ${at + 1}`);
  const file = await read('long.pdf', await makePdf({ pages }));
  expect(file.pages.map(({ text }) => text)).toEqual(pages);
});

const bombParts = () => ({
  '[Content_Types].xml': '<Types/>',
  'word/document.xml': Buffer.alloc(300 * 1024 * 1024, ' '),
});
