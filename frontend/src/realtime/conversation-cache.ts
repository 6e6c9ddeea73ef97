import {
  CONVERSATION_PAGE_SIZE,
  type Conversation,
  conversationCursor,
} from '@stolas/backend/contract';
import { type InfiniteData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { getNumbered, numbersOf } from './channel-numbers.ts';

/** Which conversations a list contains: all of them, those whose titles contain `q`, or those with these ids. */
export interface ConversationFilter {
  q?: string;
  ids?: readonly string[];
}

export interface ConversationPage {
  conversations: readonly Conversation[];
  /** Where the next page begins; null after the last one. It stays valid when entries of the page move. */
  next: string | null;
}

/** The cached data of every list of conversations. */
export type ConversationPages = InfiniteData<ConversationPage>;

/** Every list of conversations has a key that begins with this one. */
export const conversationsKey = ['conversations'] as const;
export const conversationListKey = (filter: ConversationFilter) =>
  [...conversationsKey, filter] as const;

/** Replaces a conversation in every list that holds it and adds it to those that it belongs to. */
export function upsertConversation(client: QueryClient, changed: Conversation): void {
  numbersOf(client).change<ConversationPages>(conversationsKey, (data, [, filter]) =>
    upsertInto(data, filter as ConversationFilter, changed),
  );
}

/** A conversation as this tab has it, from any list. */
export function cachedConversation(client: QueryClient, id: string): Conversation | undefined {
  for (const [, data] of client.getQueriesData<ConversationPages>({ queryKey: conversationsKey })) {
    const listed = data?.pages.flatMap(({ conversations }) => conversations);
    const found = listed?.find((conversation) => conversation.id === id);
    if (found) return found;
  }
  return undefined;
}

/** Removes a conversation from every list. */
export function removeConversation(client: QueryClient, id: string): void {
  numbersOf(client).change<ConversationPages>(conversationsKey, (data) => ({
    ...data,
    pages: without(data.pages, id),
  }));
}

const without = (pages: readonly ConversationPage[], removedId: string): ConversationPage[] =>
  pages.map((page) => {
    const others = page.conversations.filter(({ id }) => id !== removedId);
    return others.length === page.conversations.length ? page : { ...page, conversations: others };
  });

function upsertInto(
  data: ConversationPages,
  filter: ConversationFilter,
  changed: Conversation,
): ConversationPages {
  const pages = without(data.pages, changed.id);
  if (!belongsTo(filter, changed)) return { ...data, pages };
  // An event that a read has crossed may be older than what is read: then a page that is not read yet brings the conversation.
  const place = conversationCursor(changed);
  const at = pages.findIndex(({ next }) => next === null || place >= next);
  const page = pages[at];
  if (!page) return { ...data, pages };
  const conversations = [changed, ...page.conversations].toSorted(byLastUpdate);
  return { ...data, pages: pages.with(at, { ...page, conversations }) };
}

/** Reads a page of a list of conversations. */
export async function readConversations(
  filter: ConversationFilter,
  read: Parameters<typeof getNumbered>[1],
  before: string | null = null,
) {
  const query = new URLSearchParams({
    ...(filter.q !== undefined && { q: filter.q }),
    ...(filter.ids && { ids: filter.ids.join(',') }),
    ...(before !== null && { before }),
  });
  const path = query.size > 0 ? `/api/conversations?${query}` : '/api/conversations';
  return conversationPage(
    await getNumbered<readonly Conversation[]>(path, read),
    CONVERSATION_PAGE_SIZE,
  );
}

/** The conversations with these ids. Deleted ones are left out. */
export const conversationsByIdQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: conversationListKey({ ids }),
    queryFn: async (read): Promise<ConversationPages> => {
      const starts = ids.flatMap((_id, i) => (i % CONVERSATION_PAGE_SIZE === 0 ? [i] : []));
      const pages = starts.map((start) =>
        readConversations({ ids: ids.slice(start, start + CONVERSATION_PAGE_SIZE) }, read),
      );
      return { pages: await Promise.all(pages), pageParams: starts.map(() => null) };
    },
    enabled: ids.length > 0,
  });

/** The page of a list with at most `pageSize` conversations that the server has answered. */
export function conversationPage(
  conversations: readonly Conversation[],
  pageSize: number,
): ConversationPage {
  const last = conversations.at(-1);
  const isFull = conversations.length >= pageSize;
  return { conversations, next: last && isFull ? conversationCursor(last) : null };
}

const belongsTo = ({ q, ids }: ConversationFilter, { id, title }: Conversation): boolean =>
  (q === undefined || contains(title, q)) && (ids === undefined || ids.includes(id));

/** Whether a title contains a search, case-insensitively in every language as on the server. */
export const contains = (title: string, search: string): boolean =>
  title.toLowerCase().includes(search.trim().toLowerCase());

/** The last updated first, as the server sorts them. */
export const byLastUpdate = (a: Conversation, b: Conversation): number =>
  compare(b.updatedAt, a.updatedAt) || compare(b.id, a.id);

export const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
