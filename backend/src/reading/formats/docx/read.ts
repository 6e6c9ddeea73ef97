import mammoth from 'mammoth';
import { checkZip } from '../check-zip.ts';
import { cutAtHeadings } from '../cut.ts';
import type { Extract } from '../format.ts';
import { rejectDeepNesting, toMarkdown } from '../markdown.ts';
import {
  type Parts,
  parseXml,
  readParts,
  relatedParts,
  relationsOf,
  serializeXml,
  zipParts,
} from '../parts.ts';
import { writeDrawings } from './drawings.ts';
import { writeFormulas } from './formulas.ts';
import { writeNumbers } from './numbering.ts';
import { linesOfPart, writeRuby, writeRuns } from './runs.ts';

/**
 * Word documents as Markdown, with the numbers of clauses, tables, formulas and footnotes; then comments, headers and footers.
 * Larger chapters begin a page.
 */
export const readDocx: Extract = async function* (file) {
  await checkZip(file.path);
  const parts = await readParts(file.path);
  const [main = 'word/document.xml'] = relatedParts(parts, '', 'officeDocument');
  const beside = textsBeside(parts, main);
  writeIntoText(parts, main);
  const { value } = await mammoth.convertToHtml(
    { buffer: await zipParts(parts) },
    {
      convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
      externalFileAccess: false,
    },
  );
  const html = value.replaceAll(BACK_LINK, '');
  const markdown = [toMarkdown(html), ...beside].join('\n\n');
  yield* cutAtHeadings(markdown, { level: 2, minLength: 2_000 });
};

/** An arrow that mammoth puts behind each note. */
const BACK_LINK = / ?<a href="#(?:foot|end)note-ref-[^"]{0,99}">↑<\/a>/g;

/** Writes content that mammoth leaves out into the text. */
function writeIntoText(parts: Parts, main: string): void {
  if (!parts.has(main)) return;
  rejectDeepNesting(String(parts.get(main)), { xml: true });
  const document = parseXml(parts.get(main));
  const targets = relationsOf(parts, main);
  writeRuns(document);
  writeDrawings(document, (id) => parseXml(parts.get(targets.get(id) ?? '')));
  const [numbers] = relatedParts(parts, main, 'numbering');
  const [styles = ''] = relatedParts(parts, main, 'styles');
  if (numbers !== undefined) {
    const numbering = parseXml(parts.get(numbers));
    writeNumbers(document, numbering, parseXml(parts.get(styles)));
    parts.set(numbers, serializeXml(numbering));
  }
  writeFormulas(document);
  writeRuby(document);
  parts.set(main, serializeXml(document));
}

const BESIDE = [
  { title: 'Comments', type: 'comments' },
  { title: 'Header', type: 'header' },
  { title: 'Footer', type: 'footer' },
];

/** Comments, headers and footers; equal lines of several sections appear once. */
const textsBeside = (parts: Parts, main: string): string[] =>
  BESIDE.flatMap(({ title, type }) => {
    const names = relatedParts(parts, main, type);
    const lines = new Set(names.flatMap((name) => linesOfPart(parts.get(name))));
    return lines.size > 0 ? [[`${title}:`, ...lines].join('\n')] : [];
  });
