import type { User } from '@stolas/backend/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { userQuery } from '../../lib/query-client.ts';
import { signOut } from './session.ts';

interface UserState {
  /** Null without a session, and until it is known. */
  user: User | null;
  isLoading: boolean;
  /** The call failed; `retry` repeats it. */
  isError: boolean;
  retry: () => void;
}

/** The signed-in user. */
export function useUser(): UserState {
  const { data = null, isPending, isError, refetch } = useQuery(userQuery);
  return { user: data, isLoading: isPending, isError, retry: () => void refetch() };
}

/** Signing out, once however often it is pressed. */
export function useSignOut(): { signOut: () => void; isPending: boolean } {
  const { mutate, isPending } = useMutation({ mutationFn: signOut });
  return { signOut: () => mutate(), isPending };
}
