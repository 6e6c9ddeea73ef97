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
import { useFiles } from './reading.fixture.ts';

const { read } = useFiles();
const refuses = async (name: string, bytes: Uint8Array | string, code: string) =>
  expect(read(name, bytes)).rejects.toMatchObject({ name: 'UnreadableFileError', code });

describe('files without text', () => {
  it('refuses an empty file and a text of white space', async () => {
    await refuses('a.txt', '', 'empty');
    await refuses('a.pdf', '', 'empty');
    await refuses('b.txt', ' \n\t\n', 'empty');
    await refuses('c.csv', '\n\n', 'empty');
  });

  it('refuses a PDF with 10,000 pages without text', async () => {
    const { PDFDocument } = await import('pdf-lib');
    const document = await PDFDocument.create();
    for (let n = 0; n < 10_000; n += 1) document.addPage();
    await refuses('pages.pdf', await document.save(), 'no_text');
  });

  it('refuses a document without text', async () => {
    await refuses('a.docx', await makeDocx([]), 'no_text');
  });

  it('refuses what it does not know', async () => {
    await refuses('a.zip', await makeZip({ 'a.txt': 'x' }), 'unsupported');
    await refuses('a.bin', Buffer.from([0, 1, 2, 3]), 'unsupported');
  });
});

describe('broken files', () => {
  it('refuses truncated files', async () => {
    const docx = await makeDocx(['Some text that is cut']);
    await refuses('a.docx', docx.subarray(0, docx.length - 40), 'damaged');
    const xlsx = await makeXlsx({ A: [['x']] });
    await refuses('a.xlsx', xlsx.subarray(0, xlsx.length / 2), 'damaged');
    await refuses('a.pdf', Buffer.from('%PDF-1.7\n1 0 obj\n<<'), 'damaged');
  });

  it('refuses bytes that are not what the name says', async () => {
    await refuses('a.pdf', Buffer.from([0, 1, 2, 3, 255]), 'damaged');
    await refuses('a.docx', Buffer.from('PK\u0003\u0004 and nothing more', 'latin1'), 'damaged');
  });

  it('refuses an archive without the parts of its format', async () => {
    await refuses('a.docx', await makeZip({ 'word/other.xml': '<a/>' }), 'damaged');
    await refuses('a.pptx', await makeZip({ 'ppt/other.xml': '<a/>' }), 'damaged');
  });
});

describe('protected files', () => {
  it('refuses an encrypted PDF', async () => {
    await refuses('a.pdf', await encryptPdf(), 'encrypted');
  });

  it('refuses an encrypted Office document', async () => {
    const compound = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(1_000),
      Buffer.from('EncryptedPackage', 'utf16le'),
      Buffer.alloc(1_000),
    ]);
    await refuses('a.docx', compound, 'encrypted');
    await refuses('b.xlsx', compound, 'encrypted');
  });
});

describe('archives that unpack to more than they may', () => {
  it('refuses an archive that declares too many bytes', async () => {
    await refuses('bomb.docx', await makeZipBomb({ unpackedMb: 150 }), 'too_complex');
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
    await refuses('overlap.docx', overlapEntries(await makeDocx(['x'], parts)), 'too_complex');
  });

  it('refuses too many entries', async () => {
    const parts = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`p/${at}`, '']));
    await refuses('many.pptx', await makeZip(parts), 'too_complex');
  });

  it('refuses names that leave the archive', async () => {
    const pptx = await makePptx([{ text: 'x' }]);
    const name = 'ppt/presentation.xml';
    const hostile = Buffer.from(
      pptx.toString('latin1').replaceAll(name, `../../..${name.slice('ppt/pres'.length)}`),
      'latin1',
    );
    await refuses('names.pptx', hostile, 'damaged');
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

  it('refuses markup that is nested too deep', async () => {
    await refuses('deep.html', '<div>'.repeat(20_000), 'too_complex');
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
