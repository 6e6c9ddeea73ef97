// Screenshots of plans and billing. The answers of the server are made here: so every state can be shown at once.
import type {
  BillingOverview,
  CheckoutResult,
  Invoice,
  Plan,
  User,
} from '@stolas/backend/contract';
import type { Page } from 'playwright-core';
import { type Options, openSidebar, pretend } from './picture-steps.ts';

const NEXT = '2026-12-03T12:00:00.000Z';

const none: BillingOverview = {
  plan: null,
  interval: null,
  periodEndsAt: null,
  cancelsAt: null,
  pendingChange: null,
  pastDue: null,
  hasCustomer: false,
  isTest: true,
};
const paid: BillingOverview = {
  ...none,
  plan: 'starter',
  interval: 'month',
  periodEndsAt: NEXT,
  hasCustomer: true,
};
const pastDue = { since: '2026-11-20T12:00:00.000Z', graceEndsAt: '2026-11-27T12:00:00.000Z' };

const invoice = (month: string, fields: Partial<Invoice> = {}): Invoice => ({
  id: `in_${month}`,
  number: `STOLAS-${month}`,
  createdAt: `2026-${month}-03T12:00:00.000Z`,
  amount: 2_900,
  currency: 'usd',
  description: 'Starter, monthly',
  status: 'paid',
  url: 'https://pay.example.com/invoice',
  ...fields,
});
const invoices = [
  invoice('11', { status: 'open' }),
  invoice('10'),
  invoice('09', { amount: 17_900, description: 'Pro, monthly', status: 'partially_refunded' }),
  invoice('08', { url: null }),
];

/** Makes the page see the signed-in user with these fields, and this subscription. */
async function become(page: Page, user: Partial<User>, overview: BillingOverview): Promise<void> {
  const plan: Pick<Plan, 'stripePriceId' | 'stripeYearlyPriceId'> = {
    stripePriceId: 'month',
    stripeYearlyPriceId: 'year',
  };
  const checkout: CheckoutResult = { clientSecret: 'secret', publishableKey: 'pk_test_1' };
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await pretend(page, user);
  await page.route('**/api/plans', (route) =>
    route.fulfill({ json: ['starter', 'pro'].map((id) => ({ id, ...plan })) }),
  );
  await page.route('**/api/billing', (route) => route.fulfill({ json: overview }));
  await page.route('**/api/billing/invoices', (route) => route.fulfill({ json: invoices }));
  await page.route('**/api/stripe/checkout', (route) => route.fulfill({ json: checkout }));
  await page.route('https://js.stripe.com/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: STRIPE }),
  );
}

/** Stands in for the script of the payment provider. */
const STRIPE = `
  window.Stripe = () => ({
    initCheckoutElementsSdk: () => ({
      loadActions: async () => ({ type: 'success', actions: {} }),
      createPaymentElement: () => ({
        mount: (box) => { box.textContent = 'Here are the fields of the payment provider.'; },
        destroy: () => undefined,
      }),
    }),
  });
`;

/** @param page of a user without a plan */
export async function billing(page: Page, { url, shot }: Options) {
  const open = async (path: string, text: string) => {
    await page.goto(`${url}${path}`);
    await page.getByText(text).first().waitFor();
  };
  await become(page, {}, none);
  await open('/subscription', 'Test payments');
  await shot(page, 'subscription');
  await page.getByText('Yearly', { exact: true }).click();
  await shot(page, 'subscription-yearly');
  await page.getByRole('button', { name: 'Choose Pro' }).click();
  await page.getByText('fields of the payment provider').waitFor();
  await shot(page, 'payment-form');

  const starter = { subscriptionStatus: 'active', subscriptionPlan: 'starter' } as const;
  await become(page, starter, paid);
  await open('/subscription?change=true', 'Current Plan: Starter');
  await shot(page, 'subscription-current');
  await page.getByRole('button', { name: 'Choose Pro' }).click();
  await page.getByRole('dialog').waitFor();
  await shot(page, 'change-dialog');
  await openUpgrade(page, open);
  await shot(page, 'upgrade-dialog');
  await openSettings(page, open);
  await shot(page, 'billing');
  await page.getByRole('button', { name: 'Cancel Plan' }).click();
  await page.getByRole('dialog').waitFor();
  await shot(page, 'billing-cancel');
  await become(page, starter, { ...paid, cancelsAt: NEXT });
  await openSettings(page, open);
  await shot(page, 'billing-canceled');

  const late = { ...starter, subscriptionStatus: 'past_due' } as const;
  await become(page, late, { ...paid, pastDue });
  await open('/subscription?change=true', 'Your last payment failed');
  await shot(page, 'subscription-past-due');
  await open('/', 'Your last payment failed');
  await shot(page, 'chat-past-due');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}

type Open = (path: string, text: string) => Promise<void>;

async function openUpgrade(page: Page, open: Open) {
  await open('/', 'Start New Conversation');
  await openSidebar(page);
  await page.getByRole('button', { name: 'Upgrade to Pro' }).click();
  await page.getByRole('button', { name: 'Upgrade Now' }).waitFor();
}

async function openSettings(page: Page, open: Open) {
  await open('/settings', 'Invoices');
  await page.getByText('Starter Plan').scrollIntoViewIfNeeded();
  await page.getByRole('heading', { name: 'Billing' }).evaluate((it) => it.scrollIntoView());
}
