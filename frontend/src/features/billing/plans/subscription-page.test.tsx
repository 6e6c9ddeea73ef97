import type { BillingOverview, User } from '@stolas/backend/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import axe from 'axe-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { setAuthToken } from '../../../lib/auth-token.ts';
import { writeSetting } from '../../../lib/page-settings.fixture.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { fakeServer } from '../../../lib/server.fixture.ts';
import { formatDay } from '../../../lib/time.ts';
import { testGuest, testSubscriber, testUser } from '../../../lib/user.fixture.ts';
import { live } from '../../../realtime/index.ts';
import {
  PERIOD_END,
  PLANS_ON_SALE,
  renderFor,
  testOverview,
  testPreview,
  testSubscription,
} from '../billing.fixture.tsx';
import { SubscriptionPage } from './subscription-page.tsx';

let server: ReturnType<typeof fakeServer>;

interface Opening {
  path?: string;
  overview?: BillingOverview;
}

async function open(user: User | null, { path = '/subscription', overview }: Opening = {}) {
  navigate(path);
  if (user) setAuthToken('one');
  server.answers['GET /api/auth/user'] = { body: user };
  server.answers['GET /api/billing'] = { body: overview ?? testOverview() };
  renderFor(user, <SubscriptionPage />);
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
}

const starter = testSubscriber({ subscriptionPlan: 'starter' });
const onStarter = testSubscription({ plan: 'starter' });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const press = (name: string) => userEvent.click(button(name));
const chooseYearly = () => userEvent.click(screen.getByRole('radio', { name: /Yearly/ }));
const leaving = () => vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
const bodiesOf = (call: string) =>
  server.asked.filter((one) => one.call === call).map(({ body }) => body);

beforeEach(() => {
  server = fakeServer({
    'GET /api/plans': { body: PLANS_ON_SALE },
    'GET /api/conversations': { body: [] },
    'GET /api/billing/preview?plan=pro&interval=month': { body: testPreview() },
    'GET /api/billing/preview?plan=starter&interval=month': {
      body: testPreview({ when: 'periodEnd', amount: 0, tokens: 0, quote: null }),
    },
  });
});

describe('a user whose plan has ended', () => {
  it('finds the way to the conversations', async () => {
    server.answers['GET /api/conversations'] = { body: [{ id: 'c1' }, { id: 'c2' }] };
    await open(testUser({}));
    const link = screen.getByRole('link', { name: 'Read your conversations' });
    expect(link.getAttribute('href')).toBe('/?c=c1');
  });

  it('without conversations sees the plans only', async () => {
    await open(testUser({}));
    expect(screen.queryByRole('link', { name: 'Read your conversations' })).toBeNull();
  });
});

