import path from 'node:path/posix';
import { UnreadableFileError } from '../port.ts';
import { decodeText } from '../text-encoding.ts';
import { checkZip } from './check-zip.ts';
import { cutIntoPages } from './cut.ts';
import type { Extract } from './format.ts';
import { htmlToMarkdown } from './html.ts';
import { elementsOf, type Parts, parseXml, readParts } from './parts.ts';

const CHAPTER = /\.(xml|x?html?|opf)$/i;

/** Books: each part in their order of reading begins a page, whatever the name of its file. */
export const readEpub: Extract = async function* (file) {
  await checkZip(file.path);
  const parts = await readParts(file.path, CHAPTER);
  rejectEncrypted(parts);
  for (const name of chaptersOf(parts)) {
    const html = decodeText(parts.get(name) ?? Buffer.alloc(0));
    if (html) yield* cutIntoPages(htmlToMarkdown(html));
  }
};

/** The names of the parts in the order of reading (EPUB 3.3, 5.6.6 and 5.7). */
function chaptersOf(parts: Parts): string[] {
  const [root] = elementsOf(parseXml(parts.get('META-INF/container.xml')), 'rootfile');
  const opf = root?.attribs['full-path'] ?? '';
  // Both names may have the prefix `opf`.
  const book = parseXml(Buffer.from(String(parts.get(opf) ?? '').replaceAll(/(<\/?)opf:/g, '$1')));
  const items = new Map(
    elementsOf(book, 'item').map(({ attribs }) => [attribs.id, attribs.href ?? '']),
  );
  return elementsOf(book, 'itemref').flatMap(({ attribs }) => {
    const href = items.get(attribs.idref);
    return href ? [path.join(path.dirname(opf), decode(href))] : [];
  });
}

function decode(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/** Fonts may be encrypted in a book that anybody can read. */
function rejectEncrypted(parts: Parts): void {
  const references = elementsOf(
    parseXml(parts.get('META-INF/encryption.xml')),
    'enc:CipherReference',
  );
  if (references.some(({ attribs }) => CHAPTER.test(attribs.URI ?? '')))
    throw new UnreadableFileError('encrypted');
}
