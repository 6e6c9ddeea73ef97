import type { FileProblemCode } from '../../../contract/files.ts';
import { ObjectMissingError, type ObjectStore } from '../../../objects/index.ts';
import { type FileReader, type ReadFile, UnreadableFileError } from '../../../reading/index.ts';
import { type FileRecord, thumbnailKey } from '../library/file-record.ts';
import { IncompleteCopyError, type LocalCopies } from './local-copies.ts';
import type { ReadingResult } from './reading-model.ts';
import type { FileTexts } from './text-store.ts';

/** Pixels. */
const THUMBNAIL_WIDTH = 400;

/** The reader has failed in a way that says nothing about the file. */
class ReaderFaultError extends Error {
  override name = 'ReaderFaultError';
}

/** Whether an error of `extract` counts against the file's tries; an unreachable store or database does not. */
export const isFault = (error: unknown): boolean =>
  error instanceof ReaderFaultError ||
  error instanceof ObjectMissingError ||
  error instanceof IncompleteCopyError;

export interface ExtractDeps {
  objects: Pick<ObjectStore, 'write'>;
  reader: Pick<FileReader, 'read'>;
  copies: Pick<LocalCopies, 'withLocalCopy'>;
  texts: Pick<FileTexts, 'save'>;
}

interface ExtractOptions {
  onProgress: (progress: { done: number; total: number }) => void;
  signal: AbortSignal;
}

/** What a scan without text has all the same. */
export type Shown = Pick<ReadingResult, 'pages' | 'hasThumbnail'>;

export type Extracted =
  | { result: ReadingResult }
  | { unreadable: FileProblemCode; shown?: Shown | undefined };

/** Reads files and stores their text and thumbnail. */
export function createExtract({ objects, reader, copies, texts }: ExtractDeps) {
  const save = async (file: FileRecord, { pages, thumbnail }: ReadFile): Promise<Shown> => {
    await texts.save(file, pages);
    if (thumbnail) await objects.write(thumbnailKey(file), thumbnail, { type: 'image/webp' });
    return { pages: pages.length, hasThumbnail: thumbnail !== undefined };
  };

  /** @throws what the reader, the store or `signal` says; UnreadableFileError is a result */
  return (file: FileRecord, { onProgress, signal }: ExtractOptions): Promise<Extracted> =>
    copies.withLocalCopy(file, async (path) => {
      const read = await reader
        .read({ path, name: file.name, thumbnailWidth: THUMBNAIL_WIDTH, onProgress, signal })
        .catch((error: unknown) => {
          if (error instanceof UnreadableFileError) return error;
          throw new ReaderFaultError('The reader has failed.', { cause: error });
        });
      signal.throwIfAborted();
      if (read instanceof UnreadableFileError) return { unreadable: read.code };
      const { pages, type, kind, truncated } = read;
      const shown = await save(file, read);
      // Every page is a picture: it can be looked at, but not searched.
      if (kind === 'pdf' && pages.every(({ text }) => text.trim() === ''))
        return { unreadable: 'no_text', shown };
      const textBytes = pages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      return { result: { type, kind, truncated, textBytes, ...shown } };
    });
}

/** Whether the pages of a file of that kind can be shown as pictures. */
export const hasPicture = (kind: FileRecord['kind']): boolean => kind === 'pdf' || kind === 'image';
