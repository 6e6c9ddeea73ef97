import { fileTypeFromBuffer, fileTypeFromFile } from 'file-type';
import { binaryTypeOf, PLAIN_TEXT, textTypeOf } from './media-types.ts';
import type { FileType } from './port.ts';
import { decodeText, encodingByMark, isText } from './text-encoding.ts';

const UNKNOWN: FileType = { type: 'application/octet-stream', kind: 'other' };
/** The containers of other formats, which look alike from their first bytes. */
const CONTAINERS = new Set(['zip', 'cfb']);

/** The extension of a name in lower case, without the dot; the name itself for names such as `Dockerfile`. */
export const extensionOf = (name: string): string =>
  (name.split('.').at(-1) ?? '').trim().toLowerCase();

/**
 * The type of a file, by its bytes and, for text and for archives with ambiguous bytes, by its name. With `path`, detection reads at any
 * place of the file, else the first 64 KB (`head`). SVG and HTML are never images.
 */
export async function typeOf({ head, name, path }: FileHead): Promise<FileType> {
  const extension = extensionOf(name);
  const named = binaryTypeOf(extension);
  if (encodingByMark(head) || isNamedText(head, extension)) return typeOfText(head, extension);
  // Detection throws on some broken files.
  const detected = path ? fileTypeFromFile(path) : fileTypeFromBuffer(head);
  const found = await detected.catch(() => undefined);
  if (found && CONTAINERS.has(found.ext)) return isContained(named) ? named : typeOfUnread(found);
  if (found && !isTextFormat(found)) return binaryTypeOf(found.ext) ?? typeOfUnread(found);
  if (hasPdfHeader(head)) return { type: 'application/pdf', kind: 'pdf' };
  if (head.length === 0) return textTypeOf(extension) ?? named ?? PLAIN_TEXT;
  if (isTiff(head)) return binaryTypeOf('tif') ?? UNKNOWN;
  return isText(head) || isRtf(head) ? typeOfText(head, extension) : UNKNOWN;
}

interface FileHead {
  head: Uint8Array;
  name: string;
  path?: string;
}

/**
 * The signatures of some binary formats are two letters with which texts may begin ("BM", "MZ"), and a text may mention "%PDF-". Bytes
 * without control characters are text, unless they begin like a PDF or the name claims a binary format.
 */
const isNamedText = (head: Uint8Array, extension: string): boolean =>
  head.length > 0 &&
  binaryTypeOf(extension) === undefined &&
  !/^\s*(%PDF-|%!PS)/.test(beginOf(head)) &&
  (textTypeOf(extension) !== undefined || !hasPdfHeader(head)) &&
  isText(head, { strict: true });

/** Formats that detection knows and that are texts here. */
const isTextFormat = ({ ext, mime }: { ext: string; mime: string }): boolean =>
  mime.startsWith('text/') || ext === 'xml' || ext === 'rtf';

/** Scanners write the directory of a TIFF at its end, beyond the head. */
const isTiff = (head: Uint8Array): boolean =>
  ['49492a00', '4d4d002a'].includes(Buffer.from(head.subarray(0, 4)).toString('hex'));

const beginOf = (head: Uint8Array): string =>
  Buffer.from(head.subarray(0, 1_024)).toString('latin1');

const isRtf = (head: Uint8Array): boolean => beginOf(head).trimStart().startsWith('{\\rtf');

/** Office documents and books are archives. */
const isContained = (type: FileType | undefined): type is FileType =>
  /vnd\.|epub|msword/.test(type?.type ?? '');

const typeOfUnread = ({ mime }: { mime: string }): FileType => ({ type: mime, kind: 'other' });

/** Readers accept a PDF with up to 1,024 bytes before its header. */
const hasPdfHeader = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, 1_029)).includes('%PDF-');

function typeOfText(head: Uint8Array, extension: string): FileType {
  const begin = (decodeText(head.subarray(0, 1_024)) ?? '').trimStart();
  if (isRtf(head)) return textTypeOf('rtf') ?? PLAIN_TEXT;
  const named = extension === 'rtf' ? PLAIN_TEXT : textTypeOf(extension);
  if (named) return named;
  if (/^(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)*(<!doctype svg[^>]*>\s*)?<svg[\s>]/i.test(begin))
    return textTypeOf('svg') ?? PLAIN_TEXT;
  if (/^(<!doctype html|<html[\s>])/i.test(begin)) return textTypeOf('html') ?? PLAIN_TEXT;
  if (begin.startsWith('<?xml')) return textTypeOf('xml') ?? PLAIN_TEXT;
  return PLAIN_TEXT;
}
