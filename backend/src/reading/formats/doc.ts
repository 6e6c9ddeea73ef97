import WordExtractor from 'word-extractor';
import { UnreadableFileError } from '../port.ts';
import { rejectEncryptedCompoundFile } from './check-zip.ts';
import { cutIntoPages } from './cut.ts';
import type { Extract } from './format.ts';

/** Documents of Word 97 to 2003: their text, then text boxes, notes and comments. */
export const readDoc: Extract = async function* (file) {
  await rejectEncryptedCompoundFile(file.path);
  const document = await new WordExtractor().extract(file.path).catch((error: unknown) => {
    // Word 6 and 95.
    if (/magic number/i.test(String(error))) throw new UnreadableFileError('unsupported');
    throw error;
  });
  const parts = [
    document.getBody(),
    document.getTextboxes(),
    document.getFootnotes(),
    document.getEndnotes(),
    document.getAnnotations(),
    document.getHeaders({ includeFooters: true }),
  ];
  const text = parts.map((part) => part.trim()).filter((part) => part !== '');
  yield* cutIntoPages(text.join('\n\n').replaceAll(/\r\n?/g, '\n'));
};
