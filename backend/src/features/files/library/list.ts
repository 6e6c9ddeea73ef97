import { type Actor, roleIn } from '../../../access/index.ts';
import { FILE_PAGE_SIZE, type FileList, type StorageUse } from '../../../contract/files.ts';
import { accountOf } from '../../billing/index.ts';
import { indexesOf, newestOf, ownersOf, readerOf } from '../../record-grants.ts';
import type { FilesFeature } from '../feature.ts';
import { DOWNLOAD_SECONDS, downloadOptions } from './download.ts';
import { contentKey } from './file-record.ts';
import { findReadable, type OpensFiles, openFile } from './open.ts';
import { presentFile, presentFor, presentReadOnly } from './present.ts';
import type { FilePlace } from './records-model.ts';
import { usedBytes } from './stored-bytes.ts';

/** Which files to list; each narrows the list. */
interface Selection {
  q?: string | undefined;
  ids?: string[] | undefined;
  /** `next` of the previous page. */
  cursor?: string | undefined;
}

/** A page of the user's files and of those shared with the user, newest first. */
export async function listFiles(
  files: FilesFeature,
  actor: Actor,
  { q, ids, cursor }: Selection,
): Promise<FileList> {
  const page = {
    q,
    ids,
    before: cursor ? placeOf(cursor) : undefined,
    limit: FILE_PAGE_SIZE + 1,
  };
  const reader = await readerOf(files.others, actor.userId);
  const [found, storage] = await Promise.all([
    newestOf(
      indexesOf(reader).map((of) => files.records.page(of, page)),
      { at: ({ createdAt }) => createdAt, limit: page.limit },
    ),
    storageOf(files, actor),
  ]);
  const shown = found.slice(0, FILE_PAGE_SIZE);
  const last = found.length > FILE_PAGE_SIZE ? shown.at(-1) : undefined;
  const ownerOf = await ownersOf(files, shown);
  const presented = shown.flatMap((file) => {
    const owner = ownerOf(file);
    const role = roleIn(reader, file);
    if (!owner) return [presentFile(file)];
    return role ? [presentFor(file, { role, owner })] : [];
  });
  const isSelection = ids && !q && !cursor;
  const known = new Set(presented.map(({ id }) => id));
  const missing = isSelection ? ids.filter((id) => !known.has(id)) : [];
  const opened = missing.length > 0 ? await findReadable(files, actor, missing) : [];
  const readOnly = opened.filter((file) => roleIn(reader, file) === null).map(presentReadOnly);
  return { files: [...presented, ...readOnly], next: last ? cursorOf(last) : null, storage };
}

async function storageOf(files: FilesFeature, actor: Actor): Promise<StorageUse> {
  const [used, { storageBytes }] = await Promise.all([
    usedBytes(files, actor.userId),
    files.others.billing.entitlementsOf(actor.userId, accountOf(actor)),
  ]);
  return { used, limit: storageBytes };
}

/**
 * A short-lived URL of the file's content.
 * @throws AppError not_found, also for a file that the actor may not read
 */
export async function downloadUrl(
  files: OpensFiles & Pick<FilesFeature, 'objects'>,
  actor: Pick<Actor, 'userId'>,
  id: string,
  options: { download: boolean },
): Promise<string> {
  const file = await openFile(files, actor, id);
  const { url } = await files.objects.signGet(contentKey(file), {
    ...downloadOptions(file, options),
    expiresInSeconds: DOWNLOAD_SECONDS,
  });
  return url;
}

const cursorOf = ({ createdAt, id }: FilePlace): string => `${createdAt.toISOString()}-${id}`;

const placeOf = (cursor: string): FilePlace => ({
  createdAt: new Date(cursor.slice(0, -25)),
  id: cursor.slice(-24),
});
