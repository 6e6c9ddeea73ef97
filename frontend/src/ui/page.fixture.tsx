import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactElement } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { queryClient, userQuery } from '../lib/query-client.ts';
import { testSubscriber } from '../lib/user.fixture.ts';
import { useToastStore } from './toast-store.ts';

/** Forgets what a former test read and showed, and signs in. */
export function resetPage(): void {
  queryClient.clear();
  useToastStore.setState({ current: null, waiting: [] });
  localStorage.setItem('authToken', 'a-token');
}

/** Shows the page of a subscriber at an address. */
export function openPage(page: ReactElement, address: string) {
  navigate(address);
  queryClient.setQueryData(userQuery.queryKey, testSubscriber());
  return render(<QueryClientProvider client={queryClient}>{page}</QueryClientProvider>);
}
