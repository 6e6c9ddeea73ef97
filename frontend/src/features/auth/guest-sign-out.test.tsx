import { onlineManager, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { GuestQuestion } from '../../app/routes.tsx';
import { getAuthToken, setAuthToken } from '../../lib/auth-token.ts';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { testGuest, testUser } from '../../lib/user.fixture.ts';
import { closeGuestSignOut, useSignOut } from './hooks.ts';

const SIGN_OUT = 'POST /api/auth/signout';
let server: ReturnType<typeof fakeServer>;

const Control = () => <button onClick={useSignOut().signOut}>Leave</button>;

async function leave(user: ReturnType<typeof testUser>) {
  vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  navigate('/');
  setAuthToken('one');
  queryClient.setQueryData(userQuery.queryKey, user);
  render(
    <QueryClientProvider client={queryClient}>
      <Control />
      <GuestQuestion />
    </QueryClientProvider>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Leave' }));
}
const question = async () => within(await screen.findByRole('dialog'));
const signedOut = () => server.asked.filter(({ call }) => call === SIGN_OUT).length;

beforeEach(() => {
  server = fakeServer({ [SIGN_OUT]: { body: { message: 'Signed out.' } } });
  closeGuestSignOut();
});

it('warns a guest who signs out of what is lost, and signs out by a second click', async () => {
  await leave(testGuest());
  const asked = await question();
  expect(asked.getByText(/Your conversations cannot be opened again after that/)).toBeTruthy();
  expect(signedOut()).toBe(0);
  await userEvent.click(asked.getByRole('button', { name: 'Sign Out' }));
  await waitFor(() => expect(signedOut()).toBe(1));
});

it('a guest can register instead, or stay', async () => {
  await leave(testGuest());
  await userEvent.click((await question()).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(location.pathname).toBe('/');
  await userEvent.click(screen.getByRole('button', { name: 'Leave' }));
  await userEvent.click((await question()).getByRole('link', { name: 'Create Account' }));
  expect(location.pathname).toBe('/login');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(signedOut()).toBe(0);
});

it('a user without a network is signed out in this browser at once', async () => {
  server.answers[SIGN_OUT] = 'no network';
  onlineManager.setOnline(false);
  onTestFinished(() => onlineManager.setOnline(true));
  await leave(testUser());
  await waitFor(() => expect(getAuthToken()).toBeNull());
});

it('a registered user signs out at once', async () => {
  await leave(testUser());
  await waitFor(() => expect(signedOut()).toBe(1));
  expect(screen.queryByRole('dialog')).toBeNull();
});
