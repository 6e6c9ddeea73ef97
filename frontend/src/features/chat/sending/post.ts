import type {
  Conversation,
  Message,
  MessageFile,
  SentFile,
  SentMessage,
} from '@stolas/backend/contract';
import type { CallOptions } from '../../../lib/api.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { deriveTitle } from '../../../lib/title.ts';
import { live, upsertConversation } from '../../../realtime/index.ts';
import { createConversation, loadedMessages, postMessage } from '../api.ts';
import { noteBegun } from '../artifacts/place.ts';
import { isNewShown, NEW, select, selected } from '../selection.ts';
import { isUncreated } from '../use-conversation.ts';
import { moveDraft, releaseUploader } from './attachments.ts';
import { clearSentDraft } from './drafts.ts';
import {
  endPending,
  type PendingSend,
  putUnsent,
  readUnsent,
  removeUnsent,
  useOutbox,
} from './outbox.ts';

/** Posts a message of a conversation and shows it as accepted. The event of it may arrive before the answer, or after it. */
export async function postAndShow(
  userId: string,
  conversationId: string,
  send: PendingSend,
  options?: CallOptions,
): Promise<void> {
  const sent = await post(conversationId, send, options);
  live.addSent(sent);
  acceptSend(userId, sent);
}

/** The same request creates a conversation that does not exist yet. */
async function post(
  conversationId: string,
  send: PendingSend,
  options?: CallOptions,
): Promise<SentMessage> {
  if (!isUncreated(conversationId)) {
    const body = { ...followingLast(conversationId), ...bodyOf(send) };
    return postMessage(conversationId, body, options);
  }
  const { depth, workspaceId, ...choices } = send.choices ?? {};
  const creation = {
    ...choices,
    ...(workspaceId && { workspaceId }),
    title: deriveTitle(send.content),
    clientConversationId: conversationId,
    message: { ...bodyOf(send), ...(depth && { depth }) },
  };
  const { sent, ...conversation } = await createConversation(creation, options);
  upsertConversation(queryClient, { ...conversation, ...(sent && chosenBy(send)) });
  // A server of the previous version has created the conversation only.
  return sent ?? postMessage(conversation.id, bodyOf(send), options);
}

/** The fields of a conversation that come from its first message. */
const chosenBy = ({ choices, personaId, panel }: PendingSend): Partial<Conversation> => ({
  ...(choices?.depth && { depth: choices.depth }),
  ...(personaId !== undefined && { personaId }),
  ...(panel && { panel }),
});

/** The message follows the last one that this tab shows. If this tab shows none, the server uses its active leaf. */
function followingLast(conversationId: string): { parentId?: string | null } {
  const shown = loadedMessages(conversationId);
  return shown ? { parentId: shown.at(-1)?.id ?? null } : {};
}

const bodyOf = ({ content, clientMessageId, files, pastes, personaId, panel }: PendingSend) => ({
  content,
  clientMessageId,
  ...(pastes && { pastes }),
  ...(files && { files: sentFilesOf(files) }),
  ...(personaId !== undefined && { personaId }),
  ...(panel && { panel }),
});

/** Files as a send names them. */
export const sentFilesOf = (files: readonly MessageFile[]): SentFile[] =>
  files.map(({ id, objectPath, name }) => ({
    ...(id ? { id } : { objectPath }),
    ...(name !== undefined && { name }),
  }));

/** The server has accepted a message, according to its answer or an event. Called for both, it changes nothing the second time. */
export function acceptSend(userId: string, sent: SentMessage): void {
  const { conversationId, clientMessageId } = sent.message;
  noteBegun(sent.reply.id);
  const origin = clientMessageId && originOf(userId, clientMessageId);
  // The message too, before it is removed: other tabs that show it learn where it is.
  if (origin) moveUnsent(userId, { from: origin, to: conversationId });
  endSend(userId, origin || conversationId, clientMessageId);
  if (origin) {
    live.addFirst(sent);
    moveDraft(userId, origin, conversationId);
    if (origin === NEW ? isNewShown() : selected() === origin) {
      select(conversationId, { replace: selected() !== null });
    }
  }
}

/** Where a message was written whose conversation did not exist yet: the new one, or one that this browser named. */
function originOf(userId: string, clientMessageId: string): string | undefined {
  const { pending } = useOutbox.getState();
  if (pending[NEW]?.clientMessageId === clientMessageId) return NEW;
  const unsent = readUnsent(userId).find((message) => message.clientMessageId === clientMessageId);
  return unsent && isUncreated(unsent.conversationId) ? unsent.conversationId : undefined;
}

/** Moves what was sent in a conversation before its creation. */
function moveUnsent(userId: string, { from, to }: { from: string; to: string }): void {
  for (const message of readUnsent(userId)) {
    if (message.conversationId === from) putUnsent(userId, { ...message, conversationId: to });
  }
}

/** Removes what this browser keeps of a send until it is accepted: the draft, the pending send, the unsent message. */
export function endSend(
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

/** Whether a message of a list is the one that was sent under an id. */
export const isSend = (message: Message, clientMessageId: string): boolean =>
  message.role === 'user' && message.clientMessageId === clientMessageId;
