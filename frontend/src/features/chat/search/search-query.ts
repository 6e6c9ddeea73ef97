import { MAX_SEARCH_LENGTH, type SearchPage, type SearchResult } from '@stolas/backend/contract';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { apiGet } from '../../../lib/api.ts';
import { useActivity } from '../../../realtime/index.ts';

/**
 * The user's messages that contain every word of a search, the newest first; of a longer one than the server accepts, every word of its
 * beginning. Another search aborts the call for the one before.
 */
export function searchQuery(search: string) {
  const q = search.slice(0, MAX_SEARCH_LENGTH);
  return infiniteQueryOptions({
    queryKey: ['search', q],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ q, ...(pageParam !== null && { cursor: pageParam }) });
      return apiGet<SearchPage>(`/api/search?${query}`, { signal, on401: 'throw' });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: q !== '',
    placeholderData: keepPreviousData,
    // New messages arrive all the time.
    staleTime: 5_000,
    gcTime: 60_000,
  });
}

/** The results on the pages, without those in conversations that have gone since they were read. */
export function useFound(pages: readonly SearchPage[] | undefined): SearchResult[] | undefined {
  const { deleted, lost } = useActivity();
  return pages
    ?.flatMap(({ results }) => results)
    .filter(({ conversationId: id }) => !(id in deleted) && !(id in lost));
}
