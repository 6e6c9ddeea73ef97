import type { User } from '@stolas/backend/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { userQuery } from '../../lib/query-client.ts';
import { signOut } from './session.ts';

interface UserState {
  /** Null when nobody is signed in, and until it is known. */
  user: User | null;
  isLoading: boolean;
  /** It could not be found out; `retry` asks again. */
  isError: boolean;
  retry: () => void;
}

/** The signed-in user. A page asks anew (`refetchOnMount`); what is inside it uses the same answer. */
export function useUser({ refetchOnMount = false } = {}): UserState {
  const { data = null, isPending, isError, refetch } = useQuery({ ...userQuery, refetchOnMount });
  return { user: data, isLoading: isPending, isError, retry: () => void refetch() };
}

/** Signing out, once however often it is pressed. */
export function useSignOut(): { signOut: () => void; isPending: boolean } {
  const { mutate, isPending } = useMutation({ mutationFn: signOut });
  return { signOut: () => mutate(), isPending };
}
