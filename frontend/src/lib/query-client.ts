import type { User } from '@stolas/backend/contract';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { apiGet, TOKEN_KEY } from './api.ts';
import { readItem } from './storage.ts';

/** Queries never refetch by themselves: the socket pushes what changed (specification section 9). */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
      refetchInterval: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    },
    mutations: { retry: false },
  },
});

/** Who is signed in, or null. Never cached, asked once more when it fails (section 7). */
export const userQuery = queryOptions({
  queryKey: ['auth', 'user'],
  // No token means signed out (section 4): then there is nothing to ask, and no 401 on the console.
  queryFn: () => (readItem(TOKEN_KEY) === null ? null : apiGet<User>('/api/auth/user')),
  retry: 1,
  staleTime: 0,
  gcTime: 0,
  refetchOnMount: true,
});

/** Drops what was fetched for somebody, but not who it is: see `refreshUser`. */
export function clearFetched(): void {
  queryClient.removeQueries({
    predicate: ({ queryKey }) => queryKey[0] !== userQuery.queryKey[0],
  });
  queryClient.getMutationCache().clear();
}

/** Asks anew who is signed in; until the answer is here nobody is known. */
export const refreshUser = (): Promise<void> =>
  queryClient.resetQueries({ queryKey: userQuery.queryKey });
