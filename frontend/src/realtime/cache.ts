import type {
  Message,
  PersonaSummary,
  Reply,
  ReplyError,
  ReplyPart,
  ReplyStatus,
  SentMessage,
} from '@stolas/backend/contract';
import type { QueryClient } from '@tanstack/react-query';
import { numbersOf } from './channel-numbers.ts';

export { removeConversation, upsertConversation } from './conversation-cache.ts';

// Events of the socket update the caches of the queries; these are their keys.
export const sessionsKey = ['sessions'] as const;
export const exportKey = ['data-export'] as const;

/** The user's memories. */
export const memoriesKey = ['memories'];
/** The user's workspaces, with their members and invitations. */
export const workspacesKey = ['workspaces'];
export const billingKey = ['billing'] as const;
export const usageKey = ['usage'] as const;
export const allMessagesKey = ['messages'] as const;
export const messagesKey = (conversationId: string) => [...allMessagesKey, conversationId] as const;

/** All personas of the user and the ready-made ones. */
export const personasKey = ['personas'];

/** The active path of a conversation, oldest first: its last page, and the earlier ones that were loaded. */
export type Messages = readonly Message[];

/** Whether this tab has the conversation's messages or is reading them. */
export function holdsMessages(client: QueryClient, conversationId: string): boolean {
  const state = client.getQueryState(messagesKey(conversationId));
  return state !== undefined && (state.data !== undefined || state.fetchStatus === 'fetching');
}

export const cachedMessages = (client: QueryClient, conversationId: string): Messages | undefined =>
  client.getQueryData<Messages>(messagesKey(conversationId));

export function cachedReply(
  client: QueryClient,
  { replyId, conversationId }: { replyId: string; conversationId: string },
): Reply | undefined {
  const found = cachedMessages(client, conversationId)?.findLast(({ id }) => id === replyId);
  return found?.role === 'assistant' ? found : undefined;
}

export function setMessages(client: QueryClient, conversationId: string, messages: Messages): void {
  client.setQueryData<Messages>(messagesKey(conversationId), messages);
}

/**
 * The path after a message was sent: up to its parent, then the message and its reply. A message that is on the path
 * already is replaced. Undefined when the parent is not on the path.
 */
export function pathWith(path: Messages, { message, reply }: SentMessage): Messages | undefined {
  if (message.parentId === null) return [message, reply];
  const parent = path.findLastIndex(({ id }) => id === message.parentId);
  if (parent !== -1) return [...path.slice(0, parent + 1), message, reply];
  // The parent may be on an earlier page that is not loaded.
  return path[0]?.id === message.id ? [message, reply] : undefined;
}

/**
 * The pages of `held` above the page that was read, if they still join, and that page.
 */
export function joinPages(held: Messages, page: Messages): Messages {
  const above = page[0]?.parentId;
  const end = above ? held.findIndex(({ id }) => id === above) + 1 : 0;
  return end > 0 ? [...held.slice(0, end), ...page] : page;
}

export interface ReplyPatch {
  status: ReplyStatus;
  attempt: number;
  error?: ReplyError;
  content?: string;
  parts?: ReplyPart[];
}

/** Replaces one message of the path; `change` gets it as it is cached. */
export function updateMessage(
  client: QueryClient,
  { messageId, conversationId }: { messageId: string; conversationId: string },
  change: (message: Message) => Message,
): void {
  client.setQueryData<Messages>(messagesKey(conversationId), (messages) => {
    const index = messages?.findLastIndex(({ id }) => id === messageId) ?? -1;
    const message = messages?.[index];
    return messages && message ? messages.with(index, change(message)) : messages;
  });
}

export function patchReply(
  client: QueryClient,
  { replyId, conversationId }: { replyId: string; conversationId: string },
  patch: ReplyPatch,
): void {
  updateMessage(client, { messageId: replyId, conversationId }, (message) => {
    if (message.role !== 'assistant') return message;
    const { error: _error, ending: _ending, ...rest } = message;
    return { ...rest, ...patch };
  });
}

/** Puts a persona first, unless a later version of it is cached. The ready-made ones stay last. */
export function updatePersona(client: QueryClient, persona: PersonaSummary): void {
  numbersOf(client).change<PersonaSummary[]>(personasKey, (list) => {
    const known = list.find(({ id }) => id === persona.id);
    if (known && known.version > persona.version) return list;
    return [persona, ...list.filter(({ id }) => id !== persona.id)];
  });
}

export function removePersona(client: QueryClient, id: string): void {
  numbersOf(client).change<PersonaSummary[]>(personasKey, (list) =>
    list.filter((persona) => persona.id !== id),
  );
}
