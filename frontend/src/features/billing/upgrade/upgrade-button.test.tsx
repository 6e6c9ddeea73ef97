import { act, fireEvent, screen } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { writeSetting } from '../../../lib/page-settings.fixture.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { fakeServer } from '../../../lib/server.fixture.ts';
import { formatDay } from '../../../lib/time.ts';
import { testSubscriber } from '../../../lib/user.fixture.ts';
import { PERIOD_END, renderFor, testPreview } from '../billing.fixture.tsx';
import { UpgradeButton } from './upgrade-button.tsx';

const UPGRADE = 'POST /api/stripe/upgrade';
const PREVIEW = 'GET /api/billing/preview?plan=pro';
let server: ReturnType<typeof fakeServer>;
let assign: MockInstance<typeof window.location.assign>;
let reload: MockInstance<typeof window.location.reload>;

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const facts = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);
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
  server = fakeServer({
    [PREVIEW]: { body: testPreview() },
    [UPGRADE]: { body: { plan: 'pro', message: 'You have Pro now.' } },
  });
});

afterEach(() => void vi.useRealTimers());

it('is not there for users who have Pro', () => {
  renderFor(testSubscriber(), <UpgradeButton plan="pro" />);
  expect(screen.queryByRole('button')).toBeNull();
});

it('says what an upgrade costs, and does nothing when it is canceled', async () => {
  await openDialog();
  expect(facts()).toEqual([
    'Charged today: $164.50',
    '2,900,000 tokens are added today.',
    `Next charge: $179.00 on ${formatDay(PERIOD_END)}`,
    'Pro-rated billing for the remaining days of the current cycle',
    '$179/month, billed monthly',
    'Cancel anytime',
  ]);
  await press('Cancel');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(server.asked.map(({ call }) => call)).toEqual([PREVIEW]);
});

it.each([
  [
    { interval: 'year', amount: 144_000, next: { amount: 171_840, at: PERIOD_END } },
    ['Charged today: $1,440.00', '$1,718.40/year, billed yearly'],
  ],
  [{ amount: 0, credit: 9_177 }, ['Charged today: $0.00', '$91.77 of credit stays']],
  [{ when: 'checkout', quote: null }, ['$179/month, billed monthly']],
] as const)('names what is charged with %j', async (fields, texts) => {
  server.answers[PREVIEW] = { body: testPreview(fields) };
  await openDialog();
  for (const text of texts) expect(facts().join(' ')).toContain(text);
  const isYearly = 'interval' in fields;
  expect(facts().join(' ').includes('/month')).toBe(!isYearly);
  const isChange = !('when' in fields);
  expect(facts().join(' ').includes('Pro-rated')).toBe(isChange);
});

it('names no amount and upgrades nothing while the amount is not known', async () => {
  server.answers[PREVIEW] = 'no network';
  await openDialog();
  const confirm = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Upgrade Now' });
  expect(shown('The amount could not be read. Check your connection and try again.')).toBe(true);
  expect([facts(), confirm().disabled]).toEqual([[], true]);
  expect(screen.getByRole('dialog').textContent).not.toContain('$');
  server.answers[PREVIEW] = { body: testPreview() };
  await press('Try again');
  expect(facts()).toContain('Charged today: $164.50');
  expect(confirm().disabled).toBe(false);
});

it('names the support where the operator has one', async () => {
  writeSetting('support', 'mailto:help@example.org');
  server.answers[UPGRADE] = 'no network';
  await openDialog();
  await press('Upgrade Now');
  expect(screen.getByRole('link', { name: 'help@example.org' }).getAttribute('href')).toBe(
    'mailto:help@example.org',
  );
});

it('closes the dialog, says Upgrading... and goes to the payment page after 1 s', async () => {
  server.answers[UPGRADE] = {
    body: { checkoutUrl: 'https://pay.example.com/1', plan: 'pro', message: '' },
  };
  await openDialog();
  await press('Upgrade Now');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(server.asked.at(-1)).toEqual({ call: UPGRADE, body: { quote: testPreview().quote } });
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Upgrading...' });
  expect(button.disabled).toBe(true);
  expect(shown('Redirecting to Checkout')).toBe(true);
  await pass(999);
  expect(assign).not.toHaveBeenCalled();
  await pass(1);
  expect(assign).toHaveBeenCalledExactlyOnceWith('https://pay.example.com/1');
});

it('upgrades by the payment page only when the dialog named a first payment', async () => {
  server.answers[PREVIEW] = { body: testPreview({ when: 'checkout', quote: null }) };
  await openDialog();
  await press('Upgrade Now');
  expect(server.asked.at(-1)).toEqual({ call: UPGRADE, body: { quote: null } });
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
