import { userPrincipal, workspacePrincipal } from '../../../access/index.ts';
import { unavailable } from '../../../errors.ts';
import { ObjectMissingError } from '../../../objects/index.ts';
import type { FilesFeature } from '../feature.ts';
import { removeObjects } from './deletion.ts';
import { contentKey, type FileRecord, textKey, thumbnailKey, vectorsKey } from './file-record.ts';
import type { FileKey } from './records-model.ts';
import { keep } from './share.ts';
import { recountBytes, reserveBytes } from './stored-bytes.ts';

// Decision 71: the keys of objects name the owner, so the objects are copied before the record changes its owner.

/** Attempts when the file is read again, used or deleted at the same time. */
const MAX_ATTEMPTS = 3;

/**
 * Gives the files that a user shares with a workspace to another user, beyond the limits of that user's plan. It can be repeated.
 * @throws AppError unavailable when a file changes too fast
 */
export async function handOver(
  files: FilesFeature,
  { from, workspaceId, to }: { from: string; workspaceId: string; to: string },
): Promise<void> {
  for (const key of await files.records.sharedBy(from, workspacePrincipal(workspaceId)))
    await give(files, key, to);
  // Two calls at once reserve the bytes twice, and after a crash the former owner's still count.
  await Promise.all([recountBytes(files, from), recountBytes(files, to)]);
}

async function give(files: FilesFeature, key: FileKey, to: string): Promise<void> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const file = await files.records.find(key);
    // Content that has not arrived stays with who uploads it.
    if (!file || file.state === 'storing') return;
    const same = await files.records.findByContent(to, file.sha256);
    if (await (same ? shareInstead(files, same, file) : move(files, file, to))) return;
  }
  throw unavailable();
}

/**
 * The next owner has the same content, which is stored once: those with whom the file was shared read it, and may not delete it, because
 * conversations of the next owner may use it. The file stays its owner's.
 * @returns false when it has changed meanwhile
 */
async function shareInstead(
  files: FilesFeature,
  same: FileRecord,
  { grants }: FileRecord,
): Promise<boolean> {
  const known = [userPrincipal(same.ownerId), ...same.grants.map(({ principal }) => principal)];
  const added = grants
    .filter(({ principal }) => !known.includes(principal))
    .map(({ principal }) => ({ principal, role: 'viewer' as const }));
  if (added.length === 0) return true;
  await keep(files, same);
  const change = { from: same.grants, to: [...same.grants, ...added] };
  const changed = await files.records.replaceGrants(same, change);
  if (changed) void files.publishChange(changed).catch(() => undefined);
  return changed !== null;
}

/** @returns false when it has changed meanwhile */
async function move(files: FilesFeature, file: FileRecord, to: string): Promise<boolean> {
  const { records, deletions, storedBytes, now } = files;
  const next = { id: file.id, ownerId: to };
  // Until the record follows, its objects there belong to no file: the sweep of deleted files removes them.
  await deletions.note(next, now());
  await copyObjects(files, file, to);
  const reserved = { fileId: file.id, bytes: file.size };
  await reserveBytes(files, to, reserved, Number.MAX_SAFE_INTEGER);
  const given = await records.giveTo(file, to);
  if (!given) {
    await storedBytes.release(to, reserved);
    return false;
  }
  await storedBytes.settle(to, file.id);
  files.publishDeletion({ id: file.id, userIds: [file.ownerId] });
  void files.publishChange(given).catch(() => undefined);
  await removeObjects(files, file);
  return true;
}

async function copyObjects(
  { objects, vectors }: FilesFeature,
  file: FileRecord,
  to: string,
): Promise<void> {
  const next = { ...file, ownerId: to };
  const pairs = [
    { from: contentKey(file), key: contentKey(next), type: file.type },
    { from: textKey(file), key: textKey(next), type: 'application/gzip' },
    { from: thumbnailKey(file), key: thumbnailKey(next), type: 'image/webp' },
  ];
  if (vectors) {
    const { model } = vectors.embedder;
    const type = 'application/octet-stream';
    pairs.push({ from: vectorsKey(file, model), key: vectorsKey(next, model), type });
  }
  for (const { from: key, ...copied } of pairs) {
    const found = await objects.head(key);
    if (found) await objects.copy({ key, ifMatch: found.etag }, copied).catch(nothingIfReplaced);
  }
}

/** Its record says whether a text has changed since it was read; vectors of another text are not used. */
const nothingIfReplaced = (error: unknown): void => {
  if (!(error instanceof ObjectMissingError)) throw error;
};
