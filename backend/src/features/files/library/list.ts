import { type Actor, requireAccess } from '../../../access/index.ts';
import { FILE_PAGE_SIZE, type FileList, type StorageUse } from '../../../contract/files.ts';
import type { ObjectStore } from '../../../objects/index.ts';
import { DOWNLOAD_SECONDS, downloadOptions } from './download.ts';
import { contentKey, type FileRecord } from './file-record.ts';
import { presentFile } from './present.ts';
import type { FilePlace, FileStore } from './records-model.ts';
import type { Storage } from './stored-bytes.ts';

/** Which files to list; each narrows the list. */
interface Selection {
  q?: string | undefined;
  ids?: string[] | undefined;
  /** `next` of the page before. */
  cursor?: string | undefined;
}

interface LibraryDeps {
  store: Pick<FileStore, 'find' | 'page'>;
  storage: Pick<Storage, 'used'>;
  /** Bytes that the user's files may take. */
  storageLimitOf: (actor: Actor) => Promise<number>;
  objects: Pick<ObjectStore, 'signGet'>;
}

/** The user's files: list and download. A file of another user answers 404. */
export function createLibrary({ store, storage, storageLimitOf, objects }: LibraryDeps) {
  /** @throws AppError not_found */
  const get = async (actor: Pick<Actor, 'userId'>, id: string): Promise<FileRecord> =>
    requireAccess(actor, await store.find({ id, ownerId: actor.userId }), 'file');

  const storageOf = async (actor: Actor): Promise<StorageUse> => {
    const [used, limit] = await Promise.all([storage.used(actor.userId), storageLimitOf(actor)]);
    return { used, limit };
  };

  return {
    get,
    storageOf,

    /** A page of the user's files, the newest first. */
    list: async (actor: Actor, { q, ids, cursor }: Selection): Promise<FileList> => {
      const page = {
        q,
        ids,
        before: cursor ? placeOf(cursor) : undefined,
        limit: FILE_PAGE_SIZE + 1,
      };
      const [found, use] = await Promise.all([store.page(actor.userId, page), storageOf(actor)]);
      const files = found.slice(0, FILE_PAGE_SIZE);
      const last = found.length > FILE_PAGE_SIZE ? files.at(-1) : undefined;
      return { files: files.map(presentFile), next: last ? cursorOf(last) : null, storage: use };
    },

    /** A short-lived address of the file's content. @throws AppError not_found */
    downloadUrl: async (
      actor: Pick<Actor, 'userId'>,
      id: string,
      options: { download: boolean },
    ): Promise<string> => {
      const file = await get(actor, id);
      const { url } = await objects.signGet(contentKey(file), {
        ...downloadOptions(file, options),
        expiresInSeconds: DOWNLOAD_SECONDS,
      });
      return url;
    },
  };
}

const cursorOf = ({ createdAt, id }: FilePlace): string => `${createdAt.toISOString()}-${id}`;

const placeOf = (cursor: string): FilePlace => ({
  createdAt: new Date(cursor.slice(0, -25)),
  id: cursor.slice(-24),
});
