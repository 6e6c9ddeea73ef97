import type { Invoice } from '@stolas/backend/contract';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ownProduct } from './open-product.ts';
import { atProvider, notice } from './payment-steps.ts';
import { fillRegistration, toRegistration } from './product.ts';
import { shot } from './shot.ts';
import { barriers, button, checkScreen, expectFocus, get, hold } from './steps.ts';

// Payments are tests: this server passes on the pages of the embedded Stripe, which has a payment page in any case; the content
// security policy admits the form.
const { url, arrive, register, subscribe } = await ownProduct({ STRIPE_UI: 'embedded' });

/** The charges as pages show them, newest first. */
async function chargesOf(page: Page): Promise<string[]> {
  const invoices = await get<Invoice[]>(page, '/billing/invoices');
  const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
  return invoices.map(({ amount }) => dollars.format(amount / 100));
}

async function openSettings(page: Page): Promise<void> {
  await page.goto(new URL('/settings', url).href);
  await page.getByText('Invoices').waitFor();
}

describe('choosing a plan', () => {
  it('leads to the payment page, back by a verification, and into the chat, in both tabs', async () => {
    const { visitor, page } = await register();
    const second = await visitor.open('/subscription');
    await button(second, 'Choose Pro').waitFor();
    await button(page, 'Choose Pro').click();
    await page.getByText('$179').first().waitFor();
    await button(page, 'Pay').click();
    await notice(page, 'Subscription Successful');
    for (const tab of [page, second]) {
      await tab.getByText('Start New Conversation').waitFor();
      await tab.getByText('Pro Plan', { exact: true }).waitFor();
    }
    expect(visitor.errors).toEqual([]);
  });

  it('keeps the buttons in place when the mark of test payments arrives', async () => {
    const { visitor } = await register();
    const page = await visitor.context.newPage();
    const release = await hold(page, 'GET', '**/api/billing');
    await page.goto(new URL('/subscription', url).href);
    const choose = button(page, 'Choose Pro');
    const place = await choose.boundingBox();
    release();
    await page.getByText('Test payments: no money moves', { exact: true }).waitFor();
    expect(place).not.toBeNull();
    expect(await choose.boundingBox()).toEqual(place);
  });

  it('can be repeated after a decline and a cancellation', async () => {
    const { visitor, page } = await register();
    await page.getByText('Yearly', { exact: true }).click();
    await button(page, 'Choose Starter').click();
    await page.getByText('$278.40').first().waitFor();
    await button(page, 'Decline').click();
    await page.getByText('Your card was declined.').waitFor();
    await button(page, 'Cancel').click();
    await notice(page, 'Subscription Canceled');
    expect(new URL(page.url()).search).toBe('?change=true');
    await button(page, 'Choose Starter').click();
    await button(page, 'Pay').click();
    await page.getByText('Starter Plan', { exact: true }).waitFor();
    expect(visitor.errors).toEqual([]);
  });

  it('waits for a sign-in', async () => {
    const visitor = await arrive();
    const page = await visitor.open('/subscription');
    await button(page, 'Choose Pro').click();
    await notice(page, 'Authentication Required');
    await button(page, 'Sign In').click();
    await toRegistration(page);
    await fillRegistration(page);
    const choice = button(page, 'Choose Pro');
    await choice.waitFor();
    await expectFocus(choice);
  });
});

describe('a Starter subscriber', () => {
  it.each([
    ['Monthly', '$29.00', '$179/month, billed monthly'],
    ['Yearly', '$278.40', '$1,718.40/year, billed yearly'],
  ] as const)(
    'who pays %s is charged what the dialog of the chat says',
    async (interval, paid, term) => {
      const { visitor, page } = await subscribe('Starter', interval);
      await button(page, 'Upgrade to Pro').click();
      const facts = page.getByRole('dialog').getByRole('listitem');
      await facts.filter({ hasText: term }).waitFor();
      const said = await facts.filter({ hasText: 'Charged today: ' }).textContent();
      await button(page, 'Upgrade Now').click();
      await notice(page, 'Upgrade Successful');
      expect((await chargesOf(page)).map((charge) => `Charged today: ${charge}`)).toEqual([
        said,
        `Charged today: ${paid}`,
      ]);
      expect(visitor.errors).toEqual([]);
    },
  );

  it('upgrades in the chat, without paying again, in both tabs', async () => {
    const { visitor, page } = await subscribe('Starter');
    const second = await visitor.open();
    await button(second, 'Upgrade to Pro').waitFor();
    await button(page, 'Upgrade to Pro').click();
    await button(page, 'Upgrade Now').waitFor();
    expect(await barriers(page)).toEqual([]);
    await button(page, 'Upgrade Now').click();
    await notice(page, 'Upgrade Successful');
    for (const tab of [page, second]) {
      await tab.getByText('Pro Plan', { exact: true }).waitFor();
      await expect.poll(() => button(tab, 'Upgrade to Pro').count()).toBe(0);
    }
    expect(visitor.errors).toEqual([]);
  });
});

