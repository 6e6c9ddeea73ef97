import { type Actor, requireAccess } from '../../../access/index.ts';
import { AppError, notFound } from '../../../errors.ts';
import { ObjectMissingError, type ObjectStore } from '../../../objects/index.ts';
import { type FileReader, UnreadableFileError } from '../../../reading/index.ts';
import { type FileRecord, filePrefix, thumbnailKey } from '../file-record.ts';
import { hasPicture, type LocalCopies, type ReadingStore } from '../reading/index.ts';
import type { PageOf } from './pages.ts';

/** Widths of pictures in pixels; others are rounded up to the next one, so that few are rendered and stored. */
const WIDTHS = [400, 800, 1_200, 1_600] as const;
const WIDEST = 1_600;
/** Pictures that one process renders at once, and those that may wait for that. */
const MAX_RENDERING = 50;

interface PicturesDeps {
  readings: Pick<ReadingStore, 'find'>;
  objects: Pick<ObjectStore, 'read' | 'write' | 'removeAll'>;
  copies: Pick<LocalCopies, 'withLocalCopy'>;
  reader: Pick<FileReader, 'renderPage'>;
}

/** A WebP picture that never changes under its `etag`. */
export interface Picture {
  etag: string;
  /** The picture itself; asked for when the client does not have it. */
  bytes: () => Promise<Buffer>;
}

type Viewer = Pick<Actor, 'userId'>;

export type Pictures = ReturnType<typeof createPictures>;

export const pictureKey = (file: FileRecord, { n, width }: { n: number; width: number }): string =>
  `${filePrefix(file)}pictures/${n}-${width}.webp`;

/**
 * Pictures of pages, rendered once and then kept in the store. All throw AppError not_found for a file of another user and for
 * a page that has no picture.
 */
export function createPictures({ readings, objects, copies, reader }: PicturesDeps) {
  const rendering = new Map<string, Promise<Buffer>>();

  const find = async (actor: Viewer, id: string) =>
    requireAccess(actor, await readings.find({ id, ownerId: actor.userId }), 'file');

  const load = async (key: string): Promise<Buffer | null> => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of await objects.read(key)) chunks.push(chunk as Buffer);
    } catch (error) {
      if (error instanceof ObjectMissingError) return null;
      throw error;
    }
    return Buffer.concat(chunks);
  };

  const render = async (file: FileRecord, size: { n: number; width: number }) => {
    const picture = await copies
      .withLocalCopy(file, (path) => reader.renderPage({ path, name: file.name, ...size }))
      .catch((error: unknown) => {
        const isMissing =
          error instanceof UnreadableFileError || error instanceof ObjectMissingError;
        throw isMissing ? notFound('picture') : error;
      });
    await objects.write(pictureKey(file, size), picture, { type: 'image/webp' });
    if (await readings.find(file)) return picture;
    // It was deleted meanwhile: this picture came after its objects were removed.
    await objects.removeAll(filePrefix(file));
    throw notFound('file');
  };

  /** Those who ask for the same picture share one rendering. */
  const renderOnce = (file: FileRecord, size: { n: number; width: number }) => {
    const key = pictureKey(file, size);
    const found = rendering.get(key);
    if (found) return found;
    if (rendering.size >= MAX_RENDERING) throw busy();
    const started = render(file, size).finally(() => rendering.delete(key));
    rendering.set(key, started);
    return started;
  };

  return {
    /** The picture of a page of a PDF or an image, about `width` pixels wide. */
    page: async (actor: Viewer, { fileId, n }: PageOf, width: number): Promise<Picture> => {
      const file = await find(actor, fileId);
      const isBeyond = file.pages !== undefined && n > file.pages;
      if (file.state === 'storing' || !hasPicture(file.kind) || isBeyond) throw notFound('picture');
      const size = { n, width: WIDTHS.find((one) => one >= width) ?? WIDEST };
      return {
        etag: `"${file.sha256}-${n}-${size.width}"`,
        bytes: async () => (await load(pictureKey(file, size))) ?? renderOnce(file, size),
      };
    },

    /** The thumbnail that was made when the file was read. */
    thumbnail: async (actor: Viewer, fileId: string): Promise<Picture> => {
      const file = await find(actor, fileId);
      if (!file.hasThumbnail) throw notFound('picture');
      return {
        etag: `"${file.sha256}-thumbnail"`,
        bytes: async () => {
          const picture = await load(thumbnailKey(file));
          if (!picture) throw notFound('picture');
          return picture;
        },
      };
    },
  };
}

const busy = () =>
  new AppError('unavailable', 'Too many pages are being drawn right now. Try again in a moment.', {
    retryAfter: 2,
  });
