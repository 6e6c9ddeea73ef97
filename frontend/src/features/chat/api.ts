import {
  type Conversation,
  type ConversationPayer,
  type CreateConversationBody,
  type CreatedConversation,
  type Message,
  type Person,
  type RegenerateBody,
  type ReplyFeedbackBody,
  type ReplyResult,
  type ReplyState,
  type SendMessageBody,
  type SentMessage,
  type UpdateConversationBody,
} from '@stolas/backend/contract';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import {
  apiDelete,
  apiGet,
  apiPatch,
  apiPost,
  apiPut,
  type CallOptions,
  isGone,
} from '../../lib/api.ts';
import { queryClient } from '../../lib/query-client.ts';
import {
  type ConversationFilter,
  conversationListKey,
  getNumbered,
  live,
  messagesKey,
  noteMissedDeletion,
  readConversations,
} from '../../realtime/index.ts';

const conversationPath = (id: string) => `/api/conversations/${encodeURIComponent(id)}`;

/** A page of conversations, the last updated first: all of them, or those whose titles contain `q`. */
export const conversationsQuery = (filter: Pick<ConversationFilter, 'q'> = {}) =>
  infiniteQueryOptions({
    queryKey: conversationListKey(filter),
    queryFn: (read) => readConversations(filter, read, read.pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** The longest search of titles that the server accepts. */
const MAX_TITLE_SEARCH_LENGTH = 100;

/** The conversations whose titles contain a search, or its beginning. */
export function titlesQuery(search: string) {
  const q = search.slice(0, MAX_TITLE_SEARCH_LENGTH);
  return { ...conversationsQuery({ q }), enabled: q !== '' };
}

/** Messages per page. The last page is read first, earlier ones when the reader scrolls up. */
const PAGE_SIZE = 50;

export const messagesQuery = (conversationId: string) =>
  queryOptions({
    queryKey: messagesKey(conversationId),
    queryFn: async (read) => {
      const path = `${conversationPath(conversationId)}/messages?limit=${PAGE_SIZE}`;
      try {
        return await live.read(conversationId, () => getNumbered<Message[]>(path, read));
      } catch (error) {
        if (isGone(error) && read.client.getQueryData(read.queryKey))
          noteMissedDeletion(conversationId);
        throw error;
      }
    },
  });

/** The loaded messages of a conversation, as they are now. */
export const loadedMessages = (conversationId: string): readonly Message[] | undefined =>
  queryClient.getQueryData<readonly Message[]>(messagesKey(conversationId));

/** Up to `limit` messages above one, oldest first. @throws ApiError 404 when there is no such message */
export const readMessagesAbove = (
  conversationId: string,
  messageId: string,
  { limit, signal }: { limit: number; signal?: AbortSignal },
) =>
  apiGet<Message[]>(
    `${conversationPath(conversationId)}/messages?before=${encodeURIComponent(messageId)}&limit=${limit}`,
    { on401: 'throw', signal },
  );

/** Loads up to `limit` messages above `before`, the first message that is loaded. */
export async function loadEarlierMessages(
  conversationId: string,
  before: string,
  limit: number = PAGE_SIZE,
): Promise<void> {
  const page = await readMessagesAbove(conversationId, before, { limit });
  live.prepend(conversationId, before, page);
}

/** The same `clientConversationId` returns the same conversation. A `message` is sent in it. */
export const createConversation = (body: CreateConversationBody, options?: CallOptions) =>
  apiPost<CreatedConversation>('/api/conversations', body, options);

/** Changes without an answer of the server. */
const changes = new Set<Promise<unknown>>();

/** A reply requested after a change uses the changed settings, such as a new depth. */
const afterChanges = async <T>(ask: () => Promise<T>): Promise<T> => {
  // With no change under way the request leaves at once, before React renders what the send has changed.
  if (changes.size > 0) await Promise.allSettled(changes);
  return ask();
};

export function updateConversation(
  conversationId: string,
  body: UpdateConversationBody,
): Promise<Conversation> {
  const change = apiPatch<Conversation>(conversationPath(conversationId), body);
  const end = () => changes.delete(change);
  changes.add(change);
  change.then(end, end);
  return change;
}

/** The user has seen all of the conversation. */
export const markConversationRead = (conversationId: string) =>
  apiPut<undefined>(`${conversationPath(conversationId)}/read`, {});

/** Whom a message in the conversation may name. */
export const peopleQuery = (conversationId: string) =>
  queryOptions({
    queryKey: ['people', conversationId],
    queryFn: ({ signal }) =>
      apiGet<{ people: Person[] }>(`${conversationPath(conversationId)}/people`, {
        signal,
        on401: 'throw',
      }),
    staleTime: 60_000,
  });

/** Who pays for the user's next message in a conversation; it may change with each reply, which changes `updatedAt`. */
export const payerQuery = ({ id, updatedAt, ownerPays }: Conversation) =>
  queryOptions({
    queryKey: ['payer', id, updatedAt, ownerPays ?? null],
    queryFn: ({ signal }) =>
      apiGet<ConversationPayer>(`${conversationPath(id)}/payer`, { signal, on401: 'throw' }),
    // Other conversations use up the owner's plan too.
    staleTime: 0,
  });

/** Hides the conversation in every tab; it can be restored for `RESTORE_SECONDS`. */
export const deleteConversation = (conversationId: string) =>
  apiDelete(conversationPath(conversationId));

export const restoreConversation = (conversationId: string) =>
  apiPost<Conversation>(`${conversationPath(conversationId)}/restore`);

export const postMessage = (conversationId: string, body: SendMessageBody, options?: CallOptions) =>
  afterChanges(() =>
    apiPost<SentMessage>(`${conversationPath(conversationId)}/messages`, body, options),
  );

export const stopReply = (replyId: string) => apiPost<ReplyState>(`/api/replies/${replyId}/stop`);

/** Generates another reply to the same message: a new sibling. Repeated with the same body, it answers the same one. */
export const regenerateReply = (replyId: string, body: RegenerateBody) =>
  afterChanges(() => apiPost<ReplyResult>(`/api/replies/${replyId}/regenerate`, body));

/** Continues the same reply after its text. */
export const continueReply = (replyId: string) =>
  apiPost<ReplyResult>(`/api/replies/${replyId}/continue`);

/** Stores the user's rating of a reply; without a rating the stored one is removed. */
export const rateReply = (replyId: string, body: ReplyFeedbackBody) =>
  apiPut<ReplyResult>(`/api/replies/${replyId}/feedback`, body);
