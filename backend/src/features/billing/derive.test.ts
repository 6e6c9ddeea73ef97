import { describe, expect, it } from 'vitest';
import type { SubscriptionSnapshot } from '../../payments/index.ts';
import { createCatalog } from './catalog.ts';
import {
  isSameState,
  NO_SUBSCRIPTION,
  type SubscriptionFacts,
  subscriptionFrom,
} from './derive.ts';

const catalog = createCatalog({
  PLAN_FEATURES: 'none',
  SUPPORT_EMAIL: undefined,
  SUPPORT_URL: undefined,
  STRIPE_PRICE_STARTER: 's-month',
  STRIPE_PRICE_STARTER_YEARLY: 's-year',
  STRIPE_PRICE_PRO: 'p-month',
  STRIPE_PRICE_PRO_YEARLY: 'p-year',
});
const day = (text: string) => new Date(`2026-${text}T12:00:00Z`);
const NOW = day('03-20');

const snapshot = (fields: Partial<SubscriptionSnapshot> = {}): SubscriptionSnapshot => ({
  id: 'sub_1',
  customerId: 'cus_1',
  ownerId: 'a'.repeat(24),
  status: 'active',
  priceId: 'p-month',
  startedAt: day('01-15'),
  anchoredAt: day('01-15'),
  periodStartsAt: day('03-15'),
  periodEndsAt: day('04-15'),
  cancelsAt: null,
  pendingPriceId: null,
  latestInvoice: { id: 'in_1', status: 'paid' },
  ...fields,
});
const derive = (
  found: SubscriptionSnapshot | null,
  { previous = NO_SUBSCRIPTION, now = NOW, graceDays = 7 } = {},
): SubscriptionFacts =>
  subscriptionFrom({ snapshot: found, previous, now }, { graceDays, priceOf: catalog.get });

describe('a subscription', () => {
  it('is stored with the plan of its price', () => {
    expect(derive(snapshot({ priceId: 's-year', cancelsAt: day('04-15') }))).toEqual({
      subscriptionId: 'sub_1',
      plan: 'starter',
      interval: 'year',
      status: 'active',
      startedAt: day('01-15'),
      periodEndsAt: day('04-15'),
      cancelsAt: day('04-15'),
      pendingChange: null,
      pastDue: null,
      mixedPeriod: null,
    });
  });

  it('has the change that is planned for the end of the paid period', () => {
    const facts = derive(snapshot({ pendingPriceId: 's-month' }));
    expect(facts).toMatchObject({
      plan: 'pro',
      pendingChange: { plan: 'starter', interval: 'month' },
    });
  });

  it.each([['ended'], ['incomplete']] as const)('that is %s gives nothing', (status) => {
    const previous = derive(snapshot());
    expect(derive(snapshot({ status }), { previous })).toEqual(NO_SUBSCRIPTION);
  });

  it('that the provider lacks gives nothing', () => {
    expect(derive(null, { previous: derive(snapshot()) })).toEqual(NO_SUBSCRIPTION);
  });

  it('gives nothing once its latest invoice was refunded, and continues after a partial refund', () => {
    const refund = (status: 'refunded' | 'partially_refunded') =>
      derive(snapshot({ latestInvoice: { id: 'in_1', status } }));
    expect(refund('refunded')).toEqual(NO_SUBSCRIPTION);
    expect(refund('partially_refunded')).toEqual(derive(snapshot()));
  });

  it('is disputed while its latest invoice is, and active again when the dispute is won', () => {
    const latestInvoice = { id: 'in_1', status: 'disputed' } as const;
    const disputed = derive(snapshot({ latestInvoice }));
    expect(disputed).toMatchObject({ status: 'disputed', plan: 'pro' });
    expect(derive(snapshot(), { previous: disputed })).toMatchObject({ status: 'active' });
  });

  it('refuses a price that is not configured', () => {
    expect(() => derive(snapshot({ priceId: 'price_of_others' }))).toThrow('price_of_others');
    expect(() => derive(snapshot({ pendingPriceId: 'old_price' }))).toThrow('old_price');
  });
});

