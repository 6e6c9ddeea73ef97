import { type Action, type Actor, can } from '../../../access/index.ts';
import { notFound } from '../../../errors.ts';
import { openShared, readerOf } from '../../record-grants.ts';
import type { FilesFeature } from '../feature.ts';
import { type FileRecord, usesOf } from './file-record.ts';

/** The parts of this feature that open a file to read. */
export type OpensFiles = Pick<FilesFeature, 'records' | 'others'>;

/**
 * A file that the actor may read: their own, one that is shared with them, or one that a message of a conversation names which they may read.
 * @throws AppError not_found
 */
export async function openFile(
  files: OpensFiles,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<FileRecord> {
  const own = await files.records.find({ id, ownerId: actor.userId });
  if (own) return own;
  const [file] = await findReadable(files, actor, [id]);
  if (!file) throw notFound('file');
  return file;
}

/** Those files of others among `ids` that the actor may read. */
export async function findReadable(
  { records, others }: OpensFiles,
  { userId }: Pick<Actor, 'userId'>,
  ids: string[],
): Promise<FileRecord[]> {
  const found = await records.findOfOthers(ids);
  if (found.length === 0) return [];
  const reader = await readerOf(others, userId);
  const uses = [...new Set(found.flatMap(usesOf))];
  const conversations = await others.chat.readableAmong(reader, uses);
  const ownersOf = new Map(
    conversations.map(({ id, ownerId, formerOwners }) => [id, [ownerId, ...formerOwners]]),
  );
  const isOpen = (file: FileRecord) =>
    usesOf(file).some((id) =>
      ownersOf.get(id)?.some((owner) => [file.ownerId, ...file.formerOwners].includes(owner)),
    );
  return found.filter((file) => can(reader, 'read', file) || isOpen(file));
}

/**
 * A file for a change of it, or to share or delete it. A conversation gives no right to that.
 * @throws AppError not_found; forbidden with `role`
 */
export const openToChange = (
  { records: store, others }: OpensFiles,
  actor: Pick<Actor, 'userId'>,
  wanted: { id: string; action: Action },
): Promise<FileRecord> => openShared({ others }, actor, { ...wanted, what: 'file', store });

/**
 * Those files among `ids` that the user may use in messages: own ones, those that are shared with the user, and in one of the user's
 * conversations those that an earlier owner of it has used there. In no order.
 */
export async function findUsable(
  { records, others }: OpensFiles,
  userId: string,
  ids: readonly string[],
  conversationId?: string,
): Promise<FileRecord[]> {
  const own = await records.findMany(userId, [...ids], conversationId);
  const found = new Set(own.map(({ id }) => id));
  const missing = ids.filter((id) => !found.has(id));
  const shared = missing.length > 0 ? await records.findSharedAmong(missing) : [];
  if (shared.length === 0) return own;
  const reader = await readerOf(others, userId);
  return [...own, ...shared.filter((file) => can(reader, 'read', file))];
}
