import type { Message, SentMessage } from '@stolas/backend/contract';
import { NEW, select, selected } from '../selection.ts';
import { moveUploader, releaseUploader } from './attachments.ts';
import { clearSentDraft, readDraft, writeDraft } from './drafts.ts';
import { endPending, useOutbox } from './outbox.ts';
import { holdFirst } from './post.ts';
import { isUncreated, putUnsent, readUnsent, removeUnsent } from './unsent.ts';

/** The server has accepted a message, according to its answer or the socket. */
export function arrived(userId: string, sent: SentMessage): void {
  const { conversationId, clientMessageId } = sent.message;
  const origin = clientMessageId && originOf(userId, clientMessageId);
  if (origin) {
    holdFirst(sent);
    moveDraft(userId, { from: origin, to: conversationId });
    if (selected() === origin || (origin === NEW && selected() === null)) {
      select(conversationId, { replace: selected() !== null });
    }
  }
  accepted(userId, conversationId, clientMessageId);
}

/** The message of `accepted` that is on a list of messages. */
export const isSend = (message: Message, clientMessageId: string): boolean =>
  message.role === 'user' && message.clientMessageId === clientMessageId;

/** The server has accepted a message of a conversation, which may have been read from a list of messages. */
export function accepted(
  userId: string,
  conversationId: string,
  clientMessageId: string | undefined,
): void {
  if (clearSentDraft(userId, conversationId, clientMessageId)) {
    releaseUploader({ id: userId }, conversationId);
  }
  endPending(conversationId, clientMessageId);
  endPending(NEW, clientMessageId);
  if (clientMessageId && readUnsent(userId).some((m) => m.clientMessageId === clientMessageId)) {
    removeUnsent(userId, clientMessageId);
  }
}

/** Where a message was written whose conversation did not exist yet: the new one, or one that this browser named. */
function originOf(userId: string, clientMessageId: string): string | undefined {
  const { pending } = useOutbox.getState();
  if (pending[NEW]?.clientMessageId === clientMessageId) return NEW;
  const unsent = readUnsent(userId).find((message) => message.clientMessageId === clientMessageId);
  return unsent && isUncreated(unsent.conversationId) ? unsent.conversationId : undefined;
}

/** What was written in a conversation before it was created goes with it. */
function moveDraft(userId: string, { from, to }: { from: string; to: string }): void {
  const { clientConversationId: _made, ...draft } = readDraft(userId, from);
  moveUploader(draft, to);
  writeDraft(userId, to, draft);
  writeDraft(userId, from, { text: '' });
  for (const message of readUnsent(userId)) {
    if (message.conversationId === from) putUnsent(userId, { ...message, conversationId: to });
  }
}
