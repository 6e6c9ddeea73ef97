import type {
  Conversation,
  Message,
  Reply,
  ReplyState,
  RetryReplyBody,
  SendMessageBody,
  SentMessage,
} from '@stolas/backend/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiGet, apiPost } from '../../lib/api.ts';
import {
  conversationsKey,
  live,
  messagesKey,
  reconcileConversations,
} from '../../realtime/index.ts';

const conversationPath = (id: string) => `/api/conversations/${encodeURIComponent(id)}`;

export const conversationsQuery = queryOptions({
  queryKey: conversationsKey,
  queryFn: async ({ client, signal }) => {
    const options = { signal, on401: 'throw' } as const;
    const fetched = await apiGet<readonly Conversation[]>('/api/conversations', options);
    return reconcileConversations(client, fetched);
  },
});

/** Messages per page. The last page is read first, earlier ones when the reader scrolls up. */
const PAGE_SIZE = 50;

const readPage = (conversationId: string, query: string, signal?: AbortSignal) =>
  apiGet<Message[]>(`${conversationPath(conversationId)}/messages?limit=${PAGE_SIZE}${query}`, {
    on401: 'throw',
    ...(signal && { signal }),
  });

export const messagesQuery = (conversationId: string) =>
  queryOptions({
    queryKey: messagesKey(conversationId),
    queryFn: ({ signal }) => live.read(conversationId, () => readPage(conversationId, '', signal)),
  });

/** Loads the page above `before`, the first message that is loaded. */
export async function loadEarlierMessages(conversationId: string, before: string): Promise<void> {
  const page = await readPage(conversationId, `&before=${before}`);
  live.prepend(conversationId, before, page);
}

export const createConversation = (title: string) =>
  apiPost<Conversation>('/api/conversations', { title });

export const postMessage = (conversationId: string, body: SendMessageBody) =>
  apiPost<SentMessage>(`${conversationPath(conversationId)}/messages`, body);

export const stopReply = (replyId: string) => apiPost<ReplyState>(`/api/replies/${replyId}/stop`);

export const retryReply = (replyId: string, body: RetryReplyBody) =>
  apiPost<Reply>(`/api/replies/${replyId}/retry`, body);
