import { SCREEN_PATHS } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { SIGNED_IN } from '../features/auth/index.ts';
import { getAuthToken, removeAuthToken, setAuthToken } from '../lib/auth-token.ts';
import { queryClient } from '../lib/query-client.ts';
import { fakeServer } from '../lib/server.fixture.ts';
import { testGuest, testSubscriber, testUser } from '../lib/user.fixture.ts';
import { useToastStore } from '../ui/toast-store.ts';
import { Notifications } from './notifications.tsx';
import { Routes } from './routes.tsx';
// oxlint-disable-next-line import/default -- Vite makes it
import source from './routes.tsx?raw';

const subscriber = {
  id: 'u1',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: '',
  subscriptionStatus: 'active',
  subscriptionPlan: 'pro',
};

function open(path: string, state?: string) {
  navigate(path, { state });
  render(
    <QueryClientProvider client={queryClient}>
      <Routes />
      <Notifications />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  setAuthToken('one');
});

it('shows Loading STOLAS... until the user is known, then the landing page', async () => {
  fakeServer({ 'GET /api/auth/user': { status: 401, body: {} } });
  open('/');
  expect(screen.getByText('Loading STOLAS...')).toBeTruthy();
  const enter = await screen.findByRole('link', { name: 'Enter STOLAS' });
  expect(enter.getAttribute('href')).toBe('/login');
});

it('shows the landing page without a request when there is no token', async () => {
  removeAuthToken();
  const { asked } = fakeServer({});
  open('/');
  expect(await screen.findByRole('link', { name: 'View Live Demo' })).toBeTruthy();
  expect(asked).toEqual([]);
});

it('redirects an unsubscribed user from / to the plans', async () => {
  fakeServer({
    'GET /api/auth/user': {
      body: { ...subscriber, subscriptionStatus: null, subscriptionPlan: null },
    },
  });
  open('/');
  await waitFor(() => expect(location.pathname).toBe('/subscription'));
});

it('shows a notice to a subscriber on /subscription, then goes to /', async () => {
  const { answers } = fakeServer({ 'GET /api/auth/user': { body: subscriber } });
  open('/subscription');
  expect(await screen.findByText('Already Subscribed')).toBeTruthy();
  expect(screen.getByText('Loading STOLAS...')).toBeTruthy();
  expect(screen.queryByText('Choose Your Plan')).toBeNull();
  answers['GET /api/auth/user'] = { status: 401, body: {} };
  await waitFor(() => expect(location.pathname).toBe('/'));
});

it('sends a subscriber who has just signed in to / without a notice', async () => {
  fakeServer({ 'GET /api/auth/user': { body: subscriber } });
  open('/subscription', SIGNED_IN);
  await waitFor(() => expect(location.pathname).toBe('/'));
  expect(useToastStore.getState().current).toBeNull();
});

describe('the other pages of signed-in users', () => {
  const answers = {
    'GET /api/conversations': { body: [] },
    'GET /api/personas?fields=summary': { body: [] },
    'GET /api/auth/sessions': { body: [] },
    'GET /api/account/export': { body: { export: null } },
    'GET /api/shares': { body: [] },
    'GET /api/memories': { body: { memories: [], count: 0 } },
  };
  const sidebar = () => screen.queryByRole('navigation', { name: 'Conversations' });

  it.each(['/files', '/memory', '/personas', '/settings'])(
    '%s stands beside the sidebar',
    async (path) => {
      fakeServer({ ...answers, 'GET /api/auth/user': { body: testSubscriber() } });
      open(path);
      await waitFor(() => expect(sidebar()).toBeTruthy());
      expect(screen.getByRole('link', { current: 'page' }).getAttribute('href')).toBe(path);
      await screen.findByRole('main');
      expect(screen.queryByRole('link', { name: 'No Active Plan' })).toBeNull();
    },
  );

  it('keep the sidebar, and do not read its list again, when the page changes', async () => {
    const { asked } = fakeServer({
      ...answers,
      'GET /api/auth/user': { body: testSubscriber() },
      'GET /api/files': { body: { files: [], storage: { used: 0, limit: 1 } } },
    });
    const reads = () => asked.filter(({ call }) => call === 'GET /api/conversations').length;
    open('/');
    await screen.findByPlaceholderText('Message STOLAS...');
    const shown = sidebar();
    await screen.findByText('No conversations yet');
    expect(reads()).toBe(1);
    for (const name of ['Settings', 'Memory', 'Personas']) {
      await userEvent.click(screen.getByRole('link', { name }));
      await screen.findByRole('heading', { level: 1, name });
      expect(sidebar()).toBe(shown);
    }
    await userEvent.click(screen.getByRole('button', { name: 'New Chat' }));
    await screen.findByPlaceholderText('Message STOLAS...');
    expect(sidebar()).toBe(shown);
    expect(reads()).toBe(1);
  });

  it('have the sidebar and the way to the plans for a user who may not chat', async () => {
    const body = testUser({ subscriptionStatus: null, subscriptionPlan: null });
    fakeServer({ ...answers, 'GET /api/auth/user': { body } });
    open('/settings');
    const choose = await screen.findByRole('link', { name: 'No Active Plan' });
    expect(choose.getAttribute('href')).toBe('/subscription');
    expect(sidebar()?.contains(choose)).toBe(true);
  });

  it('list the keyboard shortcuts, as often as they are asked for', async () => {
    fakeServer({ ...answers, 'GET /api/auth/user': { body: testSubscriber() } });
    open('/settings');
    for (const _time of ['first', 'second']) {
      await userEvent.click(await screen.findByRole('button', { name: 'Show Keyboard Shortcuts' }));
      await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
      await userEvent.keyboard('{Escape}');
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    }
  });
});

