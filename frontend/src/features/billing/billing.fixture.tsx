import {
  type BillingOverview,
  type ChangePreview,
  type Invoice,
  PLANS,
  type Plan,
  type User,
} from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { Toaster } from '../../ui/toast.tsx';

/** The answer of GET /api/plans: price ids such as 'pro_month'. */
export const PLANS_ON_SALE: Plan[] = PLANS.map(({ limits: _limits, features, ...plan }) => ({
  ...plan,
  features: features.map(({ text }) => text),
  soon: [],
  stripePriceId: `${plan.id}_month`,
  stripeYearlyPriceId: `${plan.id}_year`,
}));

/** What GET /api/billing answers to a user without a plan; `fields` override. */
export const testOverview = (fields: Partial<BillingOverview> = {}): BillingOverview => ({
  plan: null,
  interval: null,
  periodEndsAt: null,
  cancelsAt: null,
  pendingChange: null,
  pastDue: null,
  hasCustomer: false,
  isTest: false,
  ...fields,
});

/** Noon, so that it is the same day in most time zones. */
export const PERIOD_END = '2026-12-03T12:00:00.000Z';

/** A running subscription, Pro by the month unless said. */
export const testSubscription = (fields: Partial<BillingOverview> = {}): BillingOverview =>
  testOverview({
    plan: 'pro',
    interval: 'month',
    periodEndsAt: PERIOD_END,
    hasCustomer: true,
    ...fields,
  });

/** What GET /api/billing/preview answers: an upgrade to Pro by the month; `fields` override. */
export const testPreview = (fields: Partial<ChangePreview> = {}): ChangePreview => ({
  when: 'now',
  plan: 'pro',
  interval: 'month',
  currency: 'usd',
  amount: 16_450,
  credit: 0,
  tokens: 2_900_000,
  next: { amount: 17_900, at: PERIOD_END },
  quote: { prorationDate: '2026-11-03T12:00:00.000Z', amount: 16_450 },
  ...fields,
});

export const testInvoice = (fields: Partial<Invoice> = {}): Invoice => ({
  id: 'in_1',
  number: 'S-1',
  createdAt: '2026-11-03T12:00:00.000Z',
  amount: 17_900,
  currency: 'usd',
  description: 'Pro, monthly',
  status: 'paid',
  url: 'https://pay.example.com/in_1',
  ...fields,
});

/** Renders what a signed-in user sees, with notifications. */
export function renderFor(user: User | null, content: ReactNode): void {
  queryClient.setQueryData(userQuery.queryKey, user);
  render(
    <QueryClientProvider client={queryClient}>
      {content}
      <Toaster />
    </QueryClientProvider>,
  );
}
