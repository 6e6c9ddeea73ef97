import { describe, expect, it } from 'vitest';
import {
  makeDocx,
  makeEpub,
  makeOdt,
  makePdf,
  makePptx,
  makeRtf,
  makeXlsx,
} from '../../test/documents.ts';
import type { ReadFile } from './port.ts';
import { createFiles } from './reading.fixture.ts';

const { reader, put, read } = createFiles();
const texts = ({ pages }: ReadFile) => pages.map(({ text }) => text);

describe('text formats', () => {
  it('reads plain text as it is, with LF as line ends', async () => {
    const file = await read('notes.txt', 'First line\r\nZweite Zeile: Ä\r\n');
    expect(file).toMatchObject({ type: 'text/plain', kind: 'text', truncated: false });
    expect(file.pages).toEqual([{ n: 1, text: 'First line\nZweite Zeile: Ä\n' }]);
  });

  it('reads text in Windows-1252 and in UTF-16', async () => {
    expect(texts(await read('old.txt', Buffer.from('Caf\u00e9 10 \u00a3', 'latin1')))).toEqual([
      'Café 10 £',
    ]);
    const utf16 = Buffer.from('\ufeffGrüße aus Köln', 'utf16le');
    expect(texts(await read('wide.txt', utf16))).toEqual(['Grüße aus Köln']);
  });

  it('cuts long text into pages at line ends without losing a character', async () => {
    const text = Array.from({ length: 2_000 }, (_, at) => `Line ${at} 🦉 of a long text`).join(
      '\n',
    );
    const pages = texts(await read('long.md', text));
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.slice(0, -1).every((page) => page.endsWith('\n'))).toBe(true);
    expect(pages.join('')).toBe(text);
  });

  it('keeps only the beginning of a text above the limit and says so', async () => {
    const file = await read('huge.txt', 'word '.repeat(1_700_000));
    expect(file.truncated).toBe(true);
    expect(texts(file).join('')).toHaveLength(8_000_000);
  });

  it('reads the cells of a CSV file and says where they stand', async () => {
    const file = await read('a.csv', 'Name;Note\nAda;"says ""hi""; often"\nBob;"two\nlines"\n');
    const [page] = file.pages;
    expect(file).toMatchObject({ type: 'text/csv', kind: 'table' });
    expect(page?.text).toBe('Name\tNote\nAda\tsays "hi"; often\nBob\ttwo lines\n');
    for (const cell of page?.rows?.flat() ?? [])
      expect(page?.text.slice(cell.start, cell.end)).toBe(cell.text);
    expect(page?.rows?.map((row) => row.length)).toEqual([2, 2, 2]);
  });

  it('reads a web page without its scripts', async () => {
    const file = await read(
      'page.html',
      '<html><head><title>Owls</title><script>steal()</script></head><body><h1>Owls</h1><p>Owls hunt <b>at night</b>.</p><table><tr><th>Kind</th></tr><tr><td>Barn owl</td></tr></table></body></html>',
    );
    expect(file).toMatchObject({ type: 'text/html', kind: 'document' });
    const text = texts(file).join('');
    expect(text).toContain('# Owls');
    expect(text).toContain('Owls hunt at night.');
    expect(text).toContain('| Barn owl |');
    expect(text).not.toContain('steal');
  });

  it('reads the headers, the text and the names of the attachments of a mail', async () => {
    const mail = [
      'From: Ada <ada@example.com>',
      'To: bob@example.com',
      'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'The meeting is at noon.',
      '--x',
      'Content-Type: application/pdf',
      'Content-Disposition: attachment; filename="plan.pdf"',
      '',
      'bytes',
      '--x--',
    ].join('\r\n');
    const text = texts(await read('mail.eml', mail)).join('');
    expect(text).toContain('From: Ada <ada@example.com>\nTo: bob@example.com\n');
    expect(text).toContain('Subject: Grüße\n');
    expect(text).toContain('The meeting is at noon.');
    expect(text).toContain('Attachments: plan.pdf');
  });
});

