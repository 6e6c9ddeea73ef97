import { buffer } from 'node:stream/consumers';
import { type ChildNode, type Document, Element, type ParentNode, Text } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';

// The XML parts of a Word document. All names have the prefixes that Word and other programs write: `w`, `m`.

export type Parts = Map<string, Buffer>;

/** The parts of a document without its pictures, which are not read. */
export async function readParts(path: string): Promise<Parts> {
  const zip = await openPromise(path, { lazyEntries: true });
  const parts: Parts = new Map();
  try {
    for await (const entry of zip.eachEntry())
      if (/\.(xml|rels)$/i.test(entry.fileName))
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

export const serializeXml = (document: Document): Buffer =>
  Buffer.from(DomUtils.getOuterHTML(document, { xmlMode: true }));

/** Elements of a name below a node, in document order, those within each other too. */
export const elementsOf = (node: ParentNode, name: string): Element[] =>
  DomUtils.getElementsByTagName(name, node.children, true);

export const childOf = (node: ParentNode | undefined, name: string): Element | undefined =>
  node?.children.find((child): child is Element => isElement(child) && child.name === name);

// Not `instanceof`, because the parser may have another copy of the class.
export const isElement = (node: ChildNode): node is Element => 'attribs' in node;

/** The attribute `w:val` of a child. */
export const valueOf = (node: ParentNode | undefined, name: string): string | undefined =>
  childOf(node, name)?.attribs['w:val'];

/** Puts a run of text into a paragraph, before all others. */
export function prependRun(paragraph: Element, text: string): void {
  const properties = childOf(paragraph, 'w:pPr');
  if (properties) DomUtils.append(properties, textRun(text));
  else DomUtils.prependChild(paragraph, textRun(text));
}

export const textRun = (text: string): Element =>
  new Element('w:r', {}, [new Element('w:t', { 'xml:space': 'preserve' }, [new Text(text)])]);

/** Paragraphs of a part as lines of text, without empty ones. */
export const linesOfPart = (xml: Buffer | undefined): string[] =>
  elementsOf(parseXml(xml), 'w:p')
    .map((paragraph) =>
      elementsOf(paragraph, 'w:t')
        .map((text) => DomUtils.textContent(text))
        .join(''),
    )
    .filter((line) => line.trim() !== '');
