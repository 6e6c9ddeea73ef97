import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactElement } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { queryClient, userQuery } from '../lib/query-client.ts';
import { testSubscriber } from '../lib/user.fixture.ts';

/** Shows the page of a signed-in subscriber at an address. */
export function openPage(page: ReactElement, address: string) {
  localStorage.setItem('authToken', 'a-token');
  navigate(address);
  queryClient.setQueryData(userQuery.queryKey, testSubscriber());
  return render(<QueryClientProvider client={queryClient}>{page}</QueryClientProvider>);
}
