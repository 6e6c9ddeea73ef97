import type { Readable } from 'node:stream';
import { notFound } from '../../../errors.ts';
import { type DownloadOptions, ObjectMissingError } from '../../../objects/index.ts';
import type { FilesFeature } from '../feature.ts';
import { downloadOptions } from './download.ts';
import { contentKey } from './file-record.ts';
import type { FileKey } from './records-model.ts';

/** A file with the headers of its answer. */
export interface OpenedContent extends DownloadOptions {
  /** Bytes. */
  size: number;
  read: (signal: AbortSignal) => Promise<Readable>;
}

/**
 * The content of a file, for answers that the product sends itself.
 * @throws AppError not_found, also from `read`
 */
export async function openContent(
  { records, objects }: Pick<FilesFeature, 'records' | 'objects'>,
  key: FileKey,
  options: { download: boolean },
): Promise<OpenedContent> {
  const file = await records.find(key);
  if (!file) throw notFound('file');
  const read = (signal: AbortSignal) =>
    objects.read(contentKey(file), { signal }).catch(orNotFound);
  return { ...downloadOptions(file, options), size: file.size, read };
}

function orNotFound(error: unknown): never {
  throw error instanceof ObjectMissingError ? notFound('file') : error;
}
