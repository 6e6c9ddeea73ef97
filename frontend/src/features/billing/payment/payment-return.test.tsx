import type { User, VerifyResult } from '@stolas/backend/contract';
import { act, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { setAuthToken } from '../../../lib/auth-token.ts';
import { writeSetting } from '../../../lib/page-settings.fixture.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { fakeServer } from '../../../lib/server.fixture.ts';
import { testSubscriber, testUser } from '../../../lib/user.fixture.ts';
import { PLANS_ON_SALE, renderFor, testOverview } from '../billing.fixture.tsx';
import { SubscriptionPage } from '../plans/subscription-page.tsx';

const PAID = '/subscription?success=true&session_id=cs_1';
const VERIFY = 'POST /api/subscription/verify';
/** Longer than all retries together. */
const RETRIES_MS = 10_000;

let server: ReturnType<typeof fakeServer>;
let assign: MockInstance<typeof window.location.assign>;
let reload: MockInstance<typeof window.location.reload>;

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const verified = (result: Partial<VerifyResult>) => ({
  body: { success: true, plan: 'pro', message: '', ...result },
});
const verifications = () => server.asked.filter(({ call }) => call === VERIFY);
const shown = (text: string) => screen.queryByText(text) !== null;
const address = () => location.pathname + location.search;

async function open(path: string, user: User = testUser()) {
  navigate(path);
  setAuthToken('one');
  server.answers['GET /api/auth/user'] ??= { body: user };
  renderFor(user, <SubscriptionPage />);
  await pass(0);
}

beforeEach(() => {
  vi.useFakeTimers();
  assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
  server = fakeServer({
    'GET /api/plans': { body: PLANS_ON_SALE },
    'GET /api/billing': { body: testOverview() },
  });
});

afterEach(() => void vi.useRealTimers());

describe('a payment with its session id', () => {
  it('is verified behind a waiting screen, then the chat is loaded after 1.5 s', async () => {
    server.answers[VERIFY] = { body: { success: false, plan: null, message: 'Not complete.' } };
    await open(PAID);
    expect(shown('Activating your plan…')).toBe(true);
    expect(shown('Choose Your Plan')).toBe(false);
    expect(verifications()[0]?.body).toEqual({ sessionId: 'cs_1' });

    queryClient.setQueryData(['conversations'], []);
    server.answers[VERIFY] = verified({});
    await pass(1_000);
    expect(shown('Subscription Successful')).toBe(true);
    expect(shown('Your Pro plan is active.')).toBe(true);
    expect(queryClient.getQueryData(['conversations'])).toBeUndefined();
    await pass(1_499);
    expect(assign).not.toHaveBeenCalled();
    await pass(1);
    expect(assign).toHaveBeenCalledExactlyOnceWith('/');
  });

  it('shows the message of the server', async () => {
    server.answers[VERIFY] = verified({ message: 'Welcome to Pro.' });
    await open(PAID);
    expect(shown('Welcome to Pro.')).toBe(true);
  });

  it('loses its parameters once the result is known, so that a reload does not verify again', async () => {
    server.answers[VERIFY] = { body: { success: false, plan: null, message: '' } };
    await open(PAID);
    expect(address()).toBe(PAID);
    server.answers[VERIFY] = verified({});
    await pass(1_000);
    expect(address()).toBe('/subscription?change=true');
  });

  it('fails with the message of the server after some seconds of retries, and reloads after 3 s', async () => {
    server.answers[VERIFY] = { body: { success: false, plan: null, message: 'Card refused.' } };
    await open(PAID);
    await pass(7_000);
    expect(shown('Subscription Failed')).toBe(false);
    await pass(500);
    expect(shown('Subscription Failed')).toBe(true);
    expect(shown('Card refused.')).toBe(true);
    expect(verifications()).toHaveLength(5);
    await pass(2_999);
    expect(assign).not.toHaveBeenCalled();
    await pass(1);
    expect(assign).toHaveBeenCalledExactlyOnceWith('/subscription');
  });

  it('fails with a message of the page when the server has none', async () => {
    server.answers[VERIFY] = { body: { success: false, plan: null, message: '' } };
    await open(PAID);
    await pass(RETRIES_MS);
    const text =
      'Payment was processed but subscription activation failed. Please contact support.';
    expect(shown(text)).toBe(true);
  });

  it('is not retried when the server refuses the call', async () => {
    server.answers[VERIFY] = { status: 404, body: { code: 'not_found', message: 'No payment.' } };
    await open(PAID);
    const text = 'Unable to verify subscription. Please refresh the page or contact support.';
    expect(shown(text)).toBe(true);
    expect(shown('Subscription Failed')).toBe(true);
    expect(verifications()).toHaveLength(1);
    await pass(3_000);
    expect(assign).toHaveBeenCalledExactlyOnceWith('/subscription');
  });

  it('is retried while the server is unreachable', async () => {
    server.answers[VERIFY] = 'no network';
    await open(PAID);
    server.answers[VERIFY] = verified({});
    await pass(1_000);
    expect(shown('Subscription Successful')).toBe(true);
  });

  it('fails when the server stays unreachable', async () => {
    server.answers[VERIFY] = 'no network';
    await open(PAID);
    await pass(RETRIES_MS);
    const text = 'Unable to verify subscription. Please refresh the page or contact support.';
    expect(shown(text)).toBe(true);
  });
});

describe('a payment without a session id', () => {
  const NO_ID = '/subscription?success=true';

  it('is done when the user has a subscription, perhaps some seconds later', async () => {
    await open(NO_ID);
    expect(shown('Activating your plan…')).toBe(true);
    server.answers['GET /api/auth/user'] = { body: testSubscriber() };
    await pass(1_000);
    expect(shown('Subscription Successful')).toBe(true);
    await pass(1_500);
    expect(assign).toHaveBeenCalledExactlyOnceWith('/');
    expect(verifications()).toEqual([]);
  });

  it('fails when there is none, and shows the plans', async () => {
    await open(NO_ID);
    await pass(RETRIES_MS);
    const text =
      'Payment completed but subscription not activated. Please try again or contact support.';
    expect(shown(text)).toBe(true);
    expect(shown('Choose Your Plan')).toBe(true);
    await pass(RETRIES_MS);
    expect(assign).not.toHaveBeenCalled();
    expect(reload).not.toHaveBeenCalled();
  });

  it('fails when the user cannot be read', async () => {
    server.answers['GET /api/auth/user'] = 'no network';
    await open(NO_ID);
    // The user is requested once more.
    await pass(1_000);
    expect(shown('Unable to verify subscription status. Please refresh the page.')).toBe(true);
  });
});

it.each([
  [PAID, { body: { success: false, plan: null, message: '' } }],
  [PAID, 'no network'],
  ['/subscription?success=true', {}],
] as const)('a failure of %s has the address of support below its text', async (path, answer) => {
  writeSetting('support', 'https://example.org/help');
  server.answers[VERIFY] = answer;
  await open(path);
  await pass(7_500);
  const notice = within(screen.getByText(/contact support\.$/).closest('li') as HTMLElement);
  const link = notice.getByRole('link', { name: 'example.org/help' });
  expect(link.getAttribute('href')).toBe('https://example.org/help');
});

describe('an upgrade', () => {
  const starter = testSubscriber({ subscriptionPlan: 'starter' });

  it('says so when it was successful', async () => {
    server.answers[VERIFY] = verified({});
    await open(`${PAID}&upgrade=true`, starter);
    expect(shown('Upgrade Successful')).toBe(true);
  });

  it('says so when it failed, and reloads', async () => {
    server.answers[VERIFY] = { status: 404, body: { code: 'not_found', message: 'No payment.' } };
    await open(`${PAID}&upgrade=true`, starter);
    expect(shown('Upgrade Failed')).toBe(true);
    await pass(3_000);
    expect(reload).toHaveBeenCalledOnce();
  });

  it.each(['upgrade_cancelled=true', 'canceled=true&upgrade=true'])(
    'that was canceled (%s) says so, then goes to / after 1.5 s',
    async (parameters) => {
      await open(`/subscription?${parameters}`, starter);
      expect(shown('Upgrade Canceled')).toBe(true);
      expect(address()).toBe('/subscription?change=true');
      await pass(1_499);
      expect(location.pathname).toBe('/subscription');
      await pass(1);
      expect(location.pathname).toBe('/');
    },
  );
});

it.each([
  ['', testUser()],
  [', also to a subscriber', testSubscriber()],
])('a canceled payment says so and shows the plans%s', async (_, user) => {
  await open('/subscription?canceled=true', user);
  expect(shown('Subscription Canceled')).toBe(true);
  expect(shown('Choose Your Plan')).toBe(true);
  // Without the parameter, subscribers are sent to the chat.
  expect(address()).toBe('/subscription?change=true');
  await pass(5_000);
  expect(location.pathname).toBe('/subscription');
});
