import type { User } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { getAuthToken, setAuthToken } from '../../lib/auth-token.ts';
import { writeSetting } from '../../lib/page-settings.fixture.ts';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { testGuest } from '../../lib/user.fixture.ts';
import { Toaster } from '../../ui/toast.tsx';
import { LoginPage } from './login-page.tsx';

const guest = testGuest();

let server: ReturnType<typeof fakeServer>;

async function open(path = '/login', user: User | null = null) {
  navigate(path);
  if (user) setAuthToken('demo');
  queryClient.setQueryData(userQuery.queryKey, user);
  server.answers['GET /api/auth/user'] = { body: user };
  render(
    <QueryClientProvider client={queryClient}>
      <LoginPage />
      <Toaster />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
}

const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));

async function fillIn() {
  await userEvent.type(screen.getByLabelText('Email'), 'ada@example.com');
  await userEvent.type(screen.getByLabelText('Password'), 'secret stars');
}

beforeEach(() => {
  server = fakeServer({});
});

describe('signing in', () => {
  it('keeps the token and goes to the plans', async () => {
    server.answers['POST /api/auth/login'] = { body: { token: 't1', message: 'Welcome back.' } };
    await open();
    await fillIn();
    await press('Sign In');
    await waitFor(() => expect(location.pathname).toBe('/subscription'));
    expect(getAuthToken()).toBe('t1');
    expect(server.asked).toContainEqual({
      call: 'POST /api/auth/login',
      body: { email: 'ada@example.com', password: 'secret stars' },
    });
  });

  it('shows that it is busy', async () => {
    let respond: (response: Response) => void = () => {};
    vi.stubGlobal('fetch', (path: string) =>
      path === '/api/auth/login'
        ? new Promise<Response>((resolve) => {
            respond = resolve;
          })
        : Promise.resolve(new Response('null')),
    );
    await open();
    await fillIn();
    await press('Sign In');
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Signing in...' });
    expect(button.disabled).toBe(true);
    respond(
      new Response(JSON.stringify({ message: 'No.', code: 'unauthenticated' }), { status: 401 }),
    );
    expect(await screen.findByRole('button', { name: 'Sign In' })).toBeTruthy();
  });

  it.each([
    [
      'the server’s sentence',
      { status: 401, body: { message: 'Wrong email or password.', code: 'unauthenticated' } },
      'Wrong email or password.',
    ],
    ['a plain text without one', { status: 500, body: 'oops' }, 'Authentication failed'],
    ['that no token came', { body: {} }, 'No token received from server'],
    [
      'what to do when there is no network',
      'no network',
      'Please try again or use another login method.',
    ],
  ] as const)('when it fails it shows %s', async (_what, answer, description) => {
    server.answers['POST /api/auth/login'] = answer;
    await open();
    await fillIn();
    await press('Sign In');
    expect(await screen.findByText('Login Failed')).toBeTruthy();
    expect(screen.getAllByText(description).length).toBeGreaterThan(0);
    expect(getAuthToken()).toBeNull();
    expect(location.pathname).toBe('/login');
  });

  it('shows the error at the field and focuses it', async () => {
    server.answers['POST /api/auth/login'] = {
      status: 401,
      body: { message: 'Wrong email or password.', code: 'unauthenticated' },
    };
    await open();
    await fillIn();
    await press('Sign In');
    await screen.findByText('Login Failed');
    const field = screen.getByLabelText('Password');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(field);
    const note = document.getElementById(field.getAttribute('aria-describedby') ?? '');
    expect(note?.textContent).toBe('Wrong email or password.');
  });

  it('requires email and password before it makes a request', async () => {
    await open();
    await press('Sign In');
    expect(server.asked.map(({ call }) => call)).not.toContain('POST /api/auth/login');
  });
});

