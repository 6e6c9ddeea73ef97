import type { Message, SentMessage, User } from '@stolas/backend/contract';
import { ApiError } from '../../../lib/api.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { deriveTitle } from '../../../lib/title.ts';
import { randomUuid } from '../../../lib/uuid.ts';
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
import { isSendable } from './message-length.ts';
import { endPending, type PendingSend, setPending, useOutbox } from './outbox.ts';
import { isStillProcessing, tellSendError, tellSlow } from './send-errors.ts';

/**
 * Sends the draft of a conversation. The draft stays stored until the server has accepted it, so that the text is kept
 * when the send fails, and sending again creates no second message.
 */
export async function send(user: User, conversationId: string): Promise<void> {
  const draft = readDraft(user.id, conversationId);
  if (!isSendable(draft.text) || useOutbox.getState().pending[conversationId]) return;
  const clientMessageId = draft.clientMessageId ?? randomUuid();
  const pending = {
    clientMessageId,
    content: draft.text,
    createdAt: new Date().toISOString(),
  };
  writeDraft(user.id, conversationId, { ...draft, clientMessageId });
  setPending(conversationId, pending);

  try {
    const sent = await (conversationId === NEW
      ? startConversation(user, pending)
      : postMessage(conversationId, { ...followingLast(conversationId), ...bodyOf(pending) }));
    live.addSent(sent);
    acceptSent(user.id, sent);
    toast({ title: 'Message sent' });
  } catch (error) {
    await failed(error, user, { conversationId, clientMessageId });
  }
}

const bodyOf = ({ content, clientMessageId }: PendingSend) => ({ content, clientMessageId });

/** The message follows the last one that this tab shows. If this tab shows none, the server uses its active leaf. */
function followingLast(conversationId: string): { parentId?: string | null } {
  const shown = queryClient.getQueryData<readonly Message[]>(messagesKey(conversationId));
  return shown ? { parentId: shown.at(-1)?.id ?? null } : {};
}

/** Creates a conversation with its first message. */
async function startConversation(user: User, pending: PendingSend): Promise<SentMessage> {
  const draft = readDraft(user.id, NEW);
  const clientConversationId = draft.clientConversationId ?? randomUuid();
  writeDraft(user.id, NEW, { ...draft, clientConversationId });
  const title = deriveTitle(pending.content);
  const message = bodyOf(pending);
  const { sent, ...conversation } = await createConversation({
    title,
    clientConversationId,
    message,
  });
  upsertConversation(queryClient, conversation);
  // A server of the version before does not send the message along.
  return sent ?? postMessage(conversation.id, message);
}

/**
 * The server has accepted a message of any tab, according to the answer or the socket, whichever comes first. If it began
 * the new conversation of this tab, the tab moves there.
 */
export function acceptSent(userId: string, sent: SentMessage): void {
  const { conversationId, clientMessageId } = sent.message;
  if (endPending(NEW, clientMessageId)) {
    const path = [sent.message, sent.reply];
    queryClient.setQueryData<readonly Message[]>(
      messagesKey(conversationId),
      (held) => held ?? path,
    );
    clearSentDraft(userId, NEW, clientMessageId);
    select(conversationId, { replace: true });
  }
  accepted(userId, conversationId, clientMessageId);
}

/** The server has accepted the message of a conversation. */
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
  const isSlow = isStillProcessing(error);
  if (isSlow) tellSlow();
  if (isSlow && conversationId !== NEW && (await findAccepted(user, attempted))) return;
  // No longer pending: the socket reported it as accepted before the answer failed.
  if (!endPending(conversationId, clientMessageId)) return;
  // The conversation may not exist yet: the text stays in the composer, and sending it again creates it once.
  if (isSlow && conversationId === NEW) return;
  if (error instanceof ApiError && error.status === 401) await endSession();
  else if (error instanceof ApiError && error.status === 404) {
    toast({ title: 'No conversation selected', variant: 'destructive' });
  } else tellSendError(error, user);
}

/** Looks for the message in the conversation until it is found or the time is over. */
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
