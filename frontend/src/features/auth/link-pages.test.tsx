import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { type ReactNode, StrictMode } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { getAuthToken, removeAuthToken, setAuthToken } from '../../lib/auth-token.ts';
import { queryClient } from '../../lib/query-client.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { testUser } from '../../lib/user.fixture.ts';
import { Toaster } from '../../ui/toast.tsx';
import { linkAfterSignIn } from './link-token.ts';
import { LoginPage } from './login-page.tsx';
import { ResetPasswordPage } from './reset-password-page.tsx';
import { VerifyEmailPage } from './verify-email-page.tsx';

let server: ReturnType<typeof fakeServer>;

function open(address: string, page: ReactNode) {
  navigate(address);
  render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        {page}
        <Toaster />
      </QueryClientProvider>
    </StrictMode>,
  );
}

const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const calls = () => server.asked.map(({ call }) => call);

beforeEach(() => {
  server = fakeServer({ 'GET /api/auth/user': { body: testUser() } });
  removeAuthToken();
});

const CONFIRM = 'POST /api/auth/email/confirm';
const NEEDS_PROOF = {
  status: 403,
  body: { message: 'Sign in, or enter the password.', code: 'reauthentication_required' },
};

describe('/verify-email', () => {
  it('makes no request before the click, then uses the link once', async () => {
    setAuthToken('one');
    server.answers[CONFIRM] = { body: { message: 'It is confirmed.' } };
    open('/verify-email#token=t1', <VerifyEmailPage />);
    expect(location.hash).toBe('');
    expect(calls()).toEqual([]);
    await press('Confirm Email Address');
    expect(await screen.findByText('It is confirmed.')).toBeTruthy();
    const confirmations = server.asked.filter(({ call }) => call === CONFIRM);
    expect(confirmations).toEqual([{ call: CONFIRM, body: { token: 't1' } }]);
    expect(screen.getByRole('link', { name: 'Go to STOLAS' })).toBeTruthy();
  });

  it('says so again when the confirmed page is reloaded', async () => {
    server.answers[CONFIRM] = { body: { message: 'It is confirmed.' } };
    open('/verify-email#token=t1', <VerifyEmailPage />);
    await press('Confirm Email Address');
    await screen.findByText('It is confirmed.');
    cleanup();
    // A reload keeps the address and the state of its entry in the history.
    render(<VerifyEmailPage />);
    expect(screen.getByText('It is confirmed.')).toBeTruthy();
    cleanup();
    open('/verify-email', <VerifyEmailPage />);
    expect(screen.getByText(/This link is not complete/)).toBeTruthy();
  });

  it('asks for the password without a session of the account', async () => {
    server.answers[CONFIRM] = NEEDS_PROOF;
    open('/verify-email#token=t1', <VerifyEmailPage />);
    expect(screen.queryByLabelText('Password')).toBeNull();
    await press('Confirm Email Address');
    await userEvent.type(await screen.findByLabelText('Password'), 'guess');
    server.answers[CONFIRM] = {
      status: 422,
      body: { message: 'Not it.', code: 'invalid_field', details: { field: 'password' } },
    };
    await press('Confirm Email Address');
    expect(await screen.findByText('Not it.')).toBeTruthy();
    server.answers[CONFIRM] = { body: { message: 'It is confirmed.' } };
    await press('Confirm Email Address');
    expect(await screen.findByText('It is confirmed.')).toBeTruthy();
    expect(server.asked.at(-1)?.body).toEqual({ token: 't1', password: 'guess' });
    expect(screen.getByRole('link', { name: 'Sign In' })).toBeTruthy();
  });

  it('comes back with the link after a sign-in', async () => {
    server.answers[CONFIRM] = NEEDS_PROOF;
    server.answers['POST /api/auth/login'] = { body: { token: 'new' } };
    open('/verify-email#token=t1', <VerifyEmailPage />);
    await press('Confirm Email Address');
    await userEvent.click(await screen.findByRole('link', { name: 'Sign In First' }));
    cleanup();
    open('/login', <LoginPage />);
    await userEvent.type(screen.getByLabelText('Email'), 'ada@example.com');
    await userEvent.type(screen.getByLabelText('Password'), 'secret stars');
    await press('Sign In');
    await waitFor(() => expect(location.pathname + location.hash).toBe('/verify-email#token=t1'));
    cleanup();
    open('/verify-email#token=t1', <VerifyEmailPage />);
    expect(linkAfterSignIn()).toBeUndefined();
  });

  it('offers no sign-in to a user who is signed in to another account', async () => {
    setAuthToken('one');
    server.answers[CONFIRM] = NEEDS_PROOF;
    open('/verify-email#token=t1', <VerifyEmailPage />);
    await press('Confirm Email Address');
    expect(await screen.findByLabelText('Password')).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Sign In First' })).toBeNull();
  });

  it('offers a sign-in to a user whose session has ended', async () => {
    setAuthToken('old');
    server.answers['GET /api/auth/user'] = { status: 401, body: {} };
    server.answers[CONFIRM] = NEEDS_PROOF;
    open('/verify-email#token=t1', <VerifyEmailPage />);
    await press('Confirm Email Address');
    expect(await screen.findByRole('link', { name: 'Sign In First' })).toBeTruthy();
  });

  it('says what to do when a link no longer works', async () => {
    server.answers[CONFIRM] = {
      status: 404,
      body: { message: 'Ask for a new one.', code: 'not_found' },
    };
    open('/verify-email#token=t1', <VerifyEmailPage />);
    await press('Confirm Email Address');
    expect(await screen.findByText('Ask for a new one.')).toBeTruthy();
  });

  it('can be retried after a network failure', async () => {
    server.answers[CONFIRM] = 'no network';
    open('/verify-email#token=t1', <VerifyEmailPage />);
    await press('Confirm Email Address');
    expect(await screen.findByText(/Check your connection/)).toBeTruthy();
    server.answers[CONFIRM] = { body: { message: 'It is confirmed.' } };
    await press('Try Again');
    expect(await screen.findByText('It is confirmed.')).toBeTruthy();
  });

  it('uses another link that is opened in the same tab', async () => {
    server.answers[CONFIRM] = { body: { message: 'It is confirmed.' } };
    open('/verify-email', <VerifyEmailPage />);
    location.hash = '#token=t2';
    await userEvent.click(await screen.findByRole('button', { name: 'Confirm Email Address' }));
    expect(await screen.findByText('It is confirmed.')).toBeTruthy();
    expect(server.asked).toEqual([{ call: CONFIRM, body: { token: 't2' } }]);
    expect(location.hash).toBe('');
  });

  it('leads a signed-in user to the settings for another link', async () => {
    setAuthToken('one');
    server.answers[CONFIRM] = {
      status: 409,
      body: { message: 'Another account has it.', code: 'email_taken' },
    };
    open('/verify-email#token=t1', <VerifyEmailPage />);
    await press('Confirm Email Address');
    const link = await screen.findByRole('link', { name: 'Go to Settings' });
    expect(link.getAttribute('href')).toBe('/settings');
  });

  it('makes no request without a link', () => {
    open('/verify-email', <VerifyEmailPage />);
    expect(screen.getByText(/not complete/)).toBeTruthy();
    expect(calls()).toEqual([]);
  });
});

