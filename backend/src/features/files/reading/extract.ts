import { ObjectMissingError, type ObjectStore } from '../../../objects/index.ts';
import { type FileReader, UnreadableFileError } from '../../../reading/index.ts';
import { type FileRecord, thumbnailKey } from '../file-record.ts';
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
  reader: Pick<FileReader, 'read' | 'renderPage'>;
  copies: Pick<LocalCopies, 'withLocalCopy'>;
  texts: Pick<FileTexts, 'save'>;
}

interface ExtractOptions {
  onProgress: (progress: { done: number; total: number }) => void;
  signal: AbortSignal;
}

export type Extracted =
  | { result: ReadingResult }
  | { unreadable: UnreadableFileError; hasThumbnail: boolean };

/** Reads files and stores their text and thumbnail. */
export function createExtract({ objects, reader, copies, texts }: ExtractDeps) {
  const saveThumbnail = async (
    file: FileRecord,
    { path, signal }: { path: string; signal: AbortSignal },
  ): Promise<boolean> => {
    const picture = await reader
      .renderPage({ path, name: file.name, n: 1, width: THUMBNAIL_WIDTH, signal })
      .catch(() => null);
    signal.throwIfAborted();
    if (!picture) return false;
    await objects.write(thumbnailKey(file), picture, { type: 'image/webp' });
    return true;
  };

  /** @throws what the reader, the store or `signal` says; UnreadableFileError is a result */
  return (file: FileRecord, { onProgress, signal }: ExtractOptions): Promise<Extracted> =>
    copies.withLocalCopy(file, async (path) => {
      const read = await reader
        .read({ path, name: file.name, onProgress, signal })
        .catch((error: unknown) => {
          if (error instanceof UnreadableFileError) return error;
          throw new ReaderFaultError('The reader has failed.', { cause: error });
        });
      signal.throwIfAborted();
      if (read instanceof UnreadableFileError) {
        // A scan without text can still be looked at.
        const canShow = read.code === 'no_text' && hasPicture(file.kind);
        return {
          unreadable: read,
          hasThumbnail: canShow && (await saveThumbnail(file, { path, signal })),
        };
      }
      const { pages, type, kind, truncated } = read;
      await texts.save(file, pages);
      const hasThumbnail = hasPicture(kind) && (await saveThumbnail(file, { path, signal }));
      const textBytes = pages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      return { result: { type, kind, truncated, hasThumbnail, pages: pages.length, textBytes } };
    });
}

/** Whether the pages of a file of that kind can be shown as pictures. */
export const hasPicture = (kind: FileRecord['kind']): boolean => kind === 'pdf' || kind === 'image';
