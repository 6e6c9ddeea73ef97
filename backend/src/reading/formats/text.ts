import { readFile } from 'node:fs/promises';
import { TEXT_PAGE_LENGTH } from '../limits.ts';
import { UnreadableFileError } from '../port.ts';
import { decodeText } from '../text-encoding.ts';
import type { Extract } from './format.ts';

/** The text of a text file, with LF as its line ends. @throws UnreadableFileError `damaged` when it is no text */
export async function textOf(path: string): Promise<string> {
  const text = decodeText(await readFile(path));
  if (text === null) throw new UnreadableFileError('damaged', 'The bytes are no text.');
  // oxlint-disable-next-line no-control-regex
  return text.replace(/\r\n?/g, '\n').replace(/\u0000/g, '');
}

/** Cuts text into pages of at most `TEXT_PAGE_LENGTH`: at a line end, else at a space, never within a character. */
export function* cutIntoPages(text: string): Generator<{ text: string }> {
  for (let from = 0; from < text.length; ) {
    const to = endOfPage(text, from);
    yield { text: text.slice(from, to) };
    from = to;
  }
}

function endOfPage(text: string, from: number): number {
  const to = from + TEXT_PAGE_LENGTH;
  if (to >= text.length) return text.length;
  const page = text.slice(from, to);
  const line = page.lastIndexOf('\n') + 1;
  if (line > 0) return from + line;
  const space = page.lastIndexOf(' ') + 1;
  if (space > 0) return from + space;
  return /[\uD800-\uDBFF]$/.test(page) ? to - 1 : to;
}

/** Plain text, Markdown, code, JSON: as it is. */
export const readText: Extract = async function* (file) {
  yield* cutIntoPages(await textOf(file.path));
};
