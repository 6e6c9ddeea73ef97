import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../../lib/api.ts';
import { getAuthToken, setAuthToken } from '../../lib/auth-token.ts';
import { queryClient } from '../../lib/query-client.ts';
import { useToastStore } from '../../ui/toast-store.ts';
import { useAction } from './use-action.ts';

/** Runs an action that fails with `error`. @returns the notification that is shown, and where the page goes */
async function failWith(error: Error) {
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  useToastStore.setState({ current: null });
  setAuthToken('one');
  const run = vi.fn<() => Promise<void>>().mockRejectedValue(error);
  const { result } = renderHook(() => useAction({ run, failed: 'The name was not saved' }), {
    wrapper: ({ children }) => (
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    ),
  });
  await act(async () => result.current.run());
  await waitFor(() => expect(result.current.isPending).toBe(false));
  return { shown: useToastStore.getState().current, assign };
}

it.each([
  ['the sentence of the server', new ApiError(409, '{"message":"It was changed elsewhere."}')],
  ['what to do when the server sent none', new TypeError('Failed to fetch')],
])('a failed action shows its title and %s', async (_what, error) => {
  const { shown, assign } = await failWith(error);
  expect(shown).toMatchObject({
    variant: 'destructive',
    title: 'The name was not saved',
    description:
      error instanceof ApiError
        ? 'It was changed elsewhere.'
        : 'Check your connection and try again.',
  });
  expect(assign).not.toHaveBeenCalled();
  expect(getAuthToken()).toBe('one');
});

it('an action that meets the end of the session leads to /login without a notification', async () => {
  const { shown, assign } = await failWith(new ApiError(401, '{"message":"Sign in first."}'));
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/login'));
  expect(shown).toBeNull();
  expect(getAuthToken()).toBeNull();
});
