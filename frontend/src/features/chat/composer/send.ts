import type { Message, MessageFile, SentFile, User } from '@stolas/backend/contract';
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
import {
  describeLeftOut,
  messageFilesOf,
  moveUploader,
  releaseUploader,
  uploadsEnded,
} from './attachments.ts';
import { clearSentDraft, readDraft, writeDraft } from './drafts.ts';
import { isSendable } from './message-length.ts';
import {
  endPending,
  endWaiting,
  isWaiting,
  type PendingSend,
  setPending,
  startWaiting,
  useOutbox,
} from './outbox.ts';
import { isStillProcessing, tellSendError, tellSlow } from './send-errors.ts';

/** Sends the draft of a conversation as soon as its files are uploaded, unless `endWaiting` is called before. */
export async function sendWhenUploaded(user: User, conversationId: string): Promise<void> {
  if (isWaiting(conversationId)) return;
  startWaiting(conversationId);
  await uploadsEnded(readDraft(user.id, conversationId));
  if (isWaiting(conversationId)) await send(user, conversationId);
}

/**
 * Sends the draft of a conversation with the files that are stored. The draft stays stored until the server has accepted it, so that the text is kept
 * when the send fails, and sending again creates no second message.
 */
export async function send(user: User, conversationId: string): Promise<void> {
  endWaiting(conversationId);
  const draft = readDraft(user.id, conversationId);
  if (!isSendable(draft.text) || useOutbox.getState().pending[conversationId]) return;
  const clientMessageId = draft.clientMessageId ?? randomUuid();
  const files = messageFilesOf(draft);
  const leftOut = describeLeftOut(draft);
  const pending = {
    clientMessageId,
    content: draft.text,
    ...(files.length > 0 && { files }),
    createdAt: new Date().toISOString(),
  };
  writeDraft(user.id, conversationId, { ...draft, clientMessageId });
  setPending(conversationId, pending);

  let target = conversationId;
  try {
    const { id, answer } =
      target === NEW ? await startConversation(user, pending) : post(target, pending);
    target = id;
    live.addSent(await answer);
    accepted(user.id, target, clientMessageId);
    toast({ title: 'Message sent', ...(leftOut && { description: leftOut }) });
  } catch (error) {
    await failed(error, user, { conversationId: target, clientMessageId });
  }
}

/** Posts the message; its conversation, and the answer to come. */
const post = (id: string, pending: PendingSend) => ({
  id,
  answer: postMessage(id, { ...followingLast(id), ...bodyOf(pending) }),
});

const bodyOf = ({ content, clientMessageId, files }: PendingSend) => ({
  content,
  clientMessageId,
  ...(files && { files: sentFilesOf(files) }),
});

/** Files as a send names them. */
export const sentFilesOf = (files: readonly MessageFile[]): SentFile[] =>
  files.map(({ id, objectPath, name }) => ({
    ...(id ? { id } : { objectPath }),
    ...(name !== undefined && { name }),
  }));

/** The message follows the last one that this tab shows. If this tab shows none, the server uses its active leaf. */
function followingLast(conversationId: string): { parentId?: string | null } {
  const shown = queryClient.getQueryData<readonly Message[]>(messagesKey(conversationId));
  return shown ? { parentId: shown.at(-1)?.id ?? null } : {};
}

/** Creates a conversation for the first message, posts it, and moves draft and message there meanwhile. */
async function startConversation(user: User, pending: PendingSend) {
  const draft = readDraft(user.id, NEW);
  const clientConversationId = draft.clientConversationId ?? randomUuid();
  writeDraft(user.id, NEW, { ...draft, clientConversationId });
  const title = deriveTitle(pending.content);
  const conversation = await createConversation({ title, clientConversationId });
  const { id } = conversation;
  if (conversation.activeLeafId === null) {
    queryClient.setQueryData<readonly Message[]>(messagesKey(id), (held) => held ?? []);
  }
  const posted = post(id, pending);
  upsertConversation(queryClient, conversation);
  const { content: text, clientMessageId } = pending;
  // Files may have been stored meanwhile.
  const { clientConversationId: _made, ...sent } = readDraft(user.id, NEW);
  moveUploader(sent, id);
  writeDraft(user.id, id, { ...sent, text, clientMessageId });
  writeDraft(user.id, NEW, { text: '' });
  setPending(id, pending);
  endPending(NEW, clientMessageId);
  select(id, { replace: true });
  return posted;
}

/** The server has accepted the message, according to the answer, the socket or the list of messages. */
export function accepted(
  userId: string,
  conversationId: string,
  clientMessageId: string | undefined,
): void {
  if (clearSentDraft(userId, conversationId, clientMessageId)) {
    releaseUploader({ id: userId }, conversationId);
  }
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