describe('the plans', () => {
  it('mark what is to come, and sell support only with an address', () => {
    renderFor(null, <SubscriptionPage />);
    const item = (text: string) => screen.getByText(text).closest('li');
    for (const text of ['n8n workflow integration', 'API access', 'Advanced analytics'])
      expect(within(item(text) as HTMLElement).getByText('Coming soon')).toBeTruthy();
    for (const text of ['Unlimited conversations', 'Advanced insight cards', 'Team collaboration'])
      expect(item(text)?.textContent).toBe(text);
    expect(screen.queryByText('Priority support')).toBeNull();
  });

  it('sell what the operator sells, and name the address of support', () => {
    writeSetting('plan-features', 'support,cards:soon');
    writeSetting('support', 'https://example.org/help');
    renderFor(null, <SubscriptionPage />);
    const cards = ['Starter', 'Pro'].map((name) =>
      within(screen.getByRole('region', { name }))
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    );
    expect(cards).toEqual([
      [
        '200,000 tokens per month',
        'Unlimited conversations',
        '3 custom personas',
        'Basic file uploads (10MB)',
        'Priority supportexample.org/help',
      ],
      [
        '3,000,000 tokens per month',
        'Everything in Starter',
        'Unlimited custom personas',
        'Large file uploads (100MB)',
        'Advanced insight cardsComing soon',
      ],
    ]);
    const link = screen.getByRole('link', { name: 'example.org/help' });
    expect(link.getAttribute('href')).toBe('https://example.org/help');
  });

  it('are shown before the server has answered', () => {
    renderFor(null, <SubscriptionPage />);
    expect(screen.getByText('$29')).toBeTruthy();
    expect(screen.getByText('$179')).toBeTruthy();
    expect(screen.getByText('RECOMMENDED')).toBeTruthy();
  });

  it('say in questions what their tokens are enough for', () => {
    renderFor(null, <SubscriptionPage />);
    expect(
      screen.getByText('Enough for about 120 questions on an 8-page PDF, or 400 short messages.'),
    ).toBeTruthy();
    expect(screen.getByText(/about 1,800 questions .* or 6,000 short messages/)).toBeTruthy();
  });

  it('have yearly prices, with what a month costs by them', async () => {
    await open(null);
    expect(screen.getByText('Save 20%')).toBeTruthy();
    await chooseYearly();
    expect(screen.getByText('$278.40')).toBeTruthy();
    expect(screen.getByText('$23.20 a month, billed yearly')).toBeTruthy();
    expect(screen.getByText('$1,718.40')).toBeTruthy();
    expect(screen.getByText('$143.20 a month, billed yearly')).toBeTruthy();
  });

  it('switch between month and year by the keyboard', async () => {
    await open(null);
    screen.getByRole('radio', { name: 'Monthly' }).focus();
    await userEvent.keyboard('{ArrowRight}');
    expect(screen.getByText('$278.40')).toBeTruthy();
  });

  it('have no accessibility errors', async () => {
    await open(starter, { path: '/subscription?change=true', overview: onStarter });
    const { violations } = await axe.run(document.body, { rules: { region: { enabled: false } } });
    expect(violations.map(({ id }) => id)).toEqual([]);
  });
});

describe('a signed-out user', () => {
  it('is asked to sign in, and comes back to the offer', async () => {
    await open(null);
    expect(screen.getByRole('link', { name: 'Sign In to Subscribe' })).toBeTruthy();
    await chooseYearly();
    await press('Choose Pro');
    expect(await screen.findByText('Authentication Required')).toBeTruthy();
    expect(screen.getByText('Please log in to subscribe to a plan.')).toBeTruthy();
    await press('Sign In');
    expect(location.pathname + location.search).toBe('/login?plan=pro&interval=year');
  });
});

