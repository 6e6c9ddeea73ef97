import { beforeEach, expect, it, vi } from 'vitest';
import { getAuthToken, removeAuthToken } from '../../lib/auth-token.ts';
import { fakeServer } from '../../lib/server.fixture.ts';
import { testUser } from '../../lib/user.fixture.ts';
import { useToastStore } from '../../ui/toast-store.ts';
import { signInWithGoogle, signInWithGoogleAgain } from './google.ts';

type Moment = Parameters<
  Parameters<NonNullable<Window['google']>['accounts']['id']['prompt']>[0]
>[0];

const START = { clientId: 'client', nonce: 'n1', redirect: true };
const moment = (fields: Partial<Moment>): Moment => ({
  isSkippedMoment: () => false,
  isDismissedMoment: () => false,
  getDismissedReason: () => '',
  ...fields,
});

let server: ReturnType<typeof fakeServer>;
let initialized: Record<string, unknown>[];

/** Google's widget, with a chosen answer to the prompt. */
function widget(answer: { credential: string } | Moment) {
  let callback: (answer: { credential: string }) => void = () => undefined;
  window.google = {
    accounts: {
      id: {
        initialize: (options) => {
          initialized.push(options);
          ({ callback } = options);
        },
        prompt: (listener) => {
          if ('credential' in answer) callback(answer);
          else listener(answer);
        },
      },
    },
  };
}

/** The network's answer to the widget's script, which nothing has loaded yet. */
function script(outcome: 'load' | 'error', run: () => void = () => undefined) {
  delete window.google;
  return vi.spyOn(document.head, 'append').mockImplementation((element) => {
    run();
    (element as HTMLScriptElement).dispatchEvent(new Event(outcome));
  });
}

const blocked = () => script('error');

const shown = () => useToastStore.getState().current;
const assigned = () => vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);

beforeEach(() => {
  server = fakeServer({
    'POST /api/auth/google/start': { body: START },
    'POST /api/auth/google': { body: { token: 't1', message: 'Signed in.' } },
    'GET /api/auth/user': { body: testUser() },
  });
  initialized = [];
  removeAuthToken();
});

it('signs in with the credential that the widget gives, for the nonce of this browser', async () => {
  widget({ credential: 'signed by Google' });
  await signInWithGoogle('/subscription');
  expect(getAuthToken()).toBe('t1');
  expect(initialized[0]).toMatchObject({ client_id: 'client', nonce: 'n1' });
  expect(server.asked).toContainEqual({
    call: 'POST /api/auth/google',
    body: { credential: 'signed by Google' },
  });
});

it('loads the widget from Google, once', async () => {
  const append = script('load', () => widget({ credential: 'signed by Google' }));
  await signInWithGoogle('/subscription');
  await signInWithGoogle('/subscription');
  const sources = append.mock.calls.map(([element]) => (element as HTMLScriptElement).src);
  expect(sources).toEqual(['https://accounts.google.com/gsi/client']);
  expect(getAuthToken()).toBe('t1');
});

it.each([
  ['skipped', () => widget(moment({ isSkippedMoment: () => true }))],
  ['not displayed', () => widget(moment({ isNotDisplayed: () => true }))],
  ['blocked', blocked],
])('goes by redirect where the widget is %s', async (_how, arrange) => {
  const assign = assigned();
  arrange();
  await signInWithGoogle('/subscription');
  expect(assign).toHaveBeenCalledWith('/api/auth/google');
  expect(shown()).toBeNull();
});

it.each([
  ['there is neither widget nor redirect', { body: { ...START, redirect: false } }],
  ['Google is not set up', { status: 404, body: { message: 'Not here.', code: 'not_found' } }],
  ['there is no network', 'no network'],
] as const)('says that it is not available where %s', async (_why, answer) => {
  server.answers['POST /api/auth/google/start'] = answer;
  blocked();
  await signInWithGoogle('/subscription');
  expect(shown()).toMatchObject({
    title: 'Google Sign-In Not Available',
    description: 'Please refresh the page and try again.',
  });
});

it('signs in again by redirect, which asks anew, never by the widget', async () => {
  const assign = assigned();
  widget({ credential: 'signed by Google' });
  await signInWithGoogleAgain('/settings');
  expect(assign).toHaveBeenCalledWith('/api/auth/google?again=true');
  expect(initialized).toEqual([]);
});

it('says that signing in again is not available without the redirect', async () => {
  const assign = assigned();
  server.answers['POST /api/auth/google/start'] = { body: { ...START, redirect: false } };
  await signInWithGoogleAgain('/settings');
  expect(shown()).toMatchObject({ title: 'Google Sign-In Not Available' });
  expect(assign).not.toHaveBeenCalled();
});

it('asks the user to wait after too many attempts', async () => {
  const message = 'Too many attempts. Try again in 30 seconds.';
  server.answers['POST /api/auth/google/start'] = { status: 429, body: { message } };
  await signInWithGoogle('/subscription');
  expect(shown()).toMatchObject({ description: message });
});

it('shows no error when the user closes the widget', async () => {
  const dismissed = { isDismissedMoment: () => true, getDismissedReason: () => 'cancel_called' };
  widget(moment(dismissed));
  await signInWithGoogle('/subscription');
  expect(shown()).toBeNull();
  expect(getAuthToken()).toBeNull();
});

it.each([
  [
    'the server’s sentence',
    { status: 401, body: { message: 'Google could not confirm who you are.' } },
    'Google could not confirm who you are.',
  ],
  ['a plain text without one', { status: 500, body: 'oops' }, 'Google authentication failed'],
  ['that no token came', { body: {} }, 'No token received from server'],
])('when the server refuses, it shows %s', async (_what, answer, description) => {
  server.answers['POST /api/auth/google'] = answer;
  widget({ credential: 'x' });
  await signInWithGoogle('/subscription');
  expect(shown()).toMatchObject({ title: 'Google Login Failed', description });
  expect(getAuthToken()).toBeNull();
});
