import { posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ChildNode, Document, Element, ParentNode } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { rejectDeepNesting } from './markdown.ts';

// The XML parts of an Office document or a book: an archive of files. All names have the prefixes that programs usually write.

export type Parts = Map<string, Buffer>;

/** The parts of a document whose names match; those with pictures are not read. */
export async function readParts(path: string, names = /\.(xml|rels)$/i): Promise<Parts> {
  const zip = await openPromise(path, { lazyEntries: true });
  const parts: Parts = new Map();
  try {
    for await (const entry of zip.eachEntry())
      if (names.test(entry.fileName))
        parts.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  } finally {
    zip.close();
  }
  return parts;
}

/** The document as a ZIP archive. */
export function zipParts(parts: Parts): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of parts) zip.addBuffer(content, name, { compress: false });
  zip.end();
  return buffer(zip.outputStream);
}

export const parseXml = (xml: Buffer | undefined): Document =>
  parseDocument((xml ?? '').toString(), { xmlMode: true });

/**
 * A part that may come from anybody; an empty document for one that is not there.
 * @throws UnreadableFileError when its elements are nested too deeply
 */
export function partOf(parts: Parts, name: string): Document {
  const xml = String(parts.get(name) ?? '');
  rejectDeepNesting(xml, { xml: true });
  return parseDocument(xml, { xmlMode: true });
}

export const serializeXml = (document: Document): Buffer =>
  Buffer.from(DomUtils.getOuterHTML(document, { xmlMode: true }));

/** The parts that a part refers to, by the ids of its relationships. */
export const relationsOf = (parts: Parts, part: string): Map<string, string> =>
  new Map(relationshipsOf(parts, part).map(({ id, target }) => [id, target]));

/** The parts to which a part has relationships of a type, such as `header`. The package itself has the name ''. */
export function relatedParts(parts: Parts, part: string, type: string): string[] {
  // The namespace before it differs between the transitional and the strict format (ECMA-376, Part 4).
  const ofType = relationshipsOf(parts, part).filter((one) =>
    one.type.endsWith(`/relationships/${type}`),
  );
  return [...new Set(ofType.map(({ target }) => target))].filter((target) => parts.has(target));
}

function relationshipsOf(parts: Parts, part: string) {
  const { dir, base } = posix.parse(part);
  const relations = parseXml(parts.get(posix.join(dir, '_rels', `${base}.rels`)));
  return elementsOf(relations, 'Relationship').map(
    ({ attribs: { Id = '', Type = '', Target = '' } }) => ({
      id: Id,
      type: Type,
      target: posix.resolve('/', dir, Target).slice(1),
    }),
  );
}

/** Elements of a name below a node, in document order, those within each other too. */
export const elementsOf = (
  node: ParentNode,
  name: string | ((name: string) => boolean),
): Element[] => DomUtils.getElementsByTagName(name, node.children, true);

export const childOf = (node: ParentNode | undefined, name: string): Element | undefined =>
  node?.children.find((child): child is Element => isElement(child) && child.name === name);

// Not `instanceof`, because the parser may have another copy of the class.
export const isElement = (node: ChildNode): node is Element => 'attribs' in node;
