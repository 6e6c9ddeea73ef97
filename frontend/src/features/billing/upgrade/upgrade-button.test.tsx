import { act, fireEvent, screen } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { queryClient } from '../../../lib/query-client.ts';
import { fakeServer } from '../../../lib/server.fixture.ts';
import { testSubscriber } from '../../../lib/user.fixture.ts';
import { useToastStore } from '../../../ui/toast-store.ts';
import { renderFor } from '../billing.fixture.tsx';
import { UpgradeButton } from './upgrade-button.tsx';

const UPGRADE = 'POST /api/stripe/upgrade';
let server: ReturnType<typeof fakeServer>;
let assign: MockInstance<typeof window.location.assign>;
let reload: MockInstance<typeof window.location.reload>;

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const shown = (text: string) => screen.queryByText(text) !== null;

async function press(name: string) {
  fireEvent.click(screen.getByRole('button', { name }));
  await pass(0);
}

async function openDialog() {
  renderFor(testSubscriber({ subscriptionPlan: 'starter' }), <UpgradeButton />);
  await press('Upgrade to Pro');
}

beforeEach(() => {
  vi.useFakeTimers();
  assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
  server = fakeServer({ [UPGRADE]: { body: { plan: 'pro', message: 'You have Pro now.' } } });
  queryClient.clear();
  useToastStore.setState({ current: null });
});

afterEach(() => void vi.useRealTimers());

it('is not there for users who have Pro', () => {
  renderFor(testSubscriber(), <UpgradeButton plan="pro" />);
  expect(screen.queryByRole('button')).toBeNull();
});

it('says what an upgrade costs, and does nothing when it is canceled', async () => {
  await openDialog();
  expect(shown('Pro-rated billing for the remaining days of the current cycle')).toBe(true);
  expect(shown('$179/month, billed monthly')).toBe(true);
  expect(shown('Cancel anytime')).toBe(true);
  await press('Cancel');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(server.asked).toEqual([]);
});

it('closes the dialog, says Upgrading... and goes to the payment page after 1 s', async () => {
  server.answers[UPGRADE] = {
    body: { checkoutUrl: 'https://pay.example.com/1', plan: 'pro', message: '' },
  };
  await openDialog();
  await press('Upgrade Now');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(server.asked).toEqual([{ call: UPGRADE, body: {} }]);
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Upgrading...' });
  expect(button.disabled).toBe(true);
  expect(shown('Redirecting to Checkout')).toBe(true);
  await pass(999);
  expect(assign).not.toHaveBeenCalled();
  await pass(1);
  expect(assign).toHaveBeenCalledExactlyOnceWith('https://pay.example.com/1');
});

it('says that the upgrade is done, clears the caches and reloads after 1.5 s', async () => {
  await openDialog();
  queryClient.setQueryData(['conversations'], []);
  await press('Upgrade Now');
  expect(shown('Upgrade Successful')).toBe(true);
  expect(shown('You have Pro now.')).toBe(true);
  expect(queryClient.getQueryData(['conversations'])).toBeUndefined();
  await pass(1_499);
  expect(reload).not.toHaveBeenCalled();
  await pass(1);
  expect(reload).toHaveBeenCalledOnce();
});

it('shows the message of the server when it failed, and can be tried again', async () => {
  server.answers[UPGRADE] = {
    status: 402,
    body: { code: 'payment_failed', message: 'Your card was declined.' },
  };
  await openDialog();
  await press('Upgrade Now');
  expect(shown('Upgrade Failed')).toBe(true);
  expect(shown('Your card was declined.')).toBe(true);
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Upgrade to Pro' }).disabled).toBe(
    false,
  );
});

it('has a message of its own when the server has none', async () => {
  server.answers[UPGRADE] = 'no network';
  await openDialog();
  await press('Upgrade Now');
  expect(shown('Failed to upgrade. Please try again or contact support.')).toBe(true);
});

it('has a dialog without accessibility errors', async () => {
  vi.useRealTimers();
  renderFor(testSubscriber({ subscriptionPlan: 'starter' }), <UpgradeButton />);
  fireEvent.click(screen.getByRole('button', { name: 'Upgrade to Pro' }));
  const { violations } = await axe.run(await screen.findByRole('dialog'));
  expect(violations.map(({ id }) => id)).toEqual([]);
});
