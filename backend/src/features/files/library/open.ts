import type { Actor } from '../../../access/index.ts';
import { notFound } from '../../../errors.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileRecord } from './file-record.ts';

/** The parts of this feature that open a file to read. */
export type OpensFiles = Pick<FilesFeature, 'records' | 'others'>;

/**
 * A file that the actor may read: their own, or one that a message of a conversation names which they may read.
 * @throws AppError not_found
 */
export async function openFile(
  { records, others: { chat } }: OpensFiles,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<FileRecord> {
  const own = await records.find({ id, ownerId: actor.userId });
  if (own) return own;
  const file = await records.findUsed(id);
  if (!file) throw notFound('file');
  const { ownerId, conversationIds: ids } = file;
  if (await chat.mayReadAny(actor, { ownerId, ids })) return file;
  throw notFound('file');
}
