import type { FilesContext, FilesInput } from '../../context.ts';
import type { FileRecord } from '../library/file-record.ts';
import type { WaitUntilRead } from '../reading/waiting.ts';

/** A reply waits so long for files that are being read; what is not read by then is named as such. */
const READ_TIMEOUT_MS = 60_000;

interface ReplyContextDeps {
  findMany: (ownerId: string, ids: string[]) => Promise<FileRecord[]>;
  waitUntilRead: WaitUntilRead;
  /** What these files add to a prompt. */
  contextOf: (input: FilesInput, files: readonly FileRecord[]) => Promise<FilesContext>;
}

/**
 * What the files that a path names add to the prompt of a reply, once they are read. Files of other users count as deleted.
 * @throws the signal's reason
 */
export const createReplyContext =
  ({ findMany, waitUntilRead, contextOf }: ReplyContextDeps) =>
  async (input: FilesInput): Promise<FilesContext> => {
    const { ownerId, path, signal } = input;
    const fileIds = [...new Set(path.flatMap((message) => message.fileIds))];
    await waitUntilRead({ ownerId, fileIds, timeoutMs: READ_TIMEOUT_MS, signal });
    return contextOf(input, await findMany(ownerId, fileIds));
  };
