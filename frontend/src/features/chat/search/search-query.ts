import type { SearchPage } from '@stolas/backend/contract';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { apiGet } from '../../../lib/api.ts';

/** The user's messages that contain every word of `q`, the newest first. Another `q` aborts the call for the one before. */
export const searchQuery = (q: string) =>
  infiniteQueryOptions({
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