describe('registering', () => {
  it('adds the names, and comes back to the plan that was chosen', async () => {
    server.answers['POST /api/auth/register'] = { body: { token: 't2', message: '' } };
    await open('/login?plan=pro', null);
    await press("Don't have an account? Sign up");
    await userEvent.type(screen.getByLabelText('First Name'), 'Ada');
    await userEvent.type(screen.getByLabelText('Last Name'), 'Lovelace');
    await fillIn();
    await press('Create Account');
    await waitFor(() => expect(location.pathname).toBe('/subscription'));
    expect(location.search).toBe('?plan=pro');
    expect(server.asked).toContainEqual({
      call: 'POST /api/auth/register',
      body: {
        email: 'ada@example.com',
        password: 'secret stars',
        firstName: 'Ada',
        lastName: 'Lovelace',
      },
    });
  });

  it('opens for guests, and a failure is titled Registration Failed', async () => {
    server.answers['POST /api/auth/register'] = {
      status: 409,
      body: { message: 'That email address is taken.', code: 'email_taken' },
    };
    await open('/login', guest);
    await fillIn();
    await press('Create Account');
    expect(await screen.findByText('Registration Failed')).toBeTruthy();
    expect(screen.getAllByText('That email address is taken.')).toHaveLength(2);
    const field = screen.getByLabelText('Email');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(field);
  });

  it('says that an email comes', async () => {
    await open('/login', guest);
    expect(screen.getByText('We send you an email to confirm it.')).toBeTruthy();
  });

  it('toggles back to signing in', async () => {
    await open('/login', guest);
    await press('Already have an account? Sign in');
    expect(screen.queryByLabelText('First Name')).toBeNull();
    expect(screen.getByRole('button', { name: 'Sign In' })).toBeTruthy();
  });
});

describe('as a guest', () => {
  it('starts the demo and opens the chat', async () => {
    server.answers['POST /api/auth/guest'] = { body: { token: 'g' } };
    await open();
    await press('Continue as Guest (Demo Mode)');
    await waitFor(() => expect(location.pathname).toBe('/'));
    expect(getAuthToken()).toBe('g');
  });

  it('shows when the demo cannot start', async () => {
    server.answers['POST /api/auth/guest'] = { status: 429, body: { message: 'Too many.' } };
    await open();
    await press('Continue as Guest (Demo Mode)');
    expect(await screen.findByText('Failed to Create Guest Session')).toBeTruthy();
    expect(screen.getByText('Please try again later.')).toBeTruthy();
  });
});

describe('a guest who comes back', () => {
  it('goes on as the same guest and starts no other demo', async () => {
    await open('/login', guest);
    expect(screen.queryByRole('button', { name: /Demo Mode/ })).toBeNull();
    await userEvent.click(screen.getByRole('link', { name: 'Continue as Guest' }));
    expect(location.pathname).toBe('/');
    expect(server.asked.map(({ call }) => call)).not.toContain('POST /api/auth/guest');
    expect(getAuthToken()).toBe('demo');
  });

  it('reads before any click what happens to the conversations, in both modes', async () => {
    await open('/login', guest);
    const note = /Create an account to keep your conversations\..* cannot be opened again\./;
    expect(screen.getByText(note)).toBeTruthy();
    await press('Already have an account? Sign in');
    expect(screen.getByText(note)).toBeTruthy();
    cleanup();
    await open('/login', null);
    expect(screen.queryByText(note)).toBeNull();
  });
});

describe('sign-in providers', () => {
  const others = () => userEvent.click(screen.getByText('Other ways to sign in'));
  const namesIn = (box: Element | null) =>
    [...(box?.querySelectorAll('button') ?? [])].map(({ textContent }) => textContent);
  const closed = () => namesIn(document.querySelector('details'));

  it('that are not set up stand behind a click', async () => {
    await open();
    expect(closed()).toEqual(['Google', 'GitHub', 'Discord', 'Replit']);
    expect(document.querySelector('details')?.open).toBe(false);
    expect(screen.queryByText('or')).toBeNull();
  });

  it('that are set up come first', async () => {
    writeSetting('sign-in-providers', 'google');
    await open();
    expect(closed()).toEqual(['GitHub', 'Discord', 'Replit']);
    expect(namesIn(document.querySelector('main'))[0]).toBe('Google');
  });

  it.each([
    ['GitHub', 'Coming Soon', 'GitHub login will be available soon.'],
    ['Discord', 'Coming Soon', 'Discord login will be available soon.'],
    ['Google', 'Google Sign-In Not Available', 'Please refresh the page and try again.'],
  ])('%s answers with a notice', async (name, title, description) => {
    await open();
    await others();
    await press(name);
    expect(await screen.findByText(title)).toBeTruthy();
    expect(screen.getByText(description)).toBeTruthy();
  });

  it('Replit leads to its own sign-in', async () => {
    writeSetting('sign-in-providers', 'replit');
    const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
    await open();
    await press('Replit');
    expect(assign).toHaveBeenCalledWith('/api/login');
  });
});

