import type { Message, MessageFile, SentFile, SentMessage } from '@stolas/backend/contract';
import { queryClient } from '../../../lib/query-client.ts';
import { deriveTitle } from '../../../lib/title.ts';
import { messagesKey, upsertConversation } from '../../../realtime/index.ts';
import { createConversation, postMessage } from '../api.ts';
import type { PendingSend } from './outbox.ts';
import { isUncreated } from './unsent.ts';

/** Posts a message. A conversation that is not created yet is created by the same request. */
export async function post(conversationId: string, send: PendingSend): Promise<SentMessage> {
  if (!isUncreated(conversationId)) {
    return postMessage(conversationId, { ...followingLast(conversationId), ...bodyOf(send) });
  }
  const { depth, ...choices } = send.choices ?? {};
  const { sent, ...conversation } = await createConversation({
    ...choices,
    title: deriveTitle(send.content),
    clientConversationId: conversationId,
    message: { ...bodyOf(send), ...(depth && { depth }) },
  });
  // The message that it begins with has chosen the depth.
  upsertConversation(queryClient, { ...conversation, ...(sent && depth && { depth }) });
  // A server of the version before has created the conversation only.
  return sent ?? postMessage(conversation.id, bodyOf(send));
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

/** The message follows the last one that this tab shows. If this tab shows none, the server uses its active leaf. */
function followingLast(conversationId: string): { parentId?: string | null } {
  const shown = queryClient.getQueryData<readonly Message[]>(messagesKey(conversationId));
  return shown ? { parentId: shown.at(-1)?.id ?? null } : {};
}

/** A new conversation of which only this message is known. */
export function holdFirst({ message, reply }: SentMessage): void {
  if (message.parentId !== null) return;
  queryClient.setQueryData<readonly Message[]>(
    messagesKey(message.conversationId),
    (held) => held ?? [message, reply],
  );
}
