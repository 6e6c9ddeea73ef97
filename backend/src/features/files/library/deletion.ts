import type { Actor } from '../../../access/index.ts';
import { notFound } from '../../../errors.ts';
import { sweepEach } from '../../../jobs/sweep-each.ts';
import { audienceOf } from '../../record-grants.ts';
import type { FilesFeature } from '../feature.ts';
import { SWEEP_DELAY_MS } from '../uploads/grants.ts';
import { filePrefix } from './file-record.ts';
import { openToChange } from './open.ts';
import type { FileKey } from './records-model.ts';
import { recountBytes } from './stored-bytes.ts';

// The record is deleted first, so that reads no longer find the file; its objects at once, and again after all late writes.

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** By then every request or job that copies or reads a deleted file has ended. */
const LATE_WRITES_MS = 15 * MINUTE_MS;
/** The lifetime of files that were attached for a message and never sent. */
export const UNSENT_MS = 7 * DAY_MS;
const BATCH = 100;

type Deleting = Pick<
  FilesFeature,
  'records' | 'others' | 'deletions' | 'storedBytes' | 'objects' | 'publishDeletion' | 'now' | 'log'
>;

/** Messages keep the name of a deleted file. @throws AppError not_found; forbidden with `role` */
export async function deleteFile(
  files: Deleting,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<void> {
  const file = await openToChange(files, actor, { id, action: 'manage' });
  if (!(await deleteBy(files, files.deletions.remove, file))) throw notFound('file');
}

/** Deletes a file whose content never arrived. */
export const removeStoring = (files: Deleting, file: FileKey): Promise<boolean> =>
  deleteBy(files, files.deletions.removeStoring, file);

/** Deletes a file that only this conversation uses. @returns false when something else keeps it */
export const removeOnlyUsedBy = (
  files: Deleting,
  file: FileKey,
  conversationId: string,
): Promise<boolean> =>
  deleteBy(files, (one) => files.deletions.removeOnlyUsedBy(one, conversationId), file);

/** Deletes files that were attached for a message and never sent. */
export async function sweepUnused(files: Deleting): Promise<void> {
  const { deletions, now } = files;
  const before = new Date(now().getTime() - UNSENT_MS);
  await sweepEach(await deletions.unused({ before, limit: BATCH }), (file) =>
    deleteBy(files, (one) => deletions.removeUnused(one, { before }), file),
  );
}

/** Removes the remains of deleted files after a crash or a late write. */
export async function sweepDeleted(files: Deleting): Promise<void> {
  const { deletions, records, now } = files;
  const before = new Date(now().getTime() - LATE_WRITES_MS);
  await sweepEach(await deletions.noted({ before, limit: BATCH }), async (file) => {
    try {
      if (!(await records.find(file))) await removeObjects(files, file);
    } catch (error) {
      // Files that cannot be removed must not block the batch for others.
      await deletions.note(file, now());
      throw error;
    }
    await deletions.forget(file, { before });
  });
}

/** Removes all records of a user; the objects are removed by their prefix. */
export async function removeAllOf(
  { uploads, deletions, storedBytes, now }: Pick<FilesFeature, 'uploads'> & Deleting,
  ownerId: string,
): Promise<void> {
  await uploads.endAll(ownerId, { sweepAt: new Date(now().getTime() + SWEEP_DELAY_MS) });
  await deletions.removeAllOf(ownerId);
  await storedBytes.removeOf(ownerId);
}

/** Removes the objects of a file without a record, and counts the bytes of its owner again. */
export async function removeObjects(files: Deleting, file: FileKey): Promise<void> {
  await Promise.all([recountBytes(files, file.ownerId), files.objects.removeAll(filePrefix(file))]);
}

async function audienceOfFile(files: Deleting, key: FileKey): Promise<string[]> {
  const file = await files.records.find(key);
  return file ? [...(await audienceOf(files, file)).keys()] : [key.ownerId];
}

/** Deletes a file by `removeRecord`. @returns whether that has removed it */
async function deleteBy(
  files: Deleting,
  removeRecord: (file: FileKey) => Promise<boolean>,
  file: FileKey,
): Promise<boolean> {
  await files.deletions.note(file, files.now());
  const audience = await audienceOfFile(files, file);
  // The note stays: it may belong to another deletion that is not complete.
  if (!(await removeRecord(file))) return false;
  files.publishDeletion({ id: file.id, userIds: audience });
  await removeObjects(files, file).catch((error: unknown) => {
    files.log.warn({ err: error, fileId: file.id }, 'objects of file left to the sweep');
  });
  return true;
}