describe('/reset-password', () => {
  it('requests a link and shows the server’s sentence', async () => {
    server.answers['POST /api/auth/password/forgot'] = { body: { message: 'If there is one.' } };
    open('/reset-password', <ResetPasswordPage />);
    await userEvent.type(screen.getByLabelText('Email'), 'ada@example.com');
    await press('Send Link');
    expect(await screen.findByText('If there is one.')).toBeTruthy();
    expect(server.asked[0]?.body).toEqual({ email: 'ada@example.com' });
  });

  it.each([
    ['at the field', { field: 'email' }],
    ['in a notification', undefined],
  ])('says %s what is wrong', async (_where, details) => {
    server.answers['POST /api/auth/password/forgot'] = {
      status: details ? 422 : 429,
      body: { message: 'Not like this.', code: 'x', details },
    };
    open('/reset-password', <ResetPasswordPage />);
    await userEvent.type(screen.getByLabelText('Email'), 'ada@example.com{Enter}');
    expect(await screen.findByText('Not like this.')).toBeTruthy();
    expect(screen.queryByText('The link was not sent') !== null).toBe(!details);
    expect(screen.getByLabelText('Email').getAttribute('aria-invalid')).toBe(
      details ? 'true' : null,
    );
  });

  it('accepts a link that is opened in the same tab', async () => {
    open('/reset-password', <ResetPasswordPage />);
    location.hash = '#token=t2';
    expect(await screen.findByLabelText('New password')).toBeTruthy();
    expect(location.hash).toBe('');
  });

  it('sets the password by the link, and signs in', async () => {
    server.answers['POST /api/auth/password/reset'] = { body: { token: 'new' } };
    open('/reset-password#token=t1', <ResetPasswordPage />);
    expect(location.hash).toBe('');
    await userEvent.type(screen.getByLabelText('New password'), 'secret stars');
    await press('Set Password');
    await waitFor(() => expect(location.pathname).toBe('/subscription'));
    expect(getAuthToken()).toBe('new');
    expect(server.asked[0]?.body).toEqual({ token: 't1', password: 'secret stars' });
  });

  it('keeps the link while the password is rejected', async () => {
    server.answers['POST /api/auth/password/reset'] = {
      status: 422,
      body: { message: 'Easy to guess.', code: 'invalid_field', details: { field: 'password' } },
    };
    open('/reset-password#token=t1', <ResetPasswordPage />);
    await userEvent.type(screen.getByLabelText('New password'), 'password1');
    await press('Set Password');
    expect(await screen.findByText('Easy to guess.')).toBeTruthy();
  });

  it('offers another link when the first no longer works', async () => {
    server.answers['POST /api/auth/password/reset'] = {
      status: 404,
      body: { message: 'Used already.', code: 'not_found' },
    };
    open('/reset-password#token=t1', <ResetPasswordPage />);
    await userEvent.type(screen.getByLabelText('New password'), 'secret stars');
    await press('Set Password');
    expect(await screen.findByText('Used already.')).toBeTruthy();
    await press('Send Another Link');
    expect(screen.getByLabelText('Email')).toBeTruthy();
  });
});