describe('a signed-in user who signs in again with a provider', () => {
  it('gets the new session, and returns to the page that asked for it', async () => {
    sessionStorage.setItem('signInNext', '/verify-email');
    fakeServer({
      'GET /api/auth/user': { body: subscriber },
      'POST /api/auth/complete': { body: { token: 'two' } },
    });
    open('/login?continue=true');
    await waitFor(() => expect(location.pathname).toBe('/verify-email'));
    expect(getAuthToken()).toBe('two');
  });

  it.each([
    ['continue=true', 'This took too long.'],
    ['error=cancelled', 'The sign-in was cancelled.'],
  ])('keeps the session when that fails, and sees the reason: %s', async (search, reason) => {
    fakeServer({
      'GET /api/auth/user': { body: subscriber },
      'POST /api/auth/complete': {
        status: 401,
        body: { code: 'unauthenticated', message: 'This took too long.' },
      },
    });
    open(`/login?${search}`);
    expect(await screen.findByText(reason)).toBeTruthy();
    await waitFor(() => expect(location.pathname).toBe('/'));
    expect(getAuthToken()).toBe('one');
  });
});

it('has a screen for each path that the server takes for one, and for no other', () => {
  const paths = [...source.matchAll(/<Route path="([^"]+)"/g)].map(([, path]) => path);
  expect(paths).toEqual(SCREEN_PATHS);
});

it('shows the 404 page without requesting the user', async () => {
  const { asked } = fakeServer({});
  open('/no/such/page');
  expect(await screen.findByText('404 Page Not Found')).toBeTruthy();
  expect(
    screen.getByText("The page you're looking for doesn't exist or has been moved."),
  ).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Return to Chat' }).getAttribute('href')).toBe('/');
  expect(asked).toEqual([]);
});

it('says that the server cannot be reached after two failures, and retries on request', async () => {
  const { answers, asked } = fakeServer({ 'GET /api/auth/user': 'no network' });
  open('/');
  const again = await screen.findByRole('button', { name: 'Try again' });
  expect(asked).toHaveLength(2);
  answers['GET /api/auth/user'] = { status: 401, body: {} };
  await userEvent.click(again);
  expect(await screen.findByRole('link', { name: 'Enter STOLAS' })).toBeTruthy();
});

it.each([
  [true, 'Authentication test'],
  [false, '404 Page Not Found'],
])('/test is there when the server says so: %s', async (testPage, sign) => {
  fakeServer({ 'GET /api/auth/options': { body: { testPage } } });
  open('/test');
  expect(await screen.findByText(sign)).toBeTruthy();
});

it('sends a visitor from the settings to /login', async () => {
  removeAuthToken();
  fakeServer({});
  open('/settings');
  await waitFor(() => expect(location.pathname).toBe('/login'));
});

it.each([
  ['whose session has ended', 401, { status: 401, body: {} }, 'Sign In', 'login'],
  ['who is a guest', 403, { body: testGuest() }, 'Create Account', 'register'],
])('leads a reader of a link %s to the sign-in, and back', async (...of) => {
  const [, status, user, enter, call] = of;
  const page = {
    title: 'Owls',
    kind: 'snapshot',
    revision: 'one',
    createdAt: '2026-11-22',
    isCut: false,
  };
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'What do owls do?' }] }];
  const { answers } = fakeServer({
    'GET /api/auth/user': user,
    'GET /api/shares/owls': { body: { ...page, messages } },
    'POST /api/shares/owls/continue': { status, body: {} },
    [`POST /api/auth/${call}`]: { body: { token: 'two', message: '' } },
  });
  open('/s/owls');
  await userEvent.click(await screen.findByRole('button', { name: 'Continue in my account' }));
  await userEvent.type(await screen.findByLabelText('Email'), 'ada@example.com');
  await userEvent.type(screen.getByLabelText('Password'), 'secret stars');
  answers['GET /api/auth/user'] = { body: testSubscriber() };
  await userEvent.click(screen.getByRole('button', { name: enter }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Owls' })).toBeTruthy();
  expect(location.pathname).toBe('/s/owls');
});
