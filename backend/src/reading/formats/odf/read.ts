import type { Document, Element } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import { UnreadableFileError } from '../../port.ts';
import { checkZip } from '../check-zip.ts';
import { cutAtHeadings, pageOf } from '../cut.ts';
import type { Extract } from '../format.ts';
import { rejectDeepNesting, toMarkdown } from '../markdown.ts';
import { childOf, elementsOf, type Parts, parseXml, readParts } from '../parts.ts';
import { htmlOf, type OdfContext, shownBy } from './html.ts';
import { createListNumbers } from './numbers.ts';

/** Texts of OpenDocument as Markdown; then headers and footers. Larger chapters begin a page. */
export const readOdt: Extract = async function* (file) {
  const { content, styles, context } = await openOdf(file.path);
  const [body] = elementsOf(content, 'office:text');
  const text = body ? toMarkdown(htmlOf(body, context)) : '';
  const beside = [linesOf(styles, 'Header'), linesOf(styles, 'Footer')];
  yield* cutAtHeadings([text, ...beside].filter((part) => part !== '').join('\n\n'), {
    level: 2,
    minLength: 2_000,
  });
};

/** Presentations of OpenDocument: each slide is a page, with the speaker's notes below it. */
export const readOdp: Extract = async function* (file) {
  const { content, context } = await openOdf(file.path);
  for (const slide of elementsOf(content, 'draw:page')) {
    const notes = childOf(slide, 'presentation:notes');
    const spoken = notes ? toMarkdown(htmlOf(notes, context)) : '';
    const text = toMarkdown(htmlOf(slide, context));
    yield pageOf(spoken.trim() === '' ? text : `${text}\n\nNotes:\n${spoken}`);
  }
};

/** @throws UnreadableFileError `encrypted` for a document with a password */
export function rejectEncryptedOdf(parts: Parts): void {
  if (/encryption-data|encrypted-package/.test(String(parts.get('META-INF/manifest.xml') ?? '')))
    throw new UnreadableFileError('encrypted');
}

async function openOdf(path: string) {
  await checkZip(path);
  const parts = await readParts(path);
  rejectEncryptedOdf(parts);
  const content = partOf(parts, 'content.xml');
  const styles = partOf(parts, 'styles.xml');
  const context: OdfContext = {
    numbers: createListNumbers([styles, content]),
    hiddenStyles: hiddenStylesOf([styles, content]),
    objectOf: (href) => {
      const name = `${href.replace(/^\.\//, '')}/content.xml`;
      return parts.has(name) ? shownBy(partOf(parts, name)) : null;
    },
  };
  return { content, styles, context };
}

/** The styles of characters that are not shown. */
const hiddenStylesOf = (parts: Document[]): ReadonlySet<string> =>
  new Set(
    parts
      .flatMap((part) => elementsOf(part, 'style:style'))
      .filter(
        (style) => childOf(style, 'style:text-properties')?.attribs['text:display'] === 'none',
      )
      .map(({ attribs }) => attribs['style:name'] ?? ''),
  );

function partOf(parts: Parts, name: string): Document {
  const xml = parts.get(name);
  rejectDeepNesting(String(xml ?? ''), { xml: true });
  return parseXml(xml);
}

/** The lines of all headers or footers, each once. */
function linesOf(styles: Document, title: 'Header' | 'Footer'): string {
  const holders = elementsOf(styles, 'style:master-page').flatMap(({ children }) =>
    children.filter((child): child is Element =>
      new RegExp(`^style:${title.toLowerCase()}`).test('name' in child ? child.name : ''),
    ),
  );
  const lines = holders
    .flatMap((holder) => elementsOf(holder, 'text:p'))
    .map((paragraph) => DomUtils.textContent(paragraph).trim());
  const once = new Set(lines.filter((line) => line !== ''));
  return once.size > 0 ? [`${title}:`, ...once].join('\n') : '';
}