describe('documents', () => {
  it('reads each page of a PDF and its size', async () => {
    const file = await read('a.pdf', await makePdf({ pages: ['One fact.', '', 'Third page.'] }));
    expect(file).toMatchObject({ type: 'application/pdf', kind: 'pdf' });
    expect(file.pages.map(({ n, text }) => ({ n, text }))).toEqual([
      { n: 1, text: 'One fact.' },
      { n: 2, text: '' },
      { n: 3, text: 'Third page.' },
    ]);
    expect(file.pages[0]?.picture).toEqual({ width: 595, height: 842 });
  });

  it('joins the words that a PDF breaks at line ends', async () => {
    const pdf = await makePdf({ pages: ['This is an exam-\nple of text\nand more.'] });
    expect(texts(await read('a.pdf', pdf))).toEqual(['This is an example of text\nand more.']);
  });

  it('keeps the hyphen of a word that a PDF breaks there and has elsewhere in one line', async () => {
    const pages = ['A plan for the long-\nterm, an exam-\nple.', 'Long-term plans.'];
    const file = await put('a.pdf', await makePdf({ pages }));
    const [text = ''] = texts(await reader.read(file));
    expect(text).toBe('A plan for the long-term, an example.');
    const marksOf = (quote: string) => {
      const start = text.indexOf(quote);
      return reader.markPage({ ...file, n: 1, text, start, end: start + quote.length });
    };
    expect(await marksOf('long-term')).toHaveLength(2);
    expect(await marksOf('term')).toEqual([(await marksOf('long-term'))[1]]);
  });

  it('reads headings, paragraphs and tables of DOCX', async () => {
    const docx = await makeDocx([
      { heading: 'Lease' },
      'The rent is 1_200 euros.',
      {
        table: [
          ['Month', 'Rent'],
          ['May', '1200'],
        ],
      },
    ]);
    const file = await read('lease.docx', docx);
    expect(file).toMatchObject({ kind: 'document', truncated: false });
    const text = texts(file).join('');
    expect(text).toContain('# Lease');
    expect(text).toContain('The rent is 1_200 euros.');
    expect(text).toContain('May');
    expect(text).toMatch(/\| *May *\| *1200 *\|/);
  });

  it('reads the sheets of XLSX by rows, with dates that are not ambiguous', async () => {
    const rows = Array.from({ length: 450 }, (_, at) => [`Item ${at}`, at]);
    const file = await read(
      'book.xlsx',
      await makeXlsx({ Stock: rows, Dates: [['Day', new Date(Date.UTC(2026, 10, 3))]] }),
    );
    expect(file).toMatchObject({ kind: 'table', truncated: false });
    expect(file.pages.map((page) => page.rows?.length)).toEqual([200, 200, 50, 1]);
    expect(file.pages[0]?.text.startsWith('Stock\nItem 0\t0\nItem 1\t1\n')).toBe(true);
    expect(file.pages[3]?.text).toBe('Dates\nDay\t2026-11-03\n');
    for (const page of file.pages)
      for (const cell of page.rows?.flat() ?? [])
        expect(page.text.slice(cell.start, cell.end)).toBe(cell.text);
  });

  it("reads the slides of PPTX with the speaker's notes", async () => {
    const pptx = await makePptx([{ text: 'Title\nPoint', notes: 'Say this' }, { text: 'Two' }]);
    expect(texts(await read('talk.pptx', pptx))).toEqual(['Title\nPoint\nNotes:\nSay this', 'Two']);
  });

  it('reads ODT, EPUB by chapter, and RTF', async () => {
    const odt = await makeOdt({ heading: 'Head', paragraphs: ['One.', 'Two.'] });
    expect(texts(await read('a.odt', odt))).toEqual(['# Head\n\nOne.\n\nTwo.']);
    const epub = await makeEpub([
      { title: 'First', text: 'Alpha' },
      { title: 'Second', text: 'Beta' },
    ]);
    expect(texts(await read('b.epub', epub))).toEqual(['# First\n\nAlpha\n\n', '# Second\n\nBeta']);
    expect(texts(await read('c.rtf', makeRtf('Line one\nLine two')))).toEqual([
      'Line one\n\nLine two',
    ]);
  });
});
