import { expect, it } from 'vitest';
import { makeDocx, makeEpub, makeOdt, makePdf, makePptx, makeXlsx } from '../../test/documents.ts';
import { typeOf } from './file-type.ts';

const kindOf = async (name: string, head: Uint8Array | string) => {
  const { type, kind } = await typeOf({ head: Buffer.from(head), name });
  return `${kind} ${type}`;
};

it('detects binary formats by their bytes, for any name', async () => {
  const pdf = await makePdf({ pages: ['x'] });
  expect(await kindOf('a.pdf', pdf)).toBe('pdf application/pdf');
  expect(await kindOf('a.png', pdf)).toBe('pdf application/pdf');
  expect(await kindOf('a.pdf', Buffer.concat([Buffer.from('junk\n'), pdf]))).toBe(
    'pdf application/pdf',
  );
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  expect(await kindOf('a.txt', png)).toBe('image image/png');
});

it('distinguishes office documents and books', async () => {
  const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  expect(await kindOf('a.docx', await makeDocx(['x']))).toBe(`document ${wordType}`);
  expect(await kindOf('a.xlsx', await makeXlsx({ A: [['x']] }))).toMatch(/^table .*sheet$/);
  expect(await kindOf('a.pptx', await makePptx([{ text: 'x' }]))).toMatch(
    /^document .*presentation$/,
  );
  expect(await kindOf('a.odt', await makeOdt({ heading: 'x', paragraphs: [] }))).toBe(
    'document application/vnd.oasis.opendocument.text',
  );
  expect(await kindOf('a.epub', await makeEpub([{ title: 'x', text: 'y' }]))).toBe(
    'document application/epub+zip',
  );
});

it('distinguishes text formats by their names', async () => {
  expect(await kindOf('notes', 'Some words')).toBe('text text/plain');
  expect(await kindOf('a.constructor', 'Some words')).toBe('text text/plain');
  expect(await kindOf('a.__proto__', '')).toBe('text text/plain');
  expect(await kindOf('README.MD', '# Title')).toBe('markdown text/markdown');
  expect(await kindOf('a.csv', 'a,b')).toBe('table text/csv');
  expect(await kindOf('main.rs', 'fn main() {}')).toBe('code text/plain');
  expect(await kindOf('Dockerfile', 'FROM node')).toBe('code text/plain');
  expect(await kindOf('a.json', '{}')).toBe('code application/json');
  expect(await kindOf('a.eml', 'From: a@b.c\n\nHi')).toBe('document message/rfc822');
  expect(await kindOf('a.txt', String.raw`{\rtf1 x}`)).toBe('document application/rtf');
});

it('treats SVG and HTML as text, also under another name', async () => {
  for (const name of ['a.svg', 'a.png', 'a'])
    expect(await kindOf(name, '<?xml version="1.0"?><svg xmlns="x"><script/></svg>')).toBe(
      'code image/svg+xml',
    );
  for (const name of ['a.html', 'a.jpg', 'a'])
    expect(await kindOf(name, '<!DOCTYPE html><script>x</script>')).toBe('document text/html');
});

it('takes a text for a text whatever its first letters are', async () => {
  expect(await kindOf('bm25.txt', 'BM25 ranks documents.')).toBe('text text/plain');
  expect(await kindOf('cars.csv', 'BMW;2023')).toBe('table text/csv');
  expect(await kindOf('notes', 'MZ is where programs begin.')).toBe('text text/plain');
  expect(await kindOf('pdf.md', '# Header\nA PDF begins with %PDF-1.7')).toBe(
    'markdown text/markdown',
  );
  const control = `${'A line of a report. '.repeat(50)}\u0002`;
  expect(await kindOf('report.txt', control)).toBe('text text/plain');
  expect(await kindOf('a.rtf', `{\\rtf1 \u0000 x}`)).toBe('document application/rtf');
});

it('knows transcripts, calendars and contacts', async () => {
  expect(await kindOf('call.vtt', 'WEBVTT\n\n00:00.000 --> 00:02.000\nHi')).toBe('text text/vtt');
  expect(await kindOf('call.srt', '1\n00:00:00,000 --> 00:00:02,000\nHi')).toBe('text text/plain');
  expect(await kindOf('a.ics', 'BEGIN:VCALENDAR\nEND:VCALENDAR')).toBe('text text/calendar');
  expect(await kindOf('a.vcf', 'BEGIN:VCARD\nEND:VCARD')).toBe('text text/vcard');
});

it('knows a TIFF whose directory is beyond the head', async () => {
  const head = Buffer.alloc(64 * 1024, 7);
  head.set(Buffer.from('49492a0000000f00', 'hex'));
  expect(await kindOf('scan.tif', head)).toBe('image image/tiff');
});

it('treats bytes that are neither as an unknown file', async () => {
  const noise = Buffer.from(Array.from({ length: 2_000 }, (_, at) => (at * 7_919) % 251));
  expect(await kindOf('a.txt', noise)).toBe('other application/octet-stream');
  expect(await kindOf('a.exe', Buffer.from('MZ\u0090\u0000', 'latin1'))).toMatch(/^other /);
});

it('does not treat the beginning of a character as the end of UTF-8', async () => {
  const cut = Buffer.from('ä'.repeat(100)).subarray(0, 199);
  expect(await kindOf('a.txt', cut)).toBe('text text/plain');
});
