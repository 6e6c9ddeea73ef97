import type { FileProblemCode } from '../../../contract/files.ts';
import { ObjectMissingError } from '../../../objects/index.ts';
import { type ReadFile, UnreadableFileError } from '../../../reading/index.ts';
import type { FilesFeature } from '../feature.ts';
import { type FileRecord, thumbnailKey } from '../library/file-record.ts';
import { IncompleteCopyError } from './local-copies.ts';
import type { ReadingResult } from './reading-model.ts';
import { isRecognisable, MAX_RECOGNISED_PAGES, textBytesOf } from './recognisable.ts';

/** In pixels. */
const THUMBNAIL_WIDTH = 400;

/** A failure of the reader that the file did not cause. */
export class ReaderFaultError extends Error {
  override name = 'ReaderFaultError';
}

/** Whether an error of `extract` counts against the file's attempts; an unreachable store or database does not. */
export const isFault = (error: unknown): boolean =>
  error instanceof ReaderFaultError ||
  error instanceof ObjectMissingError ||
  error instanceof IncompleteCopyError;

interface ExtractOptions {
  onProgress: (progress: { done: number; total: number }) => void;
  signal: AbortSignal;
}

/** The pages and thumbnail of a scan without text. */
export type Shown = Pick<ReadingResult, 'pages' | 'hasThumbnail' | 'unread'>;

type Extracted =
  | { result: ReadingResult; toRecognise: number }
  | { unreadable: FileProblemCode; shown?: Shown | undefined };

/**
 * Reads a file and stores its text and thumbnail.
 * @throws the errors of the reader, the store or `signal`; UnreadableFileError is a result
 */
export const extract = (
  files: Pick<FilesFeature, 'objects' | 'reader' | 'copies' | 'texts' | 'config'>,
  file: FileRecord,
  { onProgress, signal }: ExtractOptions,
): Promise<Extracted> =>
  files.copies.withLocalCopy(file, async (path) => {
    const read = await files.reader
      .read({ path, name: file.name, thumbnailWidth: THUMBNAIL_WIDTH, onProgress, signal })
      .catch((error: unknown) => {
        if (error instanceof UnreadableFileError) return error;
        throw new ReaderFaultError('The reader has failed.', { cause: error });
      });
    signal.throwIfAborted();
    if (read instanceof UnreadableFileError) return { unreadable: read.code };
    const { pages, type, kind, truncated } = read;
    const shown = await save(files, file, read);
    const toRecognise = files.config.OCR
      ? Math.min(pages.filter(isRecognisable).length, MAX_RECOGNISED_PAGES)
      : 0;
    const textBytes = textBytesOf(pages);
    // Every page is a picture: the file can be viewed, but not searched.
    if (kind === 'pdf' && textBytes === 0 && toRecognise === 0)
      return { unreadable: 'no_text', shown };
    return { result: { type, kind, truncated, textBytes, ...shown }, toRecognise };
  });

async function save(
  { texts, objects }: Pick<FilesFeature, 'objects' | 'texts'>,
  file: FileRecord,
  { pages, thumbnail, unread }: ReadFile,
): Promise<Shown> {
  await texts.save({ id: file.id, ownerId: file.ownerId }, pages);
  if (thumbnail) await objects.write(thumbnailKey(file), thumbnail, { type: 'image/webp' });
  return {
    pages: pages.length,
    hasThumbnail: thumbnail !== undefined,
    ...(unread && { unread }),
  };
}

/** Whether pages of this kind of file can be shown as pictures. */
export const hasPicture = (kind: FileRecord['kind']): boolean => kind === 'pdf' || kind === 'image';
