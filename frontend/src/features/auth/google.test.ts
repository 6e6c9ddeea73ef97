import { beforeEach, expect, it, vi } from 'vitest';
import { getAuthToken, removeAuthToken } from '../../lib/auth-token.ts';
import { fakeServer } from '../../lib/test-server.ts';
import { testUser } from '../../lib/test-user.ts';
import { useToastStore } from '../../ui/toast-store.ts';
import { signInWithGoogle } from './google.ts';

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

/** Google's widget, which answers the prompt as it is told. */
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

/** A browser in which the widget's script does not load. */
const blocked = () => {
  delete window.google;
  vi.spyOn(document.head, 'append').mockImplementation((script) => {
    (script as HTMLScriptElement).dispatchEvent(new Event('error'));
  });
};

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
  useToastStore.setState({ current: null });
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

it('says that it is not available where there is neither widget nor redirect', async () => {
  server.answers['POST /api/auth/google/start'] = { body: { ...START, redirect: false } };
  blocked();
  await signInWithGoogle('/subscription');
  expect(shown()).toMatchObject({
    title: 'Google Sign-In Not Available',
    description: 'Please refresh the page and try again.',
  });
});

it('leaves a person in peace who closes the widget', async () => {
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
