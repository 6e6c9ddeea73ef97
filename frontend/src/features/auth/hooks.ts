import type { User } from '@stolas/backend/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { create } from 'zustand';
import { userQuery } from '../../lib/query-client.ts';
import { signOut } from './session.ts';

interface UserState {
  /** Null when no user is signed in, and until it is known. */
  user: User | null;
  isLoading: boolean;
  /** The request failed; `retry` repeats it. */
  isError: boolean;
  retry: () => void;
}

/** The signed-in user. A page requests the user again (`refetchOnMount`); components in it use the same answer. */
export function useUser({ refetchOnMount = false } = {}): UserState {
  const { data = null, isPending, isError, refetch } = useQuery({ ...userQuery, refetchOnMount });
  return { user: data, isLoading: isPending, isError, retry: () => void refetch() };
}

/** A part of the signed-in user, for what is drawn for each message: the user changes twice with each reply. Undefined without a user. */
export const useUserPart = <T>(select: (user: User) => T): T | undefined =>
  useQuery({
    ...userQuery,
    refetchOnMount: false,
    select: (user) => (user ? select(user) : undefined),
  }).data;

export const useGuestSignOut = create<{ isOpen: boolean }>(() => ({ isOpen: false }));
export const closeGuestSignOut = (): void => useGuestSignOut.setState({ isOpen: false });

interface SignOut {
  signOut: () => void;
  isPending: boolean;
}

/** Signs out once, however often it is called; without a network too. */
export function useSignOutNow(): SignOut {
  const { mutate, isPending } = useMutation({ mutationFn: signOut, networkMode: 'always' });
  return { signOut: () => mutate(), isPending };
}

/** Signs out; a guest is asked first (guest-sign-out.tsx). */
export function useSignOut(): SignOut {
  const { user } = useUser();
  const now = useSignOutNow();
  const isGuest = user?.subscriptionStatus === 'guest';
  return isGuest ? { ...now, signOut: () => useGuestSignOut.setState({ isOpen: true }) } : now;
}
