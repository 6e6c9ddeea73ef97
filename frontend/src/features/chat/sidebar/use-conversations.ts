import type { Conversation } from '@stolas/backend/contract';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useDelayed } from '../../../lib/use-delayed.ts';
import { type ConversationPages, conversationsByIdQuery } from '../../../realtime/index.ts';
import { conversationsQuery, titlesQuery } from '../api.ts';
import { conversationsOf } from '../use-conversation.ts';
import { arrange, type View } from './sort-conversations.ts';

const SEARCH_DELAY_MS = 250;

interface ConversationList {
  /** The loaded conversations to show, in order; undefined before the first page. */
  conversations: readonly Conversation[] | undefined;
  /** The first page could not be loaded. */
  isFailed: boolean;
  retry: () => void;
  /** There is more: a request is in flight, or `loadMore` starts one. */
  hasMore: boolean;
  /** The last request for more failed. */
  isMoreFailed: boolean;
  loadMore: () => void;
  /** Changes whenever something was loaded. */
  version: number;
}

/**
 * The list of the sidebar: the pages loaded so far, all starred conversations, and during a search the server's
 * results.
 */
export function useConversations({ stars, search }: View): ConversationList {
  const wanted = search.trim();
  const asked = useDelayed(wanted, SEARCH_DELAY_MS);
  const all = useInfiniteQuery(conversationsQuery());
  const found = useInfiniteQuery(titlesQuery(asked));
  const starred = useStarred(all.data, stars);
  const more = wanted === '' ? all : found;

  const conversations = useMemo(() => {
    if (!all.data) return undefined;
    const known = [all.data, starred, found.data].flatMap((data) => conversationsOf(data));
    return arrange(known, { stars, search });
  }, [all.data, found.data, starred, stars, search]);

  return {
    conversations,
    isFailed: all.isError && !all.data,
    retry: () => void all.refetch(),
    hasMore: more.hasNextPage || (wanted !== '' && (asked !== wanted || found.isPending)),
    isMoreFailed: more.isError && !more.isFetching,
    loadMore: () => {
      if (!more.isFetching) void (more.data ? more.fetchNextPage() : more.refetch());
    },
    version: more.dataUpdatedAt,
  };
}

/** Starred conversations that are not on the pages loaded so far. */
function useStarred(
  loaded: ConversationPages | undefined,
  stars: ReadonlySet<string>,
): ConversationPages | undefined {
  const missing = useMemo(() => {
    const ids = new Set(conversationsOf(loaded).map(({ id }) => id));
    return loaded ? [...stars].filter((id) => !ids.has(id)).toSorted() : [];
  }, [loaded, stars]);
  const { data } = useQuery({
    ...conversationsByIdQuery(missing),
    placeholderData: keepPreviousData,
  });
  return data;
}
