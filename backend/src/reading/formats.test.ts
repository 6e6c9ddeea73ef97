import { readFile } from 'node:fs/promises';
import { type CellObject, CFB, utils, write } from '@e965/xlsx';
import { PDFDocument } from 'pdf-lib';
import sharp from 'sharp';
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
import { rowsOf } from './formats/table.ts';
import type { ReadFile } from './port.ts';
import { createFiles } from './reading.fixture.ts';

const { reader, put, read } = createFiles();
const texts = ({ pages }: ReadFile) => pages.map(({ text }) => text);

describe('text formats', () => {
  it('reads plain text unchanged, with LF as line ends', async () => {
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

  it('keeps only the beginning of a text above the limit and reports that', async () => {
    const file = await read('huge.txt', 'word '.repeat(1_700_000));
    expect(file.truncated).toBe(true);
    expect(texts(file).join('')).toHaveLength(8_000_000);
  });

  it('reads the cells of a CSV file', async () => {
    const file = await read('a.csv', 'Name;Note\nAda;"says ""hi""; often"\nBob;"two\nlines"\n');
    const [page] = file.pages;
    expect(file).toMatchObject({ type: 'text/csv', kind: 'table' });
    expect(page?.text).toBe('Name\tNote\nAda\tsays "hi"; often\nBob\ttwo lines\n');
    expect(page?.rowsStart).toBe(0);
  });

  it.each([
    [
      'Umsatz, Kosten, Gewinn 2025\nMonat;Umsatz;Kosten\nJan;1,5;1,2\nFeb;1,7;1,1\n',
      'Jan\t1,5\t1,2',
    ],
    ['Report; all figures\nid,value\n1,2\n3,4\n', '3\t4'],
    ['name,note\nAda,"says; often"\nBob,"a; b"\n', 'Bob\ta; b'],
    ['1,2,3\n4,5,6\n', '4\t5\t6'],
    ['a|b\n1,5|2\n', '1,5\t2'],
    // One column has decimal marks; without a name above, there are two columns.
    ['Betrag\n1,50\n-2,75 €\n', 'Betrag\n1,50\n-2,75 €'],
    ['1,50\n2,75\n', '1\t50\n2\t75'],
    ['a,b\n1,2\n3,4\n', 'a\tb\n1\t2'],
    ['Results\n1,2,3\n4,5,6\n', '1\t2\t3'],
  ])('finds the delimiter of most rows: %j', async (csv, row) => {
    expect(texts(await read('a.csv', csv)).join('')).toContain(`${row}\n`);
  });

  it('takes the delimiter that a CSV file names for Excel', async () => {
    const csv = 'sep=^\r\nName^Value, net\r\nAda^1,5\r\n';
    expect(texts(await read('a.csv', csv))).toEqual(['Name\tValue, net\nAda\t1,5\n']);
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

  it.each([
    '<head><title>Owls</title></head><body><p>They hunt at night.</p></body>',
    '<html><header>Site</header><body><p>They hunt at night.</p></body></html>',
    '<p>They hunt at night.',
  ])('reads a web page that leaves tags out: %s', async (html) => {
    expect(texts(await read('page.html', html)).join('')).toContain('They hunt at night.');
  });

  it('reads tables with spanning cells, lists and other tables in them', async () => {
    const html = `<h1>Prices</h1>
      <table><tr><th>Year</th><th>Month</th><th>Note</th></tr>
        <tr><td rowspan="2">2025</td><td>May</td><td><ol><li>up</li><li>sold</li></ol></td></tr>
        <tr><td>June</td><td><input type="checkbox" checked>paid</td></tr>
        <tr><td colspan="3">Total | net</td></tr></table>
      <table><tr><td>Left<table><tr><td>a</td><td>b</td></tr></table></td><td>Right</td></tr></table>`;
    const text = texts(await read('tables.html', html)).join('');
    expect(text).toContain('| Year | Month | Note |\n| --- | --- | --- |');
    expect(text).toContain('| 2025 | May | 1. up 2. sold |\n| 2025 | June | ☒ paid |');
    expect(text).toContain(String.raw`| Total \| net | Total \| net | Total \| net |`);
    expect(text).toMatch(/Left\s+\| a \| b \|\n\| --- \| --- \|\s+Right/);
    expect(text).not.toContain('<');
  });

  it('keeps the numbers of the lists of a page', async () => {
    const html = `<ol start="0"><li>zero</li><li>one<ol type="a"><li>early</li><li>late</li></ol></li></ol>
      <ol type="I"><li>Term</li><li value="7">Law</li><li>Costs</li></ol>
      <ol reversed><li>last</li><li>first</li></ol>
      <table><tr><th>Clause</th><th>Text</th></tr><tr><td>7</td><td><ol type="A" start="3"><li>owls</li></ol></td></tr></table>`;
    const text = texts(await read('lists.html', html)).join('');
    const lines = text.split('\n').map((line) => line.trim().replace(/\s+/g, ' '));
    expect(lines.filter((line) => /^(?:\w+\.|\| 7)/.test(line))).toEqual([
      '0. zero',
      '1. one',
      'a. early',
      'b. late',
      'I. Term',
      'VII. Law',
      'VIII. Costs',
      '2. last',
      '1. first',
      '| 7 | C. owls |',
    ]);
  });

  it('sets the questions and the choices of a page apart', async () => {
    const html =
      '<details><summary>Who?</summary>Owls</details><select><option>Red<option>Blue</select>';
    const text = texts(await read('page.html', html)).join('');
    expect(text.trim().split(/\n+/)).toEqual(['Who?', 'Owls', 'Red', 'Blue']);
  });

  it('reads all of a page with much around its article', async () => {
    const links = '<ul><li><a href="/x">Prices of the year</a></li></ul>'.repeat(30);
    const html = `<body><article><p>${'Owls hunt at night. '.repeat(40)}</p></article>${links}</body>`;
    const text = texts(await read('page.html', html)).join('');
    expect(text.match(/Prices of the year/g)).toHaveLength(30);
  });

  it('reads the text of a mail that is only HTML, without a html element', async () => {
    const mail =
      'From: a@b.c\nContent-Type: text/html\n\n<head></head><header>Hi</header><body><p>Noon it is.</p></body>';
    expect(texts(await read('a.eml', mail)).join('')).toContain('Noon it is.');
  });

  it('has no text of a page that is only frames', async () => {
    await expect(read('a.html', '<frameset><frame src="x"></frameset>')).rejects.toMatchObject({
      code: 'no_text',
    });
  });

  it.each(['windows-1252', 'iso-8859-1'])('reads the signs of a mail in %s', async (charset) => {
    const mail = [
      `From: =?${charset}?Q?B=FCro_=96_Ada?= <a@b.c>`,
      `Content-Type: text/html; charset=${charset}`,
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<p>Die =84Miete=93 betr=E4gt 4.200 =80.</p>',
    ].join('\r\n');
    const text = texts(await read('a.eml', mail)).join('');
    expect(text).toContain('From: Büro – Ada <a@b.c>\n');
    expect(text).toContain('Die „Miete“ beträgt 4.200 €.');
  });

  it('reads the headers, the text and the names of the attachments of a mail', async () => {
    const mail = [
      'From: Ada <ada@example.com>',
      'To: bob@example.com',
      'Date: Tue, 6 Jan 2026 07:30:00 +0900',
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
    expect(text).toContain('Date: Tue, 6 Jan 2026 07:30:00 +0900\n');
    expect(text).toContain('Subject: Grüße\n');
    expect(text).toContain('The meeting is at noon.');
    expect(text).toContain('Attachments: plan.pdf');
  });

  it('reads a forwarded mail within a mail with its own headers, and the name of an attached one', async () => {
    const inner = (subject: string) =>
      `From: eve@example.com\nDate: Mon, 5 Jan 2026 07:30:00 +0900\nSubject: ${subject}\n\nThe plan of ${subject}.\n`;
    const part = (more: string, content: string) =>
      `--x\nContent-Type: message/rfc822\n${more}\n${content}\n`;
    const mail = `From: a@b.c\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nSee below.\n${part('', inner('May'))}${part('Content-Disposition: attachment; filename="june.eml"\n', inner('June'))}--x--\n`;
    expect(
      texts(await read('a.eml', mail))
        .join('')
        .split(/\n+/),
    ).toEqual([
      'From: a@b.c',
      'See below.',
      'Forwarded message:',
      'From: eve@example.com',
      'Date: Mon, 5 Jan 2026 07:30:00 +0900',
      'Subject: May',
      'The plan of May.',
      'Attachments: june.eml',
      '',
    ]);
  });

  it.each([
    [
      'has few words of its HTML, from the HTML',
      'Your program cannot show HTML.',
      '',
      '- one\n- two',
    ],
    [
      'has the words of its HTML, from the plain text',
      'We meet at noon and bring:\n* one\n* two',
      '',
      '* one\n* two',
    ],
    [
      'stands beside unreadable HTML, from the plain text',
      'Only this.',
      '<div>'.repeat(501),
      'Only this.',
    ],
  ])('reads a mail whose plain text %s', async (_, plain, deep, expected) => {
    const part = (type: string, content: string) =>
      `--x\nContent-Type: text/${type}\n\n${content}\n`;
    const html = `${deep}<p>We meet at noon, and bring:</p><ul><li>one</li><li>two</li></ul>`;
    const mail = `From: a@b.c\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n${part('plain', plain)}${part('html', html)}--x--\n`;
    const [, body = ''] = texts(await read('a.eml', mail))
      .join('')
      .split('From: a@b.c\n\n');
    expect(body.replaceAll(/- +/g, '- ')).toContain(expected);
    expect(body.includes(plain)).toBe(!expected.startsWith('-'));
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
    expect(file.pages.map((page) => [...rowsOf(page)].length)).toEqual([200, 200, 50, 1]);
    expect(file.pages[0]?.text.startsWith('Stock\nItem 0\t0\nItem 1\t1\n')).toBe(true);
    expect(file.pages[3]?.text).toBe('Dates\nDay\t2026-11-03\n');
  });

  describe('the cells of a workbook', () => {
    const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
    /** The cells of a row, each with its number and the id of its format; 164 is `custom`. */
    const rowOf = async (cells: [format: number, value: number][], custom = '') => {
      const book = await makeXlsx(
        { Row: [] },
        {
          'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="${custom}"/></numFmts><cellXfs>${cells.map(([id]) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
          'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData><row>${cells.map(([, value], at) => `<c s="${at}"><v>${value}</v></c>`).join('')}</row></sheetData></worksheet>`,
        },
      );
      const [page = ''] = texts(await read('a.xlsx', book));
      return page.slice('Row\n'.length, -1).split('\t');
    };

    it("have dates of Excel's own formats unambiguously, with their times", async () => {
      const formats = [22, 14, 27, 27, 57, 164];
      const custom = String.raw`[$-409]d/m/yyyy\ h:mm\ AM/PM;@`;
      const day = '2026-01-05';
      expect(
        await rowOf(
          formats.map((id) => [id, 46_027.4375]),
          custom,
        ),
      ).toEqual([`${day} 10:30`, day, day, day, day, `${day} 10:30 AM`]);
    });

    it('have days of formats that are dates in Japanese and times in Chinese', async () => {
      const formats = [33, 34, 35, 56];
      const day = '2026-01-05';
      expect(await rowOf(formats.map((id) => [id, 46_027]))).toEqual([day, day, day, day]);
      expect(await rowOf([[34, 46_027.4375]])).toEqual(['10:30:00']);
      expect(await rowOf([[164, 46_027]], 'mmmm')).toEqual(['January']);
    });

    it('have durations, also below zero', async () => {
      const cells: [number, number][] = [
        [164, 1.5],
        [164, 400],
        [164, -0.125],
        [20, -0.125],
      ];
      expect(await rowOf(cells, '[h]:mm;@')).toEqual(['36:00', '9600:00', '-3:00', '-3:00']);
      const hidden: [number, number][] = [
        [164, -0.125],
        [164, 0.125],
      ];
      expect(await rowOf(hidden, 'h:mm;;')).toEqual(['', '3:00']);
    });

    it('have all digits of long numbers, unless they are written as powers of ten', async () => {
      const ean = 4_006_381_333_931;
      const cells: [number, number][] = [
        [0, ean],
        [49, ean],
        [0, -491_701_234_567.5],
        [11, ean],
      ];
      expect(await rowOf(cells)).toEqual([`${ean}`, `${ean}`, '-491701234567.5', '4.01E+12']);
    });
  });

  it.each([
    [36, 46_027, '2026-01-05'],
    [34, 46_027, '2026-01-05'],
    [33, 0.4375, '10:30:00'],
  ])('reads format %i of East Asia in a workbook of Excel 97', async (id, value, expected) => {
    const book = utils.book_new();
    const cell: CellObject = { t: 'n', v: value, z: 'm/d/yy' };
    utils.book_append_sheet(book, utils.aoa_to_sheet([[cell, 36]]), 'Days');
    const bytes = write(book, { type: 'buffer', bookType: 'biff8' }) as Buffer;
    // The record of a cell's format: its id, its length, a font and format 14.
    bytes[bytes.indexOf(Buffer.from('e000140000000e00', 'hex')) + 6] = id;
    expect(texts(await read('a.xls', bytes))).toEqual([`Days\n${expected}\t36\n`]);
  });

  it.each([
    ['a.xlsx', 'xlsx', false],
    ['a.xls', 'biff8', false],
    ['a.xls', 'biff8', true],
  ] as const)(
    'writes dates unambiguously, in %s (%s, from 1904: %s)',
    async (name, bookType, date1904) => {
      const day = date1904 ? 46_027 - 1_462 : 46_027;
      const cell = (z: string, v: number): CellObject => ({ t: 'n', v, z });
      const sheet = utils.aoa_to_sheet([
        [
          cell('m/d/yy h:mm', day + 0.4375),
          cell('dd/mm/yyyy', day),
          cell('dd.mm.yyyy hh.mm', day + 0.4375),
          '5/1/26',
        ],
      ]);
      const book = utils.book_new();
      book.Workbook = { WBProps: { date1904 } };
      utils.book_append_sheet(book, sheet, 'Days');
      const file = await read(name, write(book, { type: 'buffer', bookType }) as Buffer);
      expect(texts(file)).toEqual([
        'Days\n2026-01-05 10:30\t2026-01-05\t05.01.2026 10.30\t5/1/26\n',
      ]);
    },
  );

  it("reads the slides of PPTX with the speaker's notes", async () => {
    const pptx = await makePptx([{ text: 'Title\nPoint', notes: 'Say this' }, { text: 'Two' }]);
    expect(texts(await read('talk.pptx', pptx))).toEqual(['Title\nPoint\nNotes:\nSay this', 'Two']);
  });

  describe('what lies on a slide', () => {
    const slideOf = async (shapes: string, extra: Record<string, string> = {}) => {
      const pptx = await makePptx([{ text: 'Title' }], { shapes, ...extra });
      const { pages, unread } = await read('talk.pptx', pptx);
      return { lines: pages.flatMap(({ text }) => text.split('\n')), unread };
    };
    const frame = (content: string) =>
      `<p:graphicFrame><a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></p:graphicFrame>`;
    const item = (text: string, mark: string, level = 0) =>
      `<a:p><a:pPr lvl="${level}">${mark}</a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`;
    const shape = (paragraphs: string) => `<p:sp><p:txBody>${paragraphs}</p:txBody></p:sp>`;
    const chart = `<c:chartSpace><c:ser><c:tx><c:pt idx="0"><c:v>Owls</c:v></c:pt></c:tx><c:cat><c:pt idx="0"><c:v>May</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>4</c:v></c:pt></c:val></c:ser></c:chartSpace>`;

    it('is read: lists with their numbers, groups, tables, formulas, charts and diagrams', async () => {
      const numbered = '<a:buAutoNum type="alphaLcParenR"/>';
      const cell = (text: string) =>
        `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
      const { lines, unread } = await slideOf(
        shape(
          item('one', numbered) + item('in', '<a:buChar char="•"/>', 1) + item('two', numbered),
        ) +
          `<p:grpSp><p:grpSp>${shape(item('deep', ''))}</p:grpSp></p:grpSp>` +
          frame(`<a:tbl><a:tr>${cell('a')}${cell('b')}</a:tr></a:tbl>`) +
          `<mc:AlternateContent><mc:Choice>${shape('<a:p><a:r><a:t>x is</a:t></a:r><a14:m><m:oMath><m:r><m:t>y</m:t></m:r></m:oMath></a14:m></a:p>')}</mc:Choice><mc:Fallback>${shape(item('old', ''))}</mc:Fallback></mc:AlternateContent>` +
          frame('<c:chart r:id="chart"/>') +
          frame('<dgm:relIds r:dm="diagram"/>'),
        {
          'ppt/charts/chart1.xml': chart,
          'ppt/diagrams/data1.xml': `<dgm:dataModel>${item('Plan', '')}</dgm:dataModel>`,
          'ppt/slides/_rels/slide1.xml.rels':
            '<Relationships><Relationship Id="chart" Target="../charts/chart1.xml"/><Relationship Id="diagram" Target="/ppt/diagrams/data1.xml"/></Relationships>',
        },
      );
      expect(lines.join(';')).toBe(
        'Title;a) one;- in;b) two;deep;a\tb;x is $y$ ;\tOwls;May\t4;Plan',
      );
      expect(unread).toBeUndefined();
    });

    it.each([
      ['a chart without stored numbers', frame('<c:chart r:id="none"/>'), 'object'],
      ['an embedded object', frame('<p:oleObj><p:pic/></p:oleObj>'), 'object'],
      ['a picture', '<p:pic/>', 'image'],
    ])('is named as not read: %s', async (_, shapes, kind) => {
      const { lines, unread } = await slideOf(shapes);
      expect(lines[0]).toBe('Title');
      expect(unread).toEqual([{ kind, count: 1, pages: [1] }]);
    });

    it('is read: the description of a picture, which is named as not read', async () => {
      const { lines, unread } = await slideOf(
        '<p:pic><p:nvPicPr><p:cNvPr id="4" name="P" descr="Owls at night"/></p:nvPicPr></p:pic>',
      );
      expect(lines).toEqual(['Title', 'Owls at night']);
      expect(unread).toEqual([{ kind: 'image', count: 1, pages: [1] }]);
    });

    it('is read: comments of older and newer programs, with their replies', async () => {
      const paragraph = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
      const { lines } = await slideOf('', {
        'ppt/comments/comment1.xml': '<p:cmLst><p:cm><p:text>Too few</p:text></p:cm></p:cmLst>',
        'ppt/comments/modernComment_1.xml': `<p188:cmLst><p188:cm><p188:replyLst><p188:reply><p188:txBody>${paragraph('Yes')}</p188:txBody></p188:reply></p188:replyLst><p188:txBody>${paragraph('Is it so?')}</p188:txBody></p188:cm></p188:cmLst>`,
        'ppt/slides/_rels/slide1.xml.rels':
          '<Relationships><Relationship Id="r1" Target="../comments/comment1.xml"/><Relationship Id="r2" Target="../comments/modernComment_1.xml"/></Relationships>',
      });
      expect(lines).toEqual(['Title', 'Comments:', 'Too few', 'Is it so?', 'Yes']);
    });

    it('follows the order of the presentation, not the names of its parts', async () => {
      const pptx = await makePptx([{ text: 'One' }, { text: 'Two' }], {
        'ppt/_rels/presentation.xml.rels':
          '<Relationships><Relationship Id="rId1" Target="slides/slide2.xml"/><Relationship Id="rId2" Target="slides/slide1.xml"/></Relationships>',
      });
      expect(texts(await read('talk.pptx', pptx))).toEqual(['Two', 'One']);
    });
  });

  describe('what lies on a sheet', () => {
    const relation = (id: string, target: string) =>
      `<Relationship Id="${id}" Target="${target}"/>`;
    const sheetOf = (drawing: string, more = '') =>
      makeXlsx(
        { Stock: [['Item', 1]] },
        {
          'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships>${relation('r1', '../drawings/drawing1.xml')}${more}</Relationships>`,
          'xl/drawings/drawing1.xml': `<xdr:wsDr>${drawing}</xdr:wsDr>`,
        },
      );

    it('is read: text boxes, on a page below the cells', async () => {
      const box =
        '<xdr:sp><xdr:txBody><a:p><a:r><a:t>Count again</a:t></a:r></a:p></xdr:txBody></xdr:sp>';
      const file = await read('a.xlsx', await sheetOf(box));
      expect(texts(file)).toEqual([
        'Stock\nItem\t1\n',
        'Stock: text boxes and comments\nCount again\n',
      ]);
      expect(file.unread).toBeUndefined();
    });

    it('is named as not read: pictures and embedded objects', async () => {
      const unreadOf = async (...sheet: Parameters<typeof sheetOf>) =>
        (await read('a.xlsx', await sheetOf(...sheet))).unread;
      expect(await unreadOf('<xdr:pic/>')).toEqual([{ kind: 'image', count: 1, pages: [1] }]);
      const object = relation('r2', '../embeddings/oleObject1.bin');
      expect(await unreadOf('<xdr:pic/>', object)).toMatchObject([{ kind: 'object' }]);
    });

    it('is read: comments with their cells', async () => {
      const sheet = utils.aoa_to_sheet([['Item', 1]]);
      utils.cell_add_comment(sheet.B1 as CellObject, 'Too few', 'Ada');
      const book = utils.book_new();
      utils.book_append_sheet(book, sheet, 'Stock');
      const bytes = write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer;
      const [, beside] = texts(await read('a.xlsx', bytes));
      expect(beside).toBe('Stock: text boxes and comments\nB1 (Ada): Too few\n');
    });
  });

  it('writes formulas of a workbook whose results are not stored', async () => {
    const workbook = async (cells: string) =>
      texts(
        await read(
          'a.xlsx',
          await makeXlsx(
            { Sums: [] },
            {
              'xl/worksheets/sheet1.xml': `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1"><v>2</v></c>${cells}</row></sheetData></worksheet>`,
            },
          ),
        ),
      );
    expect(await workbook('<c r="B1"><f>SUM(A1:A1)</f></c>')).toEqual(['Sums\n2\t=SUM(A1:A1)\n']);
    const stored =
      '<c r="B1"><f>SUM(A1:A1)</f><v>2</v></c><c r="C1" t="str"><f>IF(A1,"","x")</f><v></v></c>';
    expect(await workbook(stored)).toEqual(['Sums\n2\t2\t\n']);
  });

  it('reads ODT, EPUB by chapter, and RTF', async () => {
    const odt = await makeOdt({ heading: 'Head', paragraphs: ['One.', 'Two.'] });
    expect(texts(await read('a.odt', odt))).toEqual(['# Head\n\nOne.\n\nTwo.']);
    const epub = await makeEpub([
      { title: 'First', text: 'Alpha' },
      { title: 'Second', text: 'Beta' },
    ]);
    expect(texts(await read('b.epub', epub))).toEqual(['# First\n\nAlpha', '# Second\n\nBeta']);
    expect(texts(await read('c.rtf', makeRtf('Line one\nLine two')))).toEqual([
      'Line one\n\nLine two',
    ]);
  });
});

describe('a book', () => {
  it.each(['xml', 'html'])(
    'is read in its order when its chapters are named .%s',
    async (extension) => {
      const chapters = [
        { title: 'First', text: 'Alpha' },
        { title: 'Second', text: 'Beta' },
      ];
      const book = await makeEpub(chapters, { extension });
      const pages = texts(await read('b.epub', book)).map((text) => text.trim());
      expect(pages).toEqual(['# First\n\nAlpha', '# Second\n\nBeta']);
    },
  );

  it('is encrypted when its chapters are, and not when only its fonts are', async () => {
    const encryption = (name: string) => ({
      'META-INF/encryption.xml': `<encryption><enc:EncryptedData><enc:CipherReference URI="${name}"/></enc:EncryptedData></encryption>`,
    });
    const chapters = [{ title: 'First', text: 'Alpha' }];
    const locked = await makeEpub(chapters, encryption('OEBPS/c0.xhtml'));
    await expect(read('b.epub', locked)).rejects.toMatchObject({ code: 'encrypted' });
    const open = await makeEpub(chapters, encryption('OEBPS/font.otf'));
    expect(texts(await read('b.epub', open)).join('')).toContain('Alpha');
  });
});

it('leaves out the path of a picture that stands in place of a description', async () => {
  const picture = (alt: string) => `<p><img alt="${alt}"></p>`;
  const html = `<body>${picture(String.raw`C:\Users\ada\body_pic.jpg`)}${picture('A chart of sales')}</body>`;
  expect(texts(await read('a.html', html)).join('')).toBe('A chart of sales');
});

describe('pictures beside text', () => {
  const unreadOf = async (name: string, content: string | Buffer) =>
    (await read(name, content)).unread;

  it.each([
    ['a picture', '<img src="sales.png" alt="Sales">', 1],
    ['one in a table', '<table><tr><td>1</td><td><img src="a.png"></td></tr></table>', 1],
    ['decoration', '<img src="line.png" alt="">', 0],
    ['an icon', '<img src="icon.png" width="16" height="16">', 0],
    ['no picture', '<p>more</p>', 0],
  ])('of a web page with %s are named as not read', async (_, content, count) => {
    const unread = await unreadOf('a.html', `<body><p>Text</p>${content}</body>`);
    expect(unread).toEqual(count ? [{ kind: 'image', count, pages: [1] }] : undefined);
  });

  it('of a PDF are named when they are no icons, and not when a scan or a background covers the page', async () => {
    const document = await PDFDocument.create();
    const png = sharp({ create: { width: 8, height: 8, channels: 3, background: '#888' } }).png();
    const image = await document.embedPng(await png.toBuffer());
    for (const [width, height] of [
      [0, 0],
      [60, 40],
      [300, 200],
      [595, 842],
    ] as const) {
      const page = document.addPage([595, 842]);
      if (width > 0) page.drawImage(image, { x: 0, y: 0, width, height });
      for (let line = 0; line < 20; line += 1)
        page.drawText(`Line ${line} of a page about owls.`, {
          x: 40,
          y: 780 - 20 * line,
          size: 12,
        });
    }
    const file = await read('a.pdf', Buffer.from(await document.save()));
    expect(file.unread).toEqual([{ kind: 'image', count: 1, pages: [3] }]);
  });

  it('are named by the pages of a document that have any, and leave no mark in the text', async () => {
    const chapter = (n: number, extra = '') =>
      `<h1>Chapter ${n}</h1><p>${'word '.repeat(500)}</p>${extra}`;
    const file = await read(
      'a.html',
      `<body>${chapter(1)}${chapter(2, '<p><img></p>')}${chapter(3)}</body>`,
    );
    expect(file.unread).toEqual([{ kind: 'image', count: 1, pages: [2] }]);
    expect(file.pages).toHaveLength(3);
    expect(texts(file).join('')).not.toContain('\uFFFC');
  });
});

describe('formats of older programs', () => {
  const fixture = (name: string) =>
    readFile(new URL(`../../test/fixtures/${name}`, import.meta.url));

  it.each([
    ['a password', 'WordDocument', 0x0100],
    ['rights management', 'DRMContent', 0],
  ])('says of a document of Word 97 with %s that it is encrypted', async (_, stream, flags) => {
    const container = CFB.utils.cfb_new();
    const head = Buffer.alloc(4_096);
    head.writeUInt16LE(0xa5ec, 0);
    head.writeUInt16LE(flags, 10);
    CFB.utils.cfb_add(container, `/${stream}`, head);
    CFB.utils.cfb_add(container, '/1Table', Buffer.alloc(4_096));
    const bytes = Buffer.from(CFB.write(container, { type: 'buffer' }) as Uint8Array);
    await expect(read('a.doc', bytes)).rejects.toMatchObject({ code: 'encrypted' });
  });

  it('reads a document of Word 97', async () => {
    const file = await read('simple.doc', await fixture('simple.doc'));
    expect(file).toMatchObject({ type: 'application/msword', kind: 'document' });
    expect(texts(file).join('')).toContain('This is my first thought. This is my second thought.');
  });

  it('reads a workbook of Excel 97', async () => {
    const book = utils.book_new();
    utils.book_append_sheet(
      book,
      utils.aoa_to_sheet([
        ['City', 'Owls'],
        ['Köln', 12],
      ]),
      'Counts',
    );
    const file = await read('a.xls', write(book, { type: 'buffer', bookType: 'biff8' }) as Buffer);
    expect(file).toMatchObject({ type: 'application/vnd.ms-excel', kind: 'table' });
    expect(texts(file)).toEqual(['Counts\nCity\tOwls\nKöln\t12\n']);
  });

  it('reads a mail of Outlook', async () => {
    const text = texts(await read('mail.msg', await fixture('mail.msg'))).join('');
    expect(text).toContain('From: John <johnjennings702@gmail.com>\n');
    expect(text).toContain('Cc: steve@unstructured.io\n');
    expect(text).toContain('Date: Mon, 29 Jul 2024 16:38:11 -0400\n');
    expect(text).toContain('Subject: Fake email with cc and bcc recipients\n');
    expect(text).toContain('This is a test email. Please ignore.');
  });
});