describe('the live demo', () => {
  it('starts by itself', async () => {
    server.answers['POST /api/auth/guest'] = { body: { token: 'g' } };
    await open('/login?demo=true');
    await waitFor(() => expect(location.pathname).toBe('/'));
    expect(getAuthToken()).toBe('g');
  });

  it('goes on for a guest, without another session', async () => {
    await open('/login?demo=true', guest);
    await waitFor(() => expect(location.pathname).toBe('/'));
    expect(server.asked.map(({ call }) => call)).not.toContain('POST /api/auth/guest');
  });

  it('that cannot start shows why, and the form', async () => {
    server.answers['POST /api/auth/guest'] = { status: 429, body: { message: 'Too many.' } };
    await open('/login?demo=true');
    expect(await screen.findByText('Failed to Create Guest Session')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Sign In' })).toBeTruthy();
  });
});

it('opens in registration where the landing page sells a plan', async () => {
  await open('/login?register=true&plan=pro', null);
  expect(screen.getByText('Step 1 of 2: Pro')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Create Account' })).toBeTruthy();
});

it('says which plan a new account is for, and nothing for no plan', async () => {
  await open('/login?plan=starter', guest);
  expect(screen.getByText('Step 1 of 2: Starter')).toBeTruthy();
  cleanup();
  await open('/login?plan=nothing', guest);
  expect(screen.queryByText(/Step 1/)).toBeNull();
});

describe('coming back from a provider', () => {
  it('fetches the token and goes on as after any sign-in', async () => {
    server.answers['POST /api/auth/complete'] = { body: { token: 't3', message: 'Signed in.' } };
    await open('/login?continue=true');
    await waitFor(() => expect(location.pathname).toBe('/subscription'));
    expect(getAuthToken()).toBe('t3');
  });

  it('comes back to the plan that was chosen before', async () => {
    vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
    server.answers['POST /api/auth/complete'] = { body: { token: 't4' } };
    writeSetting('sign-in-providers', 'replit');
    await open('/login?plan=pro&interval=year');
    await press('Replit');
    cleanup();
    await open('/login?continue=true');
    await waitFor(() => expect(location.search).toBe('?plan=pro&interval=year'));
    expect(location.pathname).toBe('/subscription');
  });

  it('shows the reason when the server refuses it, and the form', async () => {
    server.answers['POST /api/auth/complete'] = {
      status: 401,
      body: { message: 'This took too long.', code: 'unauthenticated' },
    };
    await open('/login?continue=true');
    expect(await screen.findByText('Login Failed')).toBeTruthy();
    expect(screen.getByText('This took too long.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Sign In' })).toBeTruthy();
    expect(location.search).toBe('');
  });

  it.each([
    ['google_unavailable', /Google sign-in is not set up/],
    ['<b>anything else</b>', /Signing in did not work/],
    ['toString', /Signing in did not work/],
  ])('with the error %s shows a sentence of ours', async (code, sentence) => {
    await open(`/login?error=${encodeURIComponent(code)}`);
    expect(screen.getByRole('alert').textContent).toMatch(sentence);
    expect(document.body.textContent).not.toContain(code);
  });

  it('says that the sign-in was cancelled', async () => {
    await open('/login?error=cancelled');
    expect(screen.getByRole('alert').textContent).toMatch(/The sign-in was cancelled/);
  });
});

it('shows and hides the password', async () => {
  await open();
  const password = screen.getByLabelText<HTMLInputElement>('Password');
  await press('Show password');
  expect(password.type).toBe('text');
  await press('Hide password');
  expect(password.type).toBe('password');
});