describe('a Pro subscriber', () => {
  it('downgrades at the end of the paid period, and takes it back, in both tabs', async () => {
    const { visitor, page } = await subscribe('Pro');
    const settings = await visitor.open('/settings');
    await settings.getByText('Invoices').waitFor();
    await page.goto(new URL('/subscription?change=true', url).href);
    await button(page, 'Choose Starter').click();
    await button(page, 'Change Plan').click();
    await notice(page, 'Change Scheduled');
    await shot(page, 'change-scheduled');
    await settings.getByText('Changes to Starter').waitFor();
    await button(settings, 'Keep Pro').click();
    await expect.poll(() => page.getByText(/Changes to Starter/).count()).toBe(0);
    await button(page, 'Choose Starter').waitFor();
    expect(visitor.errors).toEqual([]);
  });

  it('cancels and keeps the plan, in both tabs', async () => {
    const { visitor, page } = await subscribe('Pro');
    await openSettings(page);
    const second = await visitor.open('/settings');
    await second.getByText('Invoices').waitFor();
    await page.getByText('Paid', { exact: true }).waitFor();
    await checkScreen(page, 'billing');
    await button(page, 'Cancel Plan').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel Plan' }).click();
    await second.getByText('Until then nothing changes').waitFor();
    await shot(second, 'billing-canceled');
    await button(second, 'Keep My Plan').click();
    await button(page, 'Cancel Plan').waitFor();
    expect(visitor.errors).toEqual([]);
  });

  it('sees a failed renewal at once, pays on the page of the provider, and goes on', async () => {
    const { visitor, page } = await subscribe('Pro');
    await atProvider(visitor, 'Fail renewal');
    await page.getByText('Your last payment failed').waitFor();
    await checkScreen(page, 'chat-past-due');
    await atProvider(visitor, 'Pay open invoice');
    await expect.poll(() => page.getByText('Your last payment failed').count()).toBe(0);
    expect(visitor.errors).toEqual([]);
  });

  it('loses the plan when the subscription ends, and is shown the plans', async () => {
    const { visitor, page } = await subscribe('Pro');
    await atProvider(visitor, 'End now');
    await page.getByText('Choose Your Plan').waitFor();
    expect(visitor.errors).toEqual([]);
  });
});

describe('the embedded payment form', () => {
  /** Stands in for the script of the payment provider: it adds a frame, calls the API and refuses the card. */
  const SCRIPT = `
    window.Stripe = () => ({
      initCheckoutElementsSdk: () => ({
        loadActions: async () => ({
          type: 'success',
          actions: {
            confirm: async () => {
              const answer = await fetch('https://api.stripe.com/v1/confirm');
              return { type: 'error', error: { message: await answer.text() } };
            },
          },
        }),
        createPaymentElement: () => ({
          mount: (box) => {
            const frame = document.createElement('iframe');
            frame.title = 'Card';
            frame.src = 'https://js.stripe.com/fields.html';
            box.append(frame);
          },
          destroy: () => undefined,
        }),
      }),
    });
  `;

  it('is admitted by the content security policy, and shows why a card was refused', async () => {
    const { visitor, page } = await register();
    await page.route('**/api/stripe/checkout', (route) =>
      route.fulfill({ json: { clientSecret: 'secret', publishableKey: 'pk_test_1' } }),
    );
    await page.route('https://js.stripe.com/**', (route) =>
      route.request().url().endsWith('fields.html')
        ? route.fulfill({ contentType: 'text/html', body: 'Card number' })
        : route.fulfill({ contentType: 'text/javascript', body: SCRIPT }),
    );
    await page.route('https://api.stripe.com/**', (route) =>
      route.fulfill({
        headers: { 'access-control-allow-origin': '*' },
        body: 'Your card was declined.',
      }),
    );
    await button(page, 'Choose Pro').click();
    await page.getByRole('heading', { name: 'Subscribe to Pro' }).waitFor();
    await page.getByText('$179/month').waitFor();
    await page.frameLocator('iframe').getByText('Card number').waitFor();
    expect(await barriers(page)).toEqual([]);
    await button(page, 'Subscribe').click();
    await notice(page, 'Payment Failed');
    await page.getByText('Your card was declined.', { exact: true }).waitFor();
    await button(page, 'Back to plans').click();
    await button(page, 'Choose Pro').waitFor();
    // The fake script warns that its version is not the expected one; violations are errors.
    expect(visitor.errors).toEqual([]);
  });
});
