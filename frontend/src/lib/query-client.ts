import type { User } from '@stolas/backend/contract';
import { notifyManager, QueryClient, queryOptions } from '@tanstack/react-query';
import { apiGet, isTemporary, TOKEN_KEY } from './api.ts';
import { readItem } from './storage.ts';

// At once, and not in a later task or microtask: React would draw a change of other state before it, such as a thread without the message that
// has just been accepted, whose pending row is gone.
notifyManager.setScheduler((notify) => notify());

/** Queries never refetch by themselves: the socket pushes what changed (docs/product.md, 'Calls'). */
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

/** The signed-in user, or null. Never cached; requested once more when it fails. */
export const userQuery = queryOptions({
  queryKey: ['auth', 'user'],
  // No token means signed out: then there is no request, and no 401 on the console.
  queryFn: () => (readItem(TOKEN_KEY) === null ? null : apiGet<User>('/api/auth/user')),
  // A call to a busy server has been repeated already.
  retry: (failures, error) => failures === 0 && !isTemporary(error),
  staleTime: 0,
  gcTime: 0,
  refetchOnMount: true,
});

/** The signed-in user now, for what happens later than a component is drawn. */
export const signedInUser = (): User | null => queryClient.getQueryData(userQuery.queryKey) ?? null;

/** Drops all data of the user except the user itself: see `refreshUser`. */
export function clearFetched(): void {
  queryClient.removeQueries({
    predicate: ({ queryKey }) => queryKey[0] !== userQuery.queryKey[0],
  });
  queryClient.getMutationCache().clear();
}

/** Requests the signed-in user again; until the answer arrives the user is unknown. */
export const refreshUser = (): Promise<void> =>
  queryClient.resetQueries({ queryKey: userQuery.queryKey });
