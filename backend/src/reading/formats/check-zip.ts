import { open, readFile } from 'node:fs/promises';
import { type Entry, openPromise } from 'yauzl';
import { UnreadableFileError } from '../port.ts';

const MB = 1024 * 1024;
const MAX_ENTRIES = 10_000;
const MAX_TOTAL_BYTES = 512 * MB;
/** The parts that readers hold in memory: all except pictures, sounds and fonts. */
const MAX_PART_BYTES = 100 * MB;
const MEDIA =
  /\.(png|jpe?g|gif|bmp|tiff?|webp|emf|wmf|mp[34]|m4[av]|wav|avi|mov|wmv|[ot]tf|odttf|woff2?)$/i;
/** A local file header without its name. */
const HEADER_BYTES = 30;
/** A document with a password is no ZIP archive but a compound file with this stream. */
const COMPOUND_FILE = 'd0cf11e0';
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');

/**
 * Checks the declarations in the directory of a ZIP archive before a reader unpacks it. An archive with false sizes is stopped by the
 * child's memory limit.
 * @throws UnreadableFileError `too_complex` for too many or too large entries and for entries that share bytes, `encrypted`, `damaged`
 */
export async function checkZip(path: string): Promise<void> {
  await rejectCompoundFile(path);
  const zip = await openPromise(path, { lazyEntries: true }).catch(damaged);
  try {
    if (zip.entryCount > MAX_ENTRIES) throw tooComplex(`${zip.entryCount} entries`);
    checkEntries(await entriesOf(zip));
  } finally {
    zip.close();
  }
}

async function entriesOf(zip: AsyncIterableOfEntries): Promise<Entry[]> {
  const entries: Entry[] = [];
  try {
    // yauzl refuses names with `..`, backslashes and absolute paths.
    for await (const entry of zip.eachEntry()) entries.push(entry);
  } catch (error) {
    damaged(error);
  }
  return entries;
}

function checkEntries(entries: Entry[]): void {
  if (entries.some((entry) => entry.isEncrypted())) throw new UnreadableFileError('encrypted');
  const sizeOf = (some: Entry[]) => some.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  const total = sizeOf(entries);
  if (total > MAX_TOTAL_BYTES) throw tooComplex(`${total} bytes unpacked`);
  const parts = sizeOf(entries.filter(({ fileName }) => !MEDIA.test(fileName)));
  if (parts > MAX_PART_BYTES) throw tooComplex(`${parts} bytes of parts`);
  rejectOverlaps(entries);
}

/** Entries that share bytes let an archive unpack to many times its declared size. */
function rejectOverlaps(entries: Entry[]): void {
  const ranges = entries
    .map(({ relativeOffsetOfLocalHeader: start, compressedSize, fileNameLength }) => ({
      start,
      end: start + HEADER_BYTES + fileNameLength + compressedSize,
    }))
    .toSorted((a, b) => a.start - b.start);
  for (const [at, { start }] of ranges.entries()) {
    if (at > 0 && start < (ranges[at - 1]?.end ?? 0)) throw tooComplex('Entries share bytes.');
  }
}

async function rejectCompoundFile(path: string): Promise<void> {
  if (!(await isCompoundFile(path))) return;
  await rejectEncryptedCompoundFile(path);
  throw new UnreadableFileError('unsupported', 'A compound file.');
}

async function isCompoundFile(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead).toString('hex') === COMPOUND_FILE;
  } finally {
    await file.close();
  }
}

/** @throws UnreadableFileError `encrypted` for a document of Office with a password */
export async function rejectEncryptedCompoundFile(path: string): Promise<void> {
  if ((await readFile(path)).includes(ENCRYPTED_STREAM)) throw new UnreadableFileError('encrypted');
}

interface AsyncIterableOfEntries {
  eachEntry: () => AsyncIterable<Entry>;
}

const tooComplex = (detail: string) => new UnreadableFileError('too_complex', detail);

function damaged(error: unknown): never {
  throw new UnreadableFileError('damaged', String(error));
}
