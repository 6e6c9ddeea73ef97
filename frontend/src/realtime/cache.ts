import type {
  Message,
  Reply,
  ReplyError,
  ReplyStatus,
  SentMessage,
} from '@stolas/backend/contract';
import type { QueryClient } from '@tanstack/react-query';

export { conversationsKey, upsertConversation } from './conversation-cache.ts';

// What the socket pushes goes into the same caches that the queries fill; these are their keys.
export const sessionsKey = ['sessions'] as const;
export const messagesKey = (conversationId: string) => ['messages', conversationId] as const;

type Messages = readonly Message[];

/** Whether this tab holds the conversation's messages or is about to. */
export function holdsMessages(client: QueryClient, conversationId: string): boolean {
  const state = client.getQueryState(messagesKey(conversationId));
  return state !== undefined && (state.data !== undefined || state.fetchStatus === 'fetching');
}

export function cachedReply(
  client: QueryClient,
  { replyId, conversationId }: { replyId: string; conversationId: string },
): Reply | undefined {
  const found = client
    .getQueryData<Messages>(messagesKey(conversationId))
    ?.findLast(({ id }) => id === replyId);
  return found?.role === 'assistant' ? found : undefined;
}

/** Appends what is new and replaces what is there, in one step: a tab never shows half a turn twice. */
export function upsertMessages(
  client: QueryClient,
  conversationId: string,
  incoming: readonly Message[],
): void {
  client.setQueryData<Messages>(messagesKey(conversationId), (messages = []) => {
    const byId = new Map(incoming.map((message) => [message.id, message]));
    const kept = messages.map((message) => byId.get(message.id) ?? message);
    const known = new Set(messages.map(({ id }) => id));
    return [...kept, ...incoming.filter(({ id }) => !known.has(id))];
  });
}

/** Adds a turn unless its messages are there already: what is there may be further ahead. */
export function addTurn(client: QueryClient, { message, reply }: SentMessage): void {
  const { conversationId } = message;
  const held = client.getQueryData<Messages>(messagesKey(conversationId)) ?? [];
  const fresh = [message, reply].filter(({ id }) => !held.some((other) => other.id === id));
  if (fresh.length > 0) upsertMessages(client, conversationId, fresh);
}

export interface ReplyPatch {
  status: ReplyStatus;
  attempt: number;
  error?: ReplyError;
  content?: string;
}

export function patchReply(
  client: QueryClient,
  { replyId, conversationId }: { replyId: string; conversationId: string },
  patch: ReplyPatch,
): void {
  client.setQueryData<Messages>(messagesKey(conversationId), (messages) =>
    messages?.map((message) => {
      if (message.id !== replyId || message.role !== 'assistant') return message;
      const { error: _former, ...rest } = message;
      return { ...rest, ...patch };
    }),
  );
}
