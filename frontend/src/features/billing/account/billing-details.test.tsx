import type { BillingOverview, Invoice, User } from '@stolas/backend/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import axe from 'axe-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { queryClient } from '../../../lib/query-client.ts';
import { fakeServer } from '../../../lib/server.fixture.ts';
import { formatDay } from '../../../lib/time.ts';
import { testGuest, testSubscriber, testUser } from '../../../lib/user.fixture.ts';
import { live } from '../../../realtime/index.ts';
import {
  PERIOD_END,
  renderFor,
  testInvoice,
  testOverview,
  testPreview,
  testSubscription,
} from '../billing.fixture.tsx';
import { BillingDetails } from './billing-details.tsx';

let server: ReturnType<typeof fakeServer>;
const day = formatDay(PERIOD_END);

async function open(
  overview: BillingOverview,
  { user = testSubscriber(), invoices = [] }: { user?: User; invoices?: Invoice[] } = {},
) {
  server.answers['GET /api/billing'] = { body: overview };
  server.answers['GET /api/billing/invoices'] = { body: invoices };
  renderFor(user, <BillingDetails user={user} />);
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
}

const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const calls = () => server.asked.map(({ call }) => call).filter((call) => call.startsWith('POST'));

beforeEach(() => {
  server = fakeServer({});
});

describe('the plan', () => {
  it('has its next charge and a way to change it', async () => {
    await open(testSubscription({ interval: 'year' }));
    expect(screen.getByText('Pro Plan')).toBeTruthy();
    expect(screen.getByText(`Billed yearly · $1,718.40 on ${day}`)).toBeTruthy();
    const link = screen.getByRole('link', { name: 'Change Plan' });
    expect(link.getAttribute('href')).toBe('/subscription?change=true');
  });

  it('has its next charge less the credit', async () => {
    server.answers['GET /api/billing/preview?plan=pro&interval=month'] = {
      body: testPreview({
        when: 'periodEnd',
        credit: 9_940,
        next: { amount: 7_960, at: PERIOD_END },
      }),
    };
    await open(testSubscription());
    expect(await screen.findByText(`Billed monthly · $79.60 on ${day}`)).toBeTruthy();
  });

  it('that was granted to a former subscriber has nothing to cancel', async () => {
    await open(testOverview({ plan: 'pro', hasCustomer: true }));
    expect(screen.getByText('Pro Plan')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Manage Payment' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Cancel Plan' })).toBeNull();
  });

  it('is chosen when there is none', async () => {
    await open(testOverview(), { user: testUser() });
    expect(screen.getByText('No Active Plan')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Choose a Plan' })).toBeTruthy();
    expect(screen.queryByText('Invoices')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Manage Payment' })).toBeNull();
  });

  it('of a guest is the demo, and the server is not asked', async () => {
    await open(testOverview(), { user: testGuest() });
    expect(screen.getByText('Demo mode')).toBeTruthy();
    expect(server.asked).toEqual([]);
  });

  it('is marked when payments are tests', async () => {
    await open(testSubscription({ isTest: true }));
    expect(screen.getByText('Test payments: no money moves')).toBeTruthy();
  });

  it('can be read again when that failed', async () => {
    server.answers['GET /api/billing'] = 'no network';
    renderFor(testSubscriber(), <BillingDetails user={testSubscriber()} />);
    expect(await screen.findByText('Your plan could not be read')).toBeTruthy();
    server.answers['GET /api/billing'] = { body: testSubscription() };
    server.answers['GET /api/billing/invoices'] = { body: [] };
    await press('Try again');
    expect(await screen.findByText('Pro Plan')).toBeTruthy();
  });

  it('follows changes that were made elsewhere', async () => {
    await open(testSubscription());
    server.answers['GET /api/billing'] = { body: testSubscription({ cancelsAt: PERIOD_END }) };
    live.handlers['account:changed'](testSubscriber());
    expect(await screen.findByText(`Ends on ${day}. Until then nothing changes.`)).toBeTruthy();
  });
});

