import type { Actor } from '../../../access/index.ts';
import type { SentFile } from '../../../contract/files.ts';
import { AppError } from '../../../errors.ts';
import type { MessageFiles } from '../../files/index.ts';
import type { ChatFeature } from '../feature.ts';
import { releaseFirstAttempt } from './first-attempt.ts';
import type { Scope } from './record.ts';

/**
 * The files that a send names; undefined when it names none. Errors surface only when the promise is awaited: a repeated send is answered
 * even when its files have been deleted.
 */
export function selectFiles(
  { others: { files } }: ChatFeature,
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

/** Marked before the message is stored, so that no named file is deleted as unused. */
export async function markUsed(
  chat: ChatFeature,
  scope: Scope,
  {
    fileIds,
    replyId,
    payerId,
  }: Pick<MessageFiles, 'fileIds'> & { replyId: string; payerId: string },
): Promise<void> {
  try {
    await chat.others.files.addUse({ ...scope, fileIds });
  } catch (error) {
    // Not awaited: with an unreachable database the user would wait for its timeout twice. The sweep releases the rest.
    releaseFirstAttempt(chat, { replyId, payerId }).catch(() => undefined);
    throw error;
  }
}

const fileMissing = (cause: AppError) =>
  new AppError('not_found', 'A file of this message was deleted. Remove it, then send again.', {
    details: { field: 'files' },
    cause,
  });
