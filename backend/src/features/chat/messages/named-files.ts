import type { Actor } from '../../../access/index.ts';
import type { SentFile } from '../../../contract/files.ts';
import { AppError } from '../../../errors.ts';
import type { FilesService, MessageFiles } from '../../files/index.ts';

/**
 * The files that a send names; undefined when it names none. It rejects where they are awaited only: a repeated send is answered
 * even when its files are deleted by now.
 */
export function selectFiles(
  files: Pick<FilesService, 'selectForMessage'>,
  actor: Actor,
  sent: readonly SentFile[] | undefined,
): Promise<MessageFiles> | undefined {
  if (!sent?.length) return undefined;
  const selected = files.selectForMessage(actor, sent).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'not_found' ? fileMissing(error) : error;
  });
  selected.catch(() => undefined);
  return selected;
}

const fileMissing = (cause: AppError) =>
  new AppError('not_found', 'A file of this message was deleted. Remove it, then send again.', {
    details: { field: 'files' },
    cause,
  });
