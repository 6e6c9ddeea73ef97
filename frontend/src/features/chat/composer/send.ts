import type { Message, User } from '@stolas/backend/contract';
import { ApiError } from '../../../lib/api.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { deriveTitle } from '../../../lib/title.ts';
import {
  GIVE_UP_MS,
  live,
  messagesKey,
  POLL_MS,
  upsertConversation,
} from '../../../realtime/index.ts';
import { toast } from '../../../ui/toast-store.ts';
import { endSession } from '../../auth/index.ts';
import { createConversation, messagesQuery, postMessage } from '../api.ts';
import { NEW, select } from '../selection.ts';
import { clearSentDraft, readDraft, writeDraft } from './drafts.ts';
import { endPending, setPending, useOutbox } from './outbox.ts';
import { isStillProcessing, tellSendError, tellSlow } from './send-errors.ts';

/**
 * Sends the draft of a conversation. The draft stays stored until the server has accepted it, so whatever fails, nothing
 * is lost, and the repeated send is the same send.
 */
export async function send(user: User, conversationId: string): Promise<void> {
  const draft = readDraft(user.id, conversationId);
  if (draft.text.trim() === '' || useOutbox.getState().pending[conversationId]) return;
  const clientMessageId = draft.clientMessageId ?? randomUuid();
  const sent = { text: draft.text, clientMessageId };
  const pending = {
    clientMessageId,
    content: draft.text,
    createdAt: new Date().toISOString(),
  };
  writeDraft(user.id, conversationId, sent);
  setPending(conversationId, pending);

  let target = conversationId;
  try {
    if (target === NEW) {
      const conversation = await createConversation(deriveTitle(draft.text));
      target = conversation.id;
      upsertConversation(queryClient, conversation);
      queryClient.setQueryData<readonly Message[]>(messagesKey(target), (held) => held ?? []);
      writeDraft(user.id, target, sent);
      clearSentDraft(user.id, NEW, clientMessageId);
      setPending(target, pending);
      endPending(NEW, clientMessageId);
      select(target, { replace: true });
    }
    live.addSent(await postMessage(target, { content: draft.text, clientMessageId }));
    accepted(user.id, target, clientMessageId);
    toast({ title: 'Message sent' });
  } catch (error) {
    await failed(error, user, { conversationId: target, clientMessageId });
  }
}

/** The server has the message: this tab heard it as the answer to its send, or pushed, or found it in the list. */
export function accepted(
  userId: string,
  conversationId: string,
  clientMessageId: string | undefined,
): void {
  clearSentDraft(userId, conversationId, clientMessageId);
  endPending(conversationId, clientMessageId);
}

interface Attempted {
  conversationId: string;
  clientMessageId: string;
}

async function failed(error: unknown, user: User, attempted: Attempted): Promise<void> {
  const { conversationId, clientMessageId } = attempted;
  if (isStillProcessing(error) && conversationId !== NEW) {
    tellSlow();
    if (await findAccepted(user, attempted)) return;
  }
  // Not on its way any more: the socket was faster with the good news than the answer with the bad.
  if (!endPending(conversationId, clientMessageId)) return;
  if (error instanceof ApiError && error.status === 401) await endSession();
  else if (error instanceof ApiError && error.status === 404) {
    toast({ title: 'No conversation selected', variant: 'destructive' });
  } else tellSendError(error, user);
}

/** Looks for the message in the conversation until it is there or the time is up. */
async function findAccepted(
  user: User,
  { conversationId, clientMessageId }: Attempted,
): Promise<boolean> {
  for (let waited = 0; waited < GIVE_UP_MS; waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (useOutbox.getState().pending[conversationId]?.clientMessageId !== clientMessageId) {
      return true;
    }
    const messages = await queryClient
      .fetchQuery({ ...messagesQuery(conversationId), staleTime: 0 })
      .catch((): readonly Message[] => []);
    if (messages.some((message) => isSend(message, clientMessageId))) {
      accepted(user.id, conversationId, clientMessageId);
      return true;
    }
  }
  return false;
}

export const isSend = (message: Message, clientMessageId: string): boolean =>
  message.role === 'user' && message.clientMessageId === clientMessageId;

/** A version 4 UUID, also where the page is not served securely and `randomUUID` is missing. */
function randomUuid(): string {
  if ('randomUUID' in crypto) return crypto.randomUUID();
  const bytes = (crypto as Crypto).getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte, i) => {
    const marked = i === 6 ? (byte & 0x0f) | 0x40 : i === 8 ? (byte & 0x3f) | 0x80 : byte;
    return marked.toString(16).padStart(2, '0');
  }).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
