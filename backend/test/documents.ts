// Files for tests, made by the test that needs them.
import { PDFDocument, PDFHexString, StandardFonts } from 'pdf-lib';
import { makeZip } from './zip.ts';

/** A PDF with one text per page; lines are separated by LF. A4, Helvetica 11. */
export async function makePdf({ pages }: { pages: string[] }): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const text of pages) {
    const page = document.addPage([595, 842]);
    if (text) page.drawText(text, { x: 50, y: 780, font, size: 11, lineHeight: 14 });
  }
  return Buffer.from(await document.save());
}

/** A PDF that opens only with a password. */
export async function encryptPdf(): Promise<Buffer> {
  const document = await PDFDocument.create();
  document.addPage();
  const { context } = document;
  const hex = (byte: string, length: number) => PDFHexString.of(byte.repeat(length));
  // The check values match no known password, so readers cannot open it.
  const encryption = { Filter: 'Standard', V: 1, R: 2, P: -4, O: hex('a5', 32), U: hex('5a', 32) };
  context.trailerInfo.Encrypt = context.register(context.obj(encryption));
  context.trailerInfo.ID = context.obj([hex('01', 16), hex('01', 16)]);
  return Buffer.from(await document.save({ useObjectStreams: false }));
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const SCHEMA = 'http://schemas.openxmlformats.org';
const OFFICE_RELATION = `${SCHEMA}/officeDocument/2006/relationships`;

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const contentTypes = (overrides: Record<string, string>) =>
  `${XML}<Types xmlns="${SCHEMA}/package/2006/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  '<Default Extension="xml" ContentType="application/xml"/>' +
  Object.entries(overrides)
    .map(
      ([part, type]) =>
        `<Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
    )
    .join('') +
  '</Types>';

const relations = (targets: [type: string, target: string][]) =>
  `${XML}<Relationships xmlns="${SCHEMA}/package/2006/relationships">` +
  targets
    .map(
      ([type, target], at) =>
        `<Relationship Id="rId${at + 1}" Type="${OFFICE_RELATION}/${type}" Target="${target}"/>`,
    )
    .join('') +
  '</Relationships>';

type Block = string | { heading: string } | { table: string[][] };

const wordParagraph = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t xml:space="preserve">${escape(text)}</w:t></w:r></w:p>`;

function wordBlock(block: Block): string {
  if (typeof block === 'string') return wordParagraph(block);
  if ('heading' in block) return wordParagraph(block.heading, 'Heading1');
  const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`;
  const rows = block.table.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`);
  return `<w:tbl>${rows.join('')}</w:tbl>`;
}

/** A Word document; `extra` adds parts to the archive. */
export const makeDocx = (blocks: Block[], extra: Record<string, string | Buffer> = {}) =>
  makeZip({
    '[Content_Types].xml': contentTypes({
      '/word/document.xml': 'wordprocessingml.document.main',
      '/word/styles.xml': 'wordprocessingml.styles',
    }),
    '_rels/.rels': relations([['officeDocument', 'word/document.xml']]),
    'word/_rels/document.xml.rels': relations([['styles', 'styles.xml']]),
    'word/styles.xml': `${XML}<w:styles xmlns:w="${SCHEMA}/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/document.xml': `${XML}<w:document xmlns:w="${SCHEMA}/wordprocessingml/2006/main"><w:body>${blocks.map(wordBlock).join('')}</w:body></w:document>`,
    ...extra,
  });

type CellValue = string | number | Date;
const DAY_MS = 86_400_000;

function sheetCell(value: CellValue): string {
  if (typeof value === 'number') return `<c><v>${value}</v></c>`;
  if (value instanceof Date)
    return `<c s="1"><v>${(value.getTime() - Date.UTC(1899, 11, 30)) / DAY_MS}</v></c>`;
  return `<c t="inlineStr"><is><t>${escape(value)}</t></is></c>`;
}

