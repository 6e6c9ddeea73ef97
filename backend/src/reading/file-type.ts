import { fileTypeFromBuffer } from 'file-type';
import { binaryTypeOf, PLAIN_TEXT, TEXT_TYPES } from './media-types.ts';
import type { FileType } from './port.ts';
import { encodingOf, utf16ByMark } from './text-encoding.ts';

const UNKNOWN: FileType = { type: 'application/octet-stream', kind: 'other' };
/** The containers of other formats, which look alike from their first bytes. */
const CONTAINERS = new Set(['zip', 'cfb']);

/** The extension of a name in lower case, without the dot; the name itself for names such as `Dockerfile`. */
export const extensionOf = (name: string): string =>
  (name.split('.').at(-1) ?? '').trim().toLowerCase();

/**
 * The type of a file, by its first bytes (64 KB are enough) and, for text and for archives with ambiguous first bytes, by its name. SVG and
 * HTML are never images.
 */
export async function typeOf({
  head,
  name,
}: {
  head: Uint8Array;
  name: string;
}): Promise<FileType> {
  const extension = extensionOf(name);
  const named = binaryTypeOf(extension);
  if (utf16ByMark(head)) return typeOfText(head, extension);
  // Detection throws on some broken files.
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found && CONTAINERS.has(found.ext)) return isContained(named) ? named : typeOfUnread(found);
  if (found && found.ext !== 'xml' && found.ext !== 'rtf') {
    return binaryTypeOf(found.ext) ?? typeOfUnread(found);
  }
  if (hasPdfHeader(head)) return { type: 'application/pdf', kind: 'pdf' };
  if (head.length === 0) return TEXT_TYPES[extension] ?? named ?? PLAIN_TEXT;
  if (encodingOf(head) === null) return UNKNOWN;
  return typeOfText(head, extension);
}

/** Office documents and books are archives. */
const isContained = (type: FileType | undefined): type is FileType =>
  /vnd\.|epub/.test(type?.type ?? '');

const typeOfUnread = ({ mime }: { mime: string }): FileType => ({ type: mime, kind: 'other' });

/** Readers accept a PDF with up to 1,024 bytes before its header. */
const hasPdfHeader = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, 1_029)).includes('%PDF-');

function typeOfText(head: Uint8Array, extension: string): FileType {
  const begin = new TextDecoder().decode(head.subarray(0, 1_024)).trimStart();
  if (begin.startsWith('{\\rtf')) return TEXT_TYPES.rtf ?? PLAIN_TEXT;
  const named = extension === 'rtf' ? PLAIN_TEXT : TEXT_TYPES[extension];
  if (named) return named;
  if (/^(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)*(<!doctype svg[^>]*>\s*)?<svg[\s>]/i.test(begin))
    return TEXT_TYPES.svg ?? PLAIN_TEXT;
  if (/^(<!doctype html|<html[\s>])/i.test(begin)) return TEXT_TYPES.html ?? PLAIN_TEXT;
  if (begin.startsWith('<?xml')) return TEXT_TYPES.xml ?? PLAIN_TEXT;
  return PLAIN_TEXT;
}