describe('canceling', () => {
  it('is confirmed with the date until which the plan stays', async () => {
    server.answers['POST /api/billing/cancel'] = {
      body: testSubscription({ cancelsAt: PERIOD_END }),
    };
    await open(testSubscription());
    await press('Cancel Plan');
    const dialog = within(await screen.findByRole('dialog', { name: 'Cancel Pro?' }));
    expect(dialog.getByText(new RegExp(`Pro stays until ${day}`))).toBeTruthy();
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel Plan' }));
    expect(await screen.findByText(`Ends on ${day}. Until then nothing changes.`)).toBeTruthy();
    expect(screen.getByText('Plan Canceled')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Cancel Plan' })).toBeNull();
  });

  it('is not done when the plan is kept, and the focus is back on the button', async () => {
    await open(testSubscription());
    await press('Cancel Plan');
    await screen.findByRole('dialog');
    await userEvent.keyboard('{Escape}');
    expect(calls()).toEqual([]);
    const button = screen.getByRole('button', { name: 'Cancel Plan' });
    await waitFor(() => expect(document.activeElement).toBe(button));
  });

  it('is taken back', async () => {
    server.answers['POST /api/billing/resume'] = { body: testSubscription() };
    await open(testSubscription({ cancelsAt: PERIOD_END }));
    await press('Keep My Plan');
    expect(await screen.findByText(`Billed monthly · $179 on ${day}`)).toBeTruthy();
    expect(screen.queryByText(/Ends on/)).toBeNull();
  });

  it('says so when it failed', async () => {
    server.answers['POST /api/billing/resume'] = 'no network';
    await open(testSubscription({ cancelsAt: PERIOD_END }));
    await press('Keep My Plan');
    expect(await screen.findByText('Your plan was not changed')).toBeTruthy();
  });
});

it('a change that is to come has its date and price, and is taken back', async () => {
  server.answers['POST /api/billing/resume'] = { body: testSubscription() };
  const pendingChange = { plan: 'starter', interval: 'month', at: PERIOD_END } as const;
  await open(testSubscription({ pendingChange }));
  expect(screen.getByText(`Changes to Starter, billed monthly, on ${day}.`)).toBeTruthy();
  expect(screen.getByText(`Billed monthly · $29 on ${day}`)).toBeTruthy();
  await press('Keep Pro');
  await waitFor(() => expect(screen.queryByText(/Changes to Starter/)).toBeNull());
  // A change to Pro would be charged, had the planned one taken effect meanwhile.
  expect(calls()).toEqual(['POST /api/billing/resume']);
});

it('an unpaid renewal has a notice with its date', async () => {
  const pastDue = { since: PERIOD_END, graceEndsAt: '2026-12-10T12:00:00.000Z' };
  await open(testSubscription({ pastDue }), {
    user: testSubscriber({ subscriptionStatus: 'past_due' }),
  });
  const until = formatDay(pastDue.graceEndsAt);
  expect(
    screen.getByText(`Your last payment failed. Update your card by ${until} to keep chatting.`),
  ).toBeTruthy();
});

describe('payment', () => {
  it('is managed on the page of the provider', async () => {
    const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
    server.answers['POST /api/billing/portal'] = { body: { url: 'https://pay.example.com/me' } };
    await open(testSubscription());
    await press('Manage Payment');
    await waitFor(() => expect(assign).toHaveBeenCalledWith('https://pay.example.com/me'));
  });

  it('shows why that page could not be opened', async () => {
    server.answers['POST /api/billing/portal'] = {
      status: 503,
      body: { code: 'unavailable', message: 'Try again in a minute.' },
    };
    await open(testSubscription());
    await press('Manage Payment');
    expect(await screen.findByText('The payment page could not be opened')).toBeTruthy();
    expect(screen.getByText('Try again in a minute.')).toBeTruthy();
  });
});

describe('the invoices', () => {
  it('have date, amount, status and a link', async () => {
    await open(testSubscription(), {
      invoices: [testInvoice(), testInvoice({ id: 'in_0', status: 'refunded', url: null })],
    });
    const [first, second] = within(screen.getByRole('region', { name: 'Invoices' })).getAllByRole(
      'listitem',
    );
    expect(first?.textContent).toContain(formatDay(testInvoice().createdAt));
    expect(first?.textContent).toContain('$179.00');
    expect(first?.textContent).toContain('Paid');
    expect(
      within(first as HTMLElement)
        .getByRole('link')
        .getAttribute('href'),
    ).toBe('https://pay.example.com/in_1');
    expect(second?.textContent).toContain('Refunded');
    expect(within(second as HTMLElement).queryByRole('link')).toBeNull();
  });

  it('say when there are none', async () => {
    await open(testSubscription());
    expect(screen.getByText(/No invoices yet/)).toBeTruthy();
  });

  it('can be read again when that failed', async () => {
    server.answers['GET /api/billing'] = { body: testSubscription() };
    server.answers['GET /api/billing/invoices'] = 'no network';
    renderFor(testSubscriber(), <BillingDetails user={testSubscriber()} />);
    expect(await screen.findByText('The invoices could not be read')).toBeTruthy();
    server.answers['GET /api/billing/invoices'] = { body: [testInvoice()] };
    await press('Try again');
    expect(await screen.findByText('$179.00')).toBeTruthy();
  });
});

it('has no accessibility errors', async () => {
  await open(testSubscription({ cancelsAt: PERIOD_END, isTest: true }), {
    invoices: [testInvoice()],
  });
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false } } });
  expect(violations.map(({ id }) => id)).toEqual([]);
});
