// The subset of XML that S3 uses: flat elements, no relevant attributes, no DTD.
import { malformedXml, notImplemented } from './errors.ts';

const ESCAPES: Record<string, string> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
};
const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** An element with text; the text is escaped. */
export const text = (name: string, value: string | number | boolean) =>
  `<${name}>${String(value).replace(/[<>&"']/g, (char) => ESCAPES[char] ?? '')}</${name}>`;

/** An element around serialised elements. */
export const element = (name: string, ...content: string[]) =>
  `<${name}>${content.join('')}</${name}>`;

/** A complete answer. */
export const xmlDocument = (name: string, ...content: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element(name, ...content)}`;

/**
 * The document, if it contains only elements.
 * @throws S3Error MalformedXML for a DTD, a comment or CDATA, which no S3 client sends.
 */
export function plainXml(source: string): string {
  if (source.includes('<!')) throw malformedXml();
  return source;
}

/** @throws S3Error NotImplemented when the document contains an element that is not one of `known` */
export function requireKnown(source: string, known: readonly string[]): string {
  for (const [, name = ''] of source.matchAll(/<([^\s/?>]+)/g))
    if (!known.includes(name)) throw notImplemented(`<${name}>`);
  return source;
}

/** The inner XML of every `<name>` in document order. */
export const elementsIn = (source: string, name: string): string[] =>
  [...source.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(
    (match) => match[1] ?? '',
  );

/** The text of every `<name>`. */
export const textsIn = (source: string, name: string): string[] =>
  elementsIn(source, name).map(unescape);

/** The text of the first `<name>`, or undefined. */
export const textIn = (source: string, name: string): string | undefined =>
  textsIn(source, name)[0];

const unescape = (value: string) =>
  value.replace(/&([^&;]*);/g, (_whole, entity: string) => {
    const numeric = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(entity);
    const code = numeric?.[1] ? Number.parseInt(numeric[1], 16) : Number(numeric?.[2]);
    const char = numeric && code <= 0x10_ff_ff ? String.fromCodePoint(code) : NAMED[entity];
    if (char === undefined) throw malformedXml();
    return char;
  });