describe('a guest', () => {
  it('is shown as Demo, may go back, and registers before paying', async () => {
    await open(testGuest());
    expect(screen.getByText('Current Plan: Demo')).toBeTruthy();
    expect(screen.getByText('Active')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Back to Chat' })).toBeTruthy();
    await press('Choose Starter');
    expect(location.pathname + location.search).toBe('/login?plan=starter');
  });
});

describe('a user without a plan', () => {
  it('has no banner and no way back, but the email address and Sign Out', async () => {
    await open(testUser());
    expect(screen.queryByText(/Current Plan/)).toBeNull();
    expect(screen.queryByRole('link', { name: 'Back to Chat' })).toBeNull();
    expect(screen.getByText('ada@example.com')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Settings' }).getAttribute('href')).toBe('/settings');
    expect(button('Sign Out')).toBeTruthy();
  });

  it.each([
    [{ messagesLeft: 3, tokensLeft: 900 }, 'Active'],
    [{ messagesLeft: 0, tokensLeft: 900 }, 'Used up'],
    [{ messagesLeft: 3, tokensLeft: 0 }, 'Used up'],
  ])('says of the demo with %o: %s', async (left, state) => {
    await open(testGuest({ demo: { messageLimit: 20, tokenLimit: 100_000, ...left } }));
    const banner = screen.getByText('Current Plan: Demo').closest('[class*=rounded]');
    expect(banner?.textContent).toBe(`Current Plan: Demo${state}`);
  });

  it('comes back to the offer that was about to be chosen', async () => {
    await open(testUser(), { path: '/subscription?plan=pro&interval=year' });
    expect(document.activeElement).toBe(button('Choose Pro'));
    expect(screen.getByText('$1,718.40')).toBeTruthy();
  });

  it('pays on the payment page, and the button says Loading... until the browser has left', async () => {
    const assign = leaving();
    server.answers['POST /api/stripe/checkout'] = { body: { url: 'https://pay.example.com/1' } };
    await open(testUser());
    await press('Choose Starter');
    await waitFor(() => expect(assign).toHaveBeenCalledWith('https://pay.example.com/1'));
    expect(bodiesOf('POST /api/stripe/checkout')).toEqual([{ priceId: 'starter_month' }]);
    expect(button('Loading...').disabled).toBe(true);
    expect(button('Choose Pro').disabled).toBe(true);
  });

  it('can choose again after the browser has shown the kept page', async () => {
    const assign = leaving();
    server.answers['POST /api/stripe/checkout'] = { body: { url: 'https://pay.example.com/1' } };
    await open(testUser());
    await press('Choose Starter');
    await waitFor(() => expect(assign).toHaveBeenCalled());
    const kept = new Event('pageshow');
    window.dispatchEvent(Object.assign(kept, { persisted: true }));
    await waitFor(() => expect(button('Choose Starter').disabled).toBe(false));
  });

  it('pays by the year with the price id of the year', async () => {
    leaving();
    server.answers['POST /api/stripe/checkout'] = { body: { url: 'https://pay.example.com/1' } };
    await open(testUser());
    await chooseYearly();
    await press('Choose Pro');
    await waitFor(() =>
      expect(bodiesOf('POST /api/stripe/checkout')).toEqual([{ priceId: 'pro_year' }]),
    );
  });

  it("is shown the server's error", async () => {
    server.answers['POST /api/stripe/checkout'] = {
      status: 400,
      body: { code: 'unknown_price', message: 'This plan is not on sale.' },
    };
    await open(testUser());
    await press('Choose Pro');
    expect(await screen.findByText('Error')).toBeTruthy();
    expect(screen.getByText('This plan is not on sale.')).toBeTruthy();
    expect(button('Choose Pro').disabled).toBe(false);
  });

  it('sees a notice when the request failed', async () => {
    server.answers['POST /api/stripe/checkout'] = 'no network';
    await open(testUser());
    await press('Choose Pro');
    expect(
      await screen.findByText('Failed to create subscription. Please try again.'),
    ).toBeTruthy();
  });

  it.each([
    ['a user', testUser()],
    ['a guest', testGuest()],
  ])('sees that payments are tests, as %s', async (_who, user) => {
    await open(user, { overview: testOverview({ isTest: true }) });
    expect(screen.getByText('Test payments: no money moves')).toBeTruthy();
  });
});

describe('a subscriber', () => {
  const changing = { path: '/subscription?change=true', overview: onStarter };

  it('sees the current plan, which cannot be chosen', async () => {
    await open(starter, changing);
    expect(screen.getByText('Current Plan: Starter')).toBeTruthy();
    expect(screen.getByText('Active')).toBeTruthy();
    expect(button('Current Plan').disabled).toBe(true);
    expect(screen.getByRole('link', { name: 'Back to Chat' })).toBeTruthy();
  });

  it('upgrades now, after a confirmation', async () => {
    await open(starter, changing);
    await press('Choose Pro');
    const dialog = within(await screen.findByRole('dialog', { name: 'Upgrade to Pro?' }));
    expect(await dialog.findByText('Charged today: $164.50')).toBeTruthy();
    expect(dialog.getByText(/taken off.*\$179 a month/)).toBeTruthy();
    expect(bodiesOf('POST /api/billing/change')).toEqual([]);
    server.answers['POST /api/billing/change'] = { body: testSubscription() };
    server.answers['GET /api/auth/user'] = { body: testSubscriber() };
    await userEvent.click(dialog.getByRole('button', { name: 'Upgrade Now' }));
    expect(await screen.findByText('Current Plan: Pro')).toBeTruthy();
    expect(screen.getByText('Upgrade Successful')).toBeTruthy();
    expect(bodiesOf('POST /api/billing/change')).toEqual([
      { plan: 'pro', interval: 'month', quote: testPreview().quote },
    ]);
  });

  it('sees why an upgrade failed, and keeps the dialog', async () => {
    server.answers['POST /api/billing/change'] = {
      status: 402,
      body: { code: 'payment_failed', message: 'Your card was declined.' },
    };
    await open(starter, changing);
    await press('Choose Pro');
    await screen.findByText('Charged today: $164.50');
    await press('Upgrade Now');
    expect(await screen.findByText('Upgrade Failed')).toBeTruthy();
    expect(screen.getByText('Your card was declined.')).toBeTruthy();
    expect(screen.getByRole('dialog')).toBeTruthy();
  });

  it('downgrades at the end of the paid period, whose date the dialog has', async () => {
    const scheduled = testSubscription({
      pendingChange: { plan: 'starter', interval: 'month', at: PERIOD_END },
    });
    server.answers['POST /api/billing/change'] = { body: scheduled };
    await open(testSubscriber(), {
      path: '/subscription?change=true',
      overview: testSubscription(),
    });
    await press('Choose Starter');
    const dialog = within(await screen.findByRole('dialog', { name: 'Change to Starter?' }));
    const day = formatDay(PERIOD_END);
    expect(dialog.getByText(new RegExp(`until ${day}.*\\$29 a month`))).toBeTruthy();
    expect(await dialog.findByText('Nothing is charged today.')).toBeTruthy();
    server.answers['GET /api/billing'] = { body: scheduled };
    await userEvent.click(dialog.getByRole('button', { name: 'Change Plan' }));
    expect(await screen.findByText('Change Scheduled')).toBeTruthy();
    expect(screen.getByText(`Changes to Starter on ${day}`)).toBeTruthy();
    expect(button(`Starts ${day}`).disabled).toBe(true);
  });

  it('switches to yearly payment of the same plan', async () => {
    await open(starter, changing);
    await chooseYearly();
    await press('Switch to Yearly');
    expect(await screen.findByRole('dialog', { name: 'Upgrade to yearly billing?' })).toBeTruthy();
  });

  it('cancels the dialog with Escape, and the focus is back on the button', async () => {
    await open(starter, changing);
    await press('Choose Pro');
    await screen.findByRole('dialog');
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(document.activeElement).toBe(button('Choose Pro')));
    expect(bodiesOf('POST /api/billing/change')).toEqual([]);
  });

  it('pays for another plan when the present one was given', async () => {
    const assign = leaving();
    server.answers['POST /api/stripe/checkout'] = { body: { url: 'https://pay.example.com/1' } };
    await open(starter, { ...changing, overview: testOverview({ plan: 'starter' }) });
    await press('Choose Pro');
    await waitFor(() => expect(assign).toHaveBeenCalledWith('https://pay.example.com/1'));
  });

  it('sees changes that were made elsewhere', async () => {
    await open(starter, changing);
    server.answers['GET /api/billing'] = { body: testSubscription({ cancelsAt: PERIOD_END }) };
    live.handlers['account:changed'](testSubscriber());
    expect(await screen.findByText('Current Plan: Pro')).toBeTruthy();
    expect(await screen.findByText(`Ends on ${formatDay(PERIOD_END)}`)).toBeTruthy();
  });
});

describe('a user whose last payment failed', () => {
  const pastDue = { since: '2026-11-20T12:00:00.000Z', graceEndsAt: '2026-11-27T12:00:00.000Z' };

  it('may go back to the chat during the days of grace', async () => {
    await open(testSubscriber({ subscriptionStatus: 'past_due' }), {
      path: '/subscription?change=true',
      overview: testSubscription({ pastDue }),
    });
    expect(screen.getByRole('link', { name: 'Back to Chat' })).toBeTruthy();
    expect(screen.getByText('Payment due')).toBeTruthy();
    const until = formatDay(pastDue.graceEndsAt);
    const text = `Your last payment failed. Update your card by ${until} to keep chatting.`;
    expect(screen.getByText(text)).toBeTruthy();
  });

  it('is led to the card after them, and has no way back', async () => {
    const assign = leaving();
    server.answers['POST /api/billing/portal'] = { body: { url: 'https://pay.example.com/me' } };
    await open(testUser({ subscriptionStatus: 'past_due' }), {
      overview: testOverview({ pastDue, hasCustomer: true }),
    });
    expect(screen.queryByRole('link', { name: 'Back to Chat' })).toBeNull();
    expect(screen.queryByText(/Current Plan/)).toBeNull();
    expect(screen.getByText(/your plan is paused/)).toBeTruthy();
    await press('Update Card');
    await waitFor(() => expect(assign).toHaveBeenCalledWith('https://pay.example.com/me'));
  });
});
