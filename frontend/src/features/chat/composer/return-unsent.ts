import { t } from 'virtual:texts/chat';
import type { KnownFile } from '../../files/index.ts';
import { NEW, select, selected } from '../selection.ts';
import { readDraft, writeDraft } from './drafts.ts';
import { focusComposer } from './focus-composer.ts';
import { hasUnsent, isUncreated, putUnsent, removeUnsent, type UnsentMessage } from './unsent.ts';

/** The message is sent again as if it had not been refused. */
export function retryUnsent(userId: string, message: UnsentMessage): void {
  const { problem: _former, unconfirmedSince: _since, ...rest } = message;
  putUnsent(userId, rest);
}

/**
 * Takes a message back: its text and its files return to the composer, below what is written there. It keeps its id, so
 * that one which was accepted after all is not sent twice.
 */
export function returnToComposer(userId: string, message: UnsentMessage): void {
  const { content, clientMessageId, conversationId, files: named = [] } = message;
  removeUnsent(userId, clientMessageId);
  // What else waits in a conversation that is not created yet stays there.
  const isNew = isUncreated(conversationId) && !hasUnsent(conversationId);
  const target = isNew ? NEW : conversationId;
  const draft = readDraft(userId, target);
  const files = [...(draft.files ?? []), ...named.flatMap(toKnown)];
  const isAlone = draft.text === '';
  writeDraft(userId, target, {
    ...draft,
    text: isAlone ? content : `${draft.text}\n\n${content}`,
    files,
    ...(isAlone && { clientMessageId }),
    ...(isAlone && isNew && { clientConversationId: conversationId }),
  });
  if (isNew && selected() === conversationId) select(NEW, { replace: true });
  focusComposer();
}

const toKnown = ({
  id,
  name = t('unnamedFile'),
  type = '',
  size = 0,
}: NonNullable<UnsentMessage['files']>[number]): KnownFile[] =>
  id ? [{ id, uploadId: id, name, type, size }] : [];
