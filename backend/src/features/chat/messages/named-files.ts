import type { Actor } from '../../../access/index.ts';
import type { SentFile } from '../../../contract/files.ts';
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
  const selected = files.selectForMessage(actor, sent);
  selected.catch(() => undefined);
  return selected;
}
