import type { Actor } from '../../../access/index.ts';
import type { SentFile } from '../../../contract/files.ts';
import { MAX_FILES_PER_MESSAGE } from '../../../contract/limits.ts';
import type { MessageFile } from '../../../contract/messages.ts';
import { AppError, notFound } from '../../../errors.ts';
import { cleanFileName } from '../../../text/file-name.ts';
import type { FilesFeature } from '../feature.ts';
import { removeOnlyUsedBy } from './deletion.ts';
import { contentKey, type FileRecord } from './file-record.ts';
import { findUsable, type OpensFiles } from './open.ts';
import { filesPerMessage } from './plan-limits.ts';
import { fileUrl, presentInMessage } from './present.ts';
import { isSample } from './samples.ts';

/** The size of files in a prompt. */
export interface FilesSize {
  /** UTF-8 bytes of their text; null while one of them has not been read. */
  textBytes: number | null;
  /** The number of images. */
  images: number;
}

/** The files of a message that is about to be stored. */
export interface MessageFiles extends FilesSize {
  /** For the metadata of the message, in the order of the send. */
  files: MessageFile[];
  fileIds: string[];
}

const ID = '[0-9a-f]{24}';
const PATH = new RegExp(`^${fileUrl(`(${ID})`)}$`);

/**
 * The files that a send names, by id, `objectPath` or `key`; duplicates count once. A guest's limit does not count sample files, which
 * STOLAS brings.
 * @throws AppError not_found for an object that is no file of the actor, nor one that is shared with the actor; invalid_field for too many
 */
export async function selectForMessage(
  files: OpensFiles,
  actor: Pick<Actor, 'userId' | 'isGuest'>,
  sent: readonly SentFile[],
): Promise<MessageFiles> {
  const names = new Map<string, string | undefined>();
  for (const file of sent) {
    const id = idOf(actor.userId, file);
    if (!names.has(id)) names.set(id, file.name);
  }
  if (names.size > MAX_FILES_PER_MESSAGE) throw tooManyFiles(MAX_FILES_PER_MESSAGE);
  const max = await filesPerMessage(files.others.billing, actor);
  const found = await findUsable(files, actor.userId, [...names.keys()]);
  if (names.size - found.filter(isSample).length > max) throw tooManyFiles(max);
  const byId = new Map(found.map((file) => [file.id, file]));
  const selected = [...names].map(([id, name]) => ({ record: required(byId.get(id)), name }));
  return {
    files: selected.map(({ record, name }) =>
      presentInMessage(record, { name: name ? cleanFileName(name) : record.name }),
    ),
    fileIds: selected.map(({ record }) => record.id),
    ...sumOf(selected.map(({ record }) => record)),
  };
}

/** The size of those files among these ids that the user may use. */
export const sizeOf = async (
  files: OpensFiles,
  userId: string,
  ids: string[],
): Promise<FilesSize> => sumOf(await findUsable(files, userId, ids));

/**
 * Records that a conversation uses files. Call it before the message is stored: a used file is not deleted as unused.
 * @throws AppError not_found when one was deleted meanwhile
 */
export async function addUse(
  files: FilesFeature,
  use: { ownerId: string; fileIds: readonly string[]; conversationId: string },
): Promise<void> {
  const present = await files.uses.add(use);
  // What others share is not kept by the conversation: its owner decides.
  if (present < use.fileIds.length) {
    const usable = await findUsable(files, use.ownerId, use.fileIds);
    if (usable.length < use.fileIds.length) throw notFound('file');
  }
  void publishUses(files, use.ownerId, [...use.fileIds]);
}

/**
 * Releases the files of an erased conversation, and deletes those that nothing else uses and that are not in the library. It can be
 * repeated.
 */
export async function releaseConversation(
  files: FilesFeature,
  use: { ownerId: string; conversationId: string },
): Promise<void> {
  for (const id of await files.uses.of(use)) {
    const file = { id, ownerId: use.ownerId };
    if (await removeOnlyUsedBy(files, file, use.conversationId)) continue;
    await files.uses.release(file, { ...use, now: files.now() });
    await publishUses(files, use.ownerId, [id]);
  }
}

/** Publishes the files of these ids to the owner's tabs; failures are logged. */
async function publishUses(
  { records, publishChange, log }: Pick<FilesFeature, 'records' | 'publishChange' | 'log'>,
  ownerId: string,
  ids: string[],
): Promise<void> {
  try {
    await Promise.all((await records.findMany(ownerId, ids)).map(publishChange));
  } catch (error) {
    log.warn({ err: error }, 'file usage event not published');
  }
}

/** A key of another owner answers like an unknown file. */
function idOf(ownerId: string, { id, objectPath, key }: SentFile): string {
  if (id !== undefined) return id.toLowerCase();
  const [, inPath] = PATH.exec(objectPath ?? '') ?? [];
  if (inPath !== undefined) return inPath;
  const [, inKey] = new RegExp(`^${contentKey({ ownerId, id: `(${ID})` })}$`).exec(key ?? '') ?? [];
  if (inKey === undefined) throw notFound('file');
  return inKey;
}

const required = (file: FileRecord | undefined): FileRecord => {
  if (!file) throw notFound('file');
  return file;
};

const sumOf = (files: FileRecord[]): FilesSize => ({
  textBytes: textBytesOf(files),
  images: files.filter(({ kind }) => kind === 'image').length,
});

const textBytesOf = (files: FileRecord[]): number | null => {
  const lengths = files.map((file) => (file.state === 'failed' ? 0 : file.textBytes));
  return lengths.some((length) => length === undefined)
    ? null
    : lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0);
};

const tooManyFiles = (max: number) =>
  new AppError('invalid_field', `You can only upload ${max} file(s)`, {
    details: { field: 'files', limit: max },
  });
