import { readFile } from 'node:fs/promises';
import { CFB } from '@e965/xlsx';
import WordExtractor from 'word-extractor';
import { UnreadableFileError } from '../port.ts';
import { rejectEncryptedCompoundFile } from './check-zip.ts';
import { cutIntoPages } from './cut.ts';
import type { Extract } from './format.ts';

/** Documents of Word 97 to 2003: their text, then text boxes, notes and comments. */
export const readDoc: Extract = async function* (file) {
  await rejectEncrypted(file.path);
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

/** The stream of a document under rights management. */
const RIGHTS_MANAGED = /DRMContent$/;
/** The flag of an encrypted document, and where its flags stand ([MS-DOC], 2.5.2). */
const IS_ENCRYPTED = 0x0100;
const FLAGS_AT = 10;

interface CompoundFile {
  FullPaths: string[];
  FileIndex: { content?: Uint8Array | number[] }[];
}

/** @throws UnreadableFileError `encrypted` for a document with a password or under rights management */
async function rejectEncrypted(path: string): Promise<void> {
  await rejectEncryptedCompoundFile(path);
  const container = open(await readFile(path));
  if (!container) return;
  const isManaged = container.FullPaths.some((name) => RIGHTS_MANAGED.test(name));
  const at = container.FullPaths.findIndex((name) => name.endsWith('/WordDocument'));
  const head = Buffer.from(container.FileIndex[at]?.content?.slice(0, FLAGS_AT + 2) ?? []);
  const flags = head.length < FLAGS_AT + 2 ? 0 : head.readUInt16LE(FLAGS_AT);
  if (isManaged || (flags & IS_ENCRYPTED) !== 0) throw new UnreadableFileError('encrypted');
}

/** Null for a container that only the extractor may be able to read. */
function open(bytes: Buffer): CompoundFile | null {
  try {
    return CFB.read(bytes, { type: 'buffer' }) as CompoundFile;
  } catch {
    return null;
  }
}
