import mammoth from 'mammoth';
import { checkZip } from '../check-zip.ts';
import { cutAtHeadings } from '../cut.ts';
import type { Extract } from '../format.ts';
import { rejectDeepNesting, toMarkdown } from '../markdown.ts';
import { type Parts, parseXml, readParts, serializeXml, zipParts } from '../parts.ts';
import { writeDrawings } from './drawings.ts';
import { writeFormulas } from './formulas.ts';
import { writeNumbers } from './numbering.ts';
import { linesOfPart, writeRuby } from './runs.ts';

const DOCUMENT = 'word/document.xml';
const NUMBERING = 'word/numbering.xml';

/**
 * Word documents as Markdown, with the numbers of clauses, tables, formulas and footnotes; then comments, headers and footers.
 * Larger chapters begin a page.
 */
export const readDocx: Extract = async function* (file) {
  await checkZip(file.path);
  const parts = await readParts(file.path);
  const beside = textsBeside(parts);
  writeIntoText(parts);
  const { value } = await mammoth.convertToHtml(
    { buffer: await zipParts(parts) },
    {
      convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
      externalFileAccess: false,
    },
  );
  const markdown = [toMarkdown(value), ...beside].join('\n\n');
  yield* cutAtHeadings(markdown, { level: 2, minLength: 2_000 });
};

/** Writes content that mammoth leaves out into the text. */
function writeIntoText(parts: Parts): void {
  if (!parts.has(DOCUMENT)) return;
  rejectDeepNesting(String(parts.get(DOCUMENT)), { xml: true });
  const document = parseXml(parts.get(DOCUMENT));
  writeDrawings(document, parts);
  if (parts.has(NUMBERING)) {
    const numbering = parseXml(parts.get(NUMBERING));
    writeNumbers(document, numbering, parseXml(parts.get('word/styles.xml')));
    parts.set(NUMBERING, serializeXml(numbering));
  }
  writeFormulas(document);
  writeRuby(document);
  parts.set(DOCUMENT, serializeXml(document));
}

const BESIDE = [
  { title: 'Comments', name: /^word\/comments\.xml$/ },
  { title: 'Header', name: /^word\/header\d*\.xml$/ },
  { title: 'Footer', name: /^word\/footer\d*\.xml$/ },
];

/** Comments, headers and footers; equal lines of several sections appear once. */
const textsBeside = (parts: Parts): string[] =>
  BESIDE.flatMap(({ title, name }) => {
    const xml = [...parts].filter(([part]) => name.test(part)).map(([, content]) => content);
    const lines = new Set(xml.flatMap(linesOfPart));
    return lines.size > 0 ? [[`${title}:`, ...lines].join('\n')] : [];
  });
