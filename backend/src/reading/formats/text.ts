import { readFile } from 'node:fs/promises';
import { UnreadableFileError } from '../port.ts';
import { decodeText } from '../text-encoding.ts';
import { cutIntoPages } from './cut.ts';
import type { Extract } from './format.ts';

/** The text of a text file, with LF as its line ends. @throws UnreadableFileError `damaged` when it is no text */
export async function textOf(path: string): Promise<string> {
  const text = decodeText(await readFile(path));
  if (text === null) throw new UnreadableFileError('damaged', 'The bytes are no text.');
  return text.replaceAll(/\r\n?/g, '\n').replaceAll('\u0000', '');
}

/** Plain text, Markdown, code, JSON, unchanged. */
export const readText: Extract = async function* (file) {
  yield* cutIntoPages(await textOf(file.path));
};