/** An Excel workbook with these sheets; dates have Excel's own date format. */
export function makeXlsx(
  sheets: Record<string, CellValue[][]>,
  extra: Record<string, string> = {},
) {
  const names = Object.keys(sheets);
  const main = `${SCHEMA}/spreadsheetml/2006/main`;
  const parts = Object.values(sheets).map((rows, at): [string, string] => [
    `xl/worksheets/sheet${at + 1}.xml`,
    `${XML}<worksheet xmlns="${main}"><sheetData>${rows
      .map((row) => `<row>${row.map(sheetCell).join('')}</row>`)
      .join('')}</sheetData></worksheet>`,
  ]);
  return makeZip({
    '[Content_Types].xml': contentTypes({
      '/xl/workbook.xml': 'spreadsheetml.sheet.main',
      '/xl/styles.xml': 'spreadsheetml.styles',
      ...Object.fromEntries(parts.map(([part]) => [`/${part}`, 'spreadsheetml.worksheet'])),
    }),
    '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
    'xl/_rels/workbook.xml.rels': relations([
      ...names.map((_, at): [string, string] => ['worksheet', `worksheets/sheet${at + 1}.xml`]),
      ['styles', 'styles.xml'],
    ]),
    'xl/styles.xml': `${XML}<styleSheet xmlns="${main}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    'xl/workbook.xml': `${XML}<workbook xmlns="${main}" xmlns:r="${OFFICE_RELATION}"><sheets>${names
      .map((name, at) => `<sheet name="${escape(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
      .join('')}</sheets></workbook>`,
    ...Object.fromEntries(parts),
    ...extra,
  });
}

const shape = (text: string) =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Text"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>${text
    .split('\n')
    .map((line) => `<a:p><a:r><a:t>${escape(line)}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`;

const slidePart = (root: string, text: string, shapes = '') =>
  `${XML}<p:${root} xmlns:p="${SCHEMA}/presentationml/2006/main" xmlns:a="${SCHEMA}/drawingml/2006/main" xmlns:r="${OFFICE_RELATION}"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${shape(text)}${shapes}</p:spTree></p:cSld></p:${root}>`;

/** A PowerPoint presentation with the text of each slide and its speaker's notes, and `shapes` on all; `extra` adds parts to the archive. */
export function makePptx(
  slides: { text: string; notes?: string }[],
  { shapes = '', ...extra }: Record<string, string> = {},
) {
  const entries: Record<string, string> = {};
  const types: Record<string, string> = {
    '/ppt/presentation.xml': 'presentationml.presentation.main',
  };
  slides.forEach(({ text, notes }, at) => {
    const n = at + 1;
    entries[`ppt/slides/slide${n}.xml`] = slidePart('sld', text, shapes);
    types[`/ppt/slides/slide${n}.xml`] = 'presentationml.slide';
    if (notes === undefined) return;
    entries[`ppt/notesSlides/notesSlide${n}.xml`] = slidePart('notes', notes);
    entries[`ppt/slides/_rels/slide${n}.xml.rels`] = relations([
      ['notesSlide', `../notesSlides/notesSlide${n}.xml`],
    ]);
    entries[`ppt/notesSlides/_rels/notesSlide${n}.xml.rels`] = relations([
      ['slide', `../slides/slide${n}.xml`],
    ]);
    types[`/ppt/notesSlides/notesSlide${n}.xml`] = 'presentationml.notesSlide';
  });
  const ids = slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 1}"/>`).join('');
  return makeZip({
    '[Content_Types].xml': contentTypes(types),
    '_rels/.rels': relations([['officeDocument', 'ppt/presentation.xml']]),
    'ppt/_rels/presentation.xml.rels': relations(
      slides.map((_, at): [string, string] => ['slide', `slides/slide${at + 1}.xml`]),
    ),
    'ppt/presentation.xml': `${XML}<p:presentation xmlns:p="${SCHEMA}/presentationml/2006/main" xmlns:r="${OFFICE_RELATION}"><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    ...entries,
    ...extra,
  });
}

/** An OpenDocument text with a heading and paragraphs. */
export function makeOdt({ heading, paragraphs }: { heading: string; paragraphs: string[] }) {
  const urn = 'urn:oasis:names:tc:opendocument:xmlns';
  const body = `<text:h text:outline-level="1">${escape(heading)}</text:h>${paragraphs
    .map((text) => `<text:p>${escape(text)}</text:p>`)
    .join('')}`;
  return makeZip(
    {
      mimetype: 'application/vnd.oasis.opendocument.text',
      'META-INF/manifest.xml': `${XML}<manifest:manifest xmlns:manifest="${urn}:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
      'content.xml': `${XML}<office:document-content xmlns:office="${urn}:office:1.0" xmlns:text="${urn}:text:1.0" office:version="1.2"><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    },
    { stored: ['mimetype'] },
  );
}

/** An EPUB with these chapters. */
export function makeEpub(
  chapters: { title: string; text: string }[],
  { extension = 'xhtml', ...extra }: { extension?: string } & Record<string, string> = {},
) {
  const items = chapters.map(
    (_, at) => `<item id="c${at}" href="c${at}.${extension}" media-type="application/xhtml+xml"/>`,
  );
  const order = chapters.map((_, at) => `<itemref idref="c${at}"/>`);
  const pages = chapters.map(({ title, text }, at): [string, string] => [
    `OEBPS/c${at}.${extension}`,
    `${XML}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${escape(title)}</title></head><body><h1>${escape(title)}</h1><p>${escape(text)}</p></body></html>`,
  ]);
  return makeZip(
    {
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': `${XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
      'OEBPS/content.opf': `${XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:test</dc:identifier><dc:title>Test</dc:title><dc:language>en</dc:language></metadata><manifest>${items.join('')}</manifest><spine>${order.join('')}</spine></package>`,
      ...Object.fromEntries(pages),
      ...extra,
    },
    { stored: ['mimetype'] },
  );
}

/** Rich text with one paragraph for each line. ASCII only. */
export const makeRtf = (text: string): string =>
  `{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Helvetica;}}\n${text
    .split('\n')
    .map((line) => `${line}\\par`)
    .join('\n')}\n}`;

/** A Word document that is small packed and `unpackedMb` large unpacked. */
export const makeZipBomb = ({ unpackedMb }: { unpackedMb: number }) =>
  makeDocx(['Bomb'], { 'word/media/zeros.xml': Buffer.alloc(unpackedMb * 1024 * 1024) });
