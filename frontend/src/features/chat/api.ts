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

export const messagesQuery = (conversationId: string) =>
  queryOptions({
    queryKey: messagesKey(conversationId),
    queryFn: async ({ signal }) => {
      const path = `${conversationPath(conversationId)}/messages`;
      const fetched = await apiGet<Message[]>(path, { signal, on401: 'throw' });
      return live.reconcile(conversationId, fetched);
    },
  });

export const createConversation = (title: string) =>
  apiPost<Conversation>('/api/conversations', { title });

export const postMessage = (conversationId: string, body: SendMessageBody) =>
  apiPost<SentMessage>(`${conversationPath(conversationId)}/messages`, body);

export const stopReply = (replyId: string) => apiPost<ReplyState>(`/api/replies/${replyId}/stop`);

export const retryReply = (replyId: string, body: RetryReplyBody) =>
  apiPost<Reply>(`/api/replies/${replyId}/retry`, body);
