import { buffer } from 'node:stream/consumers';
import type { Actor } from '../../../access/index.ts';
import { AppError, notFound } from '../../../errors.ts';
import { ObjectMissingError } from '../../../objects/index.ts';
import { UnreadableFileError } from '../../../reading/index.ts';
import type { FilesFeature } from '../feature.ts';
import { type FileRecord, filePrefix, thumbnailKey } from '../library/file-record.ts';
import { type OpensFiles, openFile } from '../library/open.ts';
import { hasPicture } from '../reading/extract.ts';
import type { PageOf } from './pages.ts';
import { TooManyCallsError } from './shared-calls.ts';

/** Widths of pictures in pixels; requested widths are rounded up, so that few are rendered and stored. */
const WIDTHS = [400, 800, 1_200, 1_600] as const;
const MAX_WIDTH = 1_600;
/** A WebP picture that never changes under its `etag`. */
export interface Picture {
  etag: string;
  /** Loads the picture when the client does not have it; `signal` aborts the request. */
  bytes: (signal?: AbortSignal) => Promise<Buffer>;
}

type Viewer = Pick<Actor, 'userId'>;
type Drawing = OpensFiles &
  Pick<FilesFeature, 'readings' | 'objects' | 'copies' | 'reader' | 'renderings'>;
/** A page, and the width of its picture in pixels. */
interface Size {
  n: number;
  width: number;
}

export const pictureKey = (file: FileRecord, { n, width }: Size): string =>
  `${filePrefix(file)}pictures/${n}-${width}.webp`;

/**
 * The picture of a page of a PDF or an image, about `width` pixels wide: rendered once and then stored.
 * @throws AppError not_found for a file that the actor may not read and for a page without a picture
 */
export async function pagePicture(
  files: Drawing,
  actor: Viewer,
  { fileId, n }: PageOf,
  width: number,
): Promise<Picture> {
  const file = await openFile(files, actor, fileId);
  const isBeyond = file.pages !== undefined && n > file.pages;
  if (file.state === 'storing' || !hasPicture(file.kind) || isBeyond) throw notFound('picture');
  const size = { n, width: WIDTHS.find((one) => one >= width) ?? MAX_WIDTH };
  return {
    etag: `"${file.sha256}-${n}-${size.width}"`,
    bytes: async (signal) =>
      (await load(files, pictureKey(file, size))) ?? renderOnce(files, file, size, signal),
  };
}

/**
 * The thumbnail of a file that was read.
 * @throws AppError not_found for a file that the actor may not read and for one without a thumbnail
 */
export async function thumbnail(files: Drawing, actor: Viewer, fileId: string): Promise<Picture> {
  const file = await openFile(files, actor, fileId);
  if (!file.hasThumbnail) throw notFound('picture');
  return {
    etag: `"${file.sha256}-thumbnail"`,
    bytes: async () => {
      const picture = await load(files, thumbnailKey(file));
      if (!picture) throw notFound('picture');
      return picture;
    },
  };
}

async function load({ objects }: Drawing, key: string): Promise<Buffer | null> {
  try {
    return await buffer(await objects.read(key));
  } catch (error) {
    if (error instanceof ObjectMissingError) return null;
    throw error;
  }
}

/** Requests for the same picture share one rendering. */
async function renderOnce(
  files: Drawing,
  file: FileRecord,
  size: Size,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const { share, refusals } = files.renderings;
  const key = pictureKey(file, size);
  if (refusals.has(key)) throw notFound('picture');
  const asked = { key, group: file.ownerId, signal };
  return share(asked, (shared) => render(files, file, { ...size, signal: shared })).catch(
    (error: unknown) => {
      throw error instanceof TooManyCallsError ? busy() : error;
    },
  );
}

async function render(
  { readings, objects, copies, reader, renderings }: Drawing,
  file: FileRecord,
  { signal, ...size }: Size & { signal: AbortSignal },
): Promise<Buffer> {
  const { name, ownerId: group } = file;
  const key = pictureKey(file, size);
  const picture = await copies
    .withLocalCopy(file, (path) => reader.renderPage({ path, name, group, signal, ...size }))
    .catch((error: unknown) => {
      if (isExhausting(error)) renderings.refusals.add(key);
      const isMissing = error instanceof UnreadableFileError || error instanceof ObjectMissingError;
      throw isMissing ? notFound('picture') : error;
    });
  await objects.write(key, picture, { type: 'image/webp' });
  if (await readings.find(file)) return picture;
  // The file was deleted meanwhile: this picture was stored after its objects were removed.
  await objects.removeAll(filePrefix(file));
  throw notFound('file');
}

const isExhausting = (error: unknown): boolean =>
  error instanceof UnreadableFileError && ['timed_out', 'too_complex'].includes(error.code);

const busy = () =>
  new AppError('unavailable', 'Too many pages are being drawn right now. Try again in a moment.', {
    retryAfter: 2,
  });
