import { type Conversation, conversationCursor } from '@stolas/backend/contract';
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { PushedMeanwhile } from './reads.ts';

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

/** Null is a deletion. */
const pushedMeanwhile = new PushedMeanwhile<Conversation | null>();

/** Replaces a conversation in every list that holds it and adds it to those that it belongs to. */
export function upsertConversation(client: QueryClient, changed: Conversation): void {
  pushedMeanwhile.note(changed.id, changed);
  for (const { queryKey } of client.getQueryCache().findAll({ queryKey: conversationsKey })) {
    const filter = queryKey[1] as ConversationFilter;
    client.setQueryData<ConversationPages>(
      queryKey,
      (data) => data && upsertInto(data, filter, changed),
    );
  }
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
  pushedMeanwhile.note(id, null);
  client.setQueriesData<ConversationPages>(
    { queryKey: conversationsKey },
    (data) => data && { ...data, pages: without(data.pages, id) },
  );
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
  const [first, ...rest] = pages;
  if (!first || !belongsTo(filter, changed)) return { ...data, pages };
  const conversations = [changed, ...first.conversations].toSorted(byLastUpdate);
  return { ...data, pages: [{ ...first, conversations }, ...rest] };
}

/** Builds a page with at most `pageSize` conversations from the answer of `read` and the events received meanwhile. */
export const readConversationPage = (
  { filter, pageSize }: { filter: ConversationFilter; pageSize: number },
  read: () => Promise<readonly Conversation[]>,
): Promise<ConversationPage> =>
  pushedMeanwhile.merge(read, (answer, pushed) => {
    const last = answer.at(-1);
    const unchanged = answer.filter(({ id }) => !pushed.has(id));
    const added = [...pushed.values()].filter(
      (changed): changed is Conversation => changed !== null && belongsTo(filter, changed),
    );
    return {
      conversations: [...unchanged, ...added].toSorted(byLastUpdate),
      next: last && answer.length >= pageSize ? conversationCursor(last) : null,
    };
  });

const belongsTo = ({ q, ids }: ConversationFilter, { id, title }: Conversation): boolean =>
  (q === undefined || contains(title, q)) && (ids === undefined || ids.includes(id));

/** Whether a title contains a search, case-insensitively. */
export const contains = (title: string, search: string): boolean =>
  title.toLocaleLowerCase().includes(search.trim().toLocaleLowerCase());

/** The last updated first, as the server sorts them. */
export const byLastUpdate = (a: Conversation, b: Conversation): number =>
  compare(b.updatedAt, a.updatedAt) || compare(b.id, a.id);

export const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