describe('the grace of a failed renewal', () => {
  const failed = snapshot({ status: 'past_due', latestInvoice: { id: 'in_2', status: 'failed' } });

  it('lasts as many days as are set', () => {
    const pastDue = { since: NOW, graceEndsAt: day('03-27') };
    expect(derive(failed)).toMatchObject({ status: 'past_due', plan: 'pro', pastDue });
    expect(derive(failed, { graceDays: 0 }).pastDue?.graceEndsAt).toEqual(NOW);
  });

  it('is not extended by later failures', () => {
    const previous = derive(failed);
    for (const status of ['past_due', 'unpaid'] as const)
      expect(derive({ ...failed, status }, { previous, now: day('03-25') })).toEqual(previous);
  });

  it('ends when the invoice is paid, and restarts with the next failure', () => {
    const paid = derive(snapshot(), { previous: derive(failed) });
    expect(paid).toMatchObject({ status: 'active', pastDue: null });
    const again = derive(failed, { previous: paid, now: day('04-16') });
    expect(again.pastDue?.since).toEqual(day('04-16'));
  });

  it('is not inherited from another subscription', () => {
    const previous = derive(failed, { now: day('03-01') });
    expect(derive({ ...failed, id: 'sub_2' }, { previous }).pastDue?.since).toEqual(NOW);
  });
});

describe('the usage period in which the price changed', () => {
  const starter = snapshot({ priceId: 's-month' });
  /** Half of the usage period from March 15 to April 15. */
  const HALF = new Date('2026-03-31T00:00:00Z');
  const upgraded = snapshot({ anchoredAt: HALF, periodStartsAt: HALF });
  const mixed = {
    startsAt: day('03-15'),
    endsAt: new Date('2026-04-30T00:00:00Z'),
    tokens: 3_000_000 + 100_000,
  };

  it('lasts to the end of the first month of an upgrade, with the used share of the former plan', () => {
    const facts = derive(upgraded, { previous: derive(starter), now: HALF });
    expect(facts).toMatchObject({ startedAt: HALF, plan: 'pro', mixedPeriod: mixed });
  });

  it('is the same however late or often the upgrade is processed', () => {
    const late = derive(upgraded, { previous: derive(starter), now: day('04-20') });
    expect(late.mixedPeriod).toEqual(mixed);
    expect(derive(upgraded, { previous: late, now: day('04-21') })).toEqual(late);
  });

  it('ends after that month, even when the upgrade is processed later', () => {
    const previous = derive(upgraded, { previous: derive(starter), now: HALF });
    expect(derive(upgraded, { previous, now: day('05-01') }).mixedPeriod).toBeNull();
    expect(derive(upgraded, { previous: derive(starter), now: day('05-01') })).toMatchObject({
      startedAt: HALF,
      mixedPeriod: null,
    });
  });

  it('has the shares of both plans when the price changes without a new paid period', () => {
    const up = derive(snapshot(), { previous: derive(starter), now: HALF });
    const shares = { startsAt: day('03-15'), endsAt: day('04-15'), tokens: 1_600_000 };
    expect(up.mixedPeriod).toEqual(shares);
    const down = derive(starter, { previous: derive(snapshot()), now: HALF });
    expect(down.mixedPeriod).toEqual(shares);
  });

  it('does not exist after a planned change, however late that is processed', () => {
    const previous = derive(snapshot({ pendingPriceId: 's-month' }));
    const next = { ...starter, periodStartsAt: day('04-15'), periodEndsAt: day('05-15') };
    for (const now of [day('04-15'), day('04-17')])
      expect(derive(next, { previous, now })).toMatchObject({ plan: 'starter', mixedPeriod: null });
  });

  it('is not inherited by a new subscription', () => {
    const previous = derive(upgraded, { previous: derive(starter), now: HALF });
    expect(derive({ ...upgraded, id: 'sub_2' }, { previous }).mixedPeriod).toBeNull();
    expect(derive({ ...starter, id: 'sub_2' }, { previous }).mixedPeriod).toBeNull();
  });
});

describe('two states', () => {
  it('are the same for any order of their fields, and without the mixed period', () => {
    const state = derive(snapshot({ pendingPriceId: 's-month' }));
    const stored = {
      ...state,
      pendingChange: { interval: 'month', plan: 'starter' } as const,
      mixedPeriod: { startsAt: NOW, endsAt: NOW, tokens: 1 },
    };
    expect(isSameState(state, stored)).toBe(true);
  });

  it('differ when any fact that users see differs', () => {
    const state = derive(snapshot({ pendingPriceId: 's-month' }));
    const other: Partial<SubscriptionFacts>[] = [
      { subscriptionId: 'sub_2' },
      { plan: 'starter' },
      { interval: 'year' },
      { status: 'past_due' },
      { startedAt: NOW },
      { periodEndsAt: NOW },
      { cancelsAt: NOW },
      { pendingChange: null },
      { pendingChange: { plan: 'starter', interval: 'year' } },
      { pastDue: { since: NOW, graceEndsAt: NOW } },
    ];
    for (const change of other) expect(isSameState(state, { ...state, ...change })).toBe(false);
  });
});
