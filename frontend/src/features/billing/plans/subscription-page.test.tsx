import type { User } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { setAuthToken } from '../../../lib/auth-token.ts';
import { queryClient, userQuery } from '../../../lib/query-client.ts';
import { fakeServer } from '../../../lib/server.fixture.ts';
import { testUser } from '../../../lib/user.fixture.ts';
import { Toaster } from '../../../ui/toast.tsx';
import { useToastStore } from '../../../ui/toast-store.ts';
import { SubscriptionPage } from './subscription-page.tsx';

async function open(user: User | null, path = '/subscription') {
  navigate(path);
  if (user) setAuthToken('one');
  fakeServer({ 'GET /api/auth/user': { body: user } });
  queryClient.setQueryData(userQuery.queryKey, user);
  render(
    <QueryClientProvider client={queryClient}>
      <SubscriptionPage />
      <Toaster />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
}

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

beforeEach(() => {
  queryClient.clear();
  useToastStore.setState({ current: null });
});

it('shows visitors both plans, and asks them to sign in before choosing one', async () => {
  await open(null);
  expect(screen.getByText('$29')).toBeTruthy();
  expect(screen.getByText('$179')).toBeTruthy();
  expect(screen.getByText('RECOMMENDED')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Sign In to Subscribe' })).toBeTruthy();
  await userEvent.click(button('Choose Pro'));
  expect(await screen.findByText('Authentication Required')).toBeTruthy();
  expect(screen.getByText('Please log in to subscribe to a plan.')).toBeTruthy();
});

it('shows guests as Demo, lets them go back, and asks them to register before choosing', async () => {
  await open(testUser({ subscriptionStatus: 'guest', email: null }));
  expect(screen.getByText('Current Plan: Demo')).toBeTruthy();
  expect(screen.getByText('Active')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Back to Chat' })).toBeTruthy();
  await userEvent.click(button('Choose Starter'));
  expect(location.pathname + location.search).toBe('/login?plan=starter');
});

it('does not offer subscribers the plan that they have', async () => {
  await open(
    testUser({ subscriptionStatus: 'active', subscriptionPlan: 'starter' }),
    '/subscription?change=true',
  );
  expect(screen.getByText('Current Plan: Starter')).toBeTruthy();
  expect(button('Current Plan').disabled).toBe(true);
  expect(button('Choose Pro').disabled).toBe(false);
});

it('shows a user without a plan no banner and no way back, but the email address and Sign Out', async () => {
  await open(testUser({}));
  expect(screen.queryByText(/Current Plan/)).toBeNull();
  expect(screen.queryByRole('link', { name: 'Back to Chat' })).toBeNull();
  expect(screen.getByText('ada@example.com')).toBeTruthy();
  expect(button('Sign Out')).toBeTruthy();
});

it('says that payments are not set up', async () => {
  await open(testUser({}));
  await userEvent.click(button('Choose Starter'));
  expect(await screen.findByText('Payments are not set up on this server yet.')).toBeTruthy();
});

it('brings users back to the plan that they were about to choose', async () => {
  await open(testUser({}), '/subscription?plan=pro');
  expect(document.activeElement).toBe(button('Choose Pro'));
});
