import { MAX_FILE_NAME_LENGTH } from '../contract/limits.ts';

/** Control characters, and characters that change the writing direction of the rest of a line. */
const INVISIBLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const SEPARATORS = /[/\\]/g;
/** Longer suffixes are part of the name. */
const MAX_EXTENSION_LENGTH = 20;

/** The name for storing and showing a file: one line without path separators, at most 200 characters long. */
export function cleanFileName(name: string): string {
  // Half of a surrogate pair becomes the replacement character.
  const visible = Buffer.from(name)
    .toString()
    .normalize('NFC')
    .replace(INVISIBLE, '')
    .replace(SEPARATORS, '_')
    .trim();
  if (/^[._\s]*$/.test(visible)) return 'File';
  return shorten(visible);
}

/** Cuts before the extension, between characters. */
function shorten(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= MAX_FILE_NAME_LENGTH) return name;
  const dot = characters.lastIndexOf('.');
  const extension = dot > 0 ? characters.slice(dot) : [];
  const kept = extension.length <= MAX_EXTENSION_LENGTH ? extension : [];
  return [...characters.slice(0, MAX_FILE_NAME_LENGTH - kept.length), ...kept].join('');
}

/** A Content-Disposition with the name in both forms of RFC 6266; the plain one is ASCII. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encodeRfc5987(name)}`;
}

const encodeRfc5987 = (text: string): string =>
  encodeURIComponent(text).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
