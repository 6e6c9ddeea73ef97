import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { PRICES } from '../rig.fixture.ts';
import { declineCheckout, expireCheckout, payCheckout } from './checkouts.ts';
import { endPeriodNow } from './clock.ts';
import { closeDispute, openDispute, payInvoice, refund } from './invoices.ts';
import { createMemoryStore } from './memory-store.fixture.ts';
import { type Action, createSimulator, type Simulator } from './simulator.ts';
import {
  changePriceNow,
  createSchedule,
  deleteCustomer,
  endSubscription,
  setCancellation,
  setNextPrice,
  subscriptionOf,
} from './subscriptions.ts';

const START = new Date('2026-01-31T10:00:00Z');
const DAY_MS = 86_400_000;

let now = START;
let simulator: Simulator;
let checkoutId: string;

const request = (part: object = {}) => ({
  ownerId: 'ada',
  customerId: null,
  email: 'ada@example.org',
  priceId: 'price_starter',
  successUrl: 'http://localhost/success',
  cancelUrl: 'http://localhost/cancel',
  embedded: false,
  ...part,
});
const once = (part: object = {}) => ({ key: 'key', asked: 'a checkout', ...part });

beforeEach(async () => {
  now = START;
  const makeId = (prefix: string) => `${prefix}_${randomUUID()}`;
  const world = { now: () => now, makeId, prices: PRICES };
  simulator = createSimulator({ store: createMemoryStore(), world });
  checkoutId = await simulator.createCheckout(request(), once());
});

const act = (action: Action) => simulator.update(checkoutId, action);
const state = async () => {
  const found = await simulator.find(checkoutId);
  if (!found) throw new Error('The customer is gone.');
  return found;
};
const subscribe = async () => {
  await act((draft) => payCheckout(draft, checkoutId));
  const { subscriptions, invoices } = await state();
  return { id: subscriptions[0]?.id ?? '', invoiceId: invoices[0]?.id ?? '' };
};
/** The message of a refusal, which must change nothing. */
const refusal = async (action: Action): Promise<string> => {
  const before = await state();
  const message = await act(action).then(
    () => 'not refused',
    (error: unknown) => String(error),
  );
  expect(await state()).toEqual(before);
  return message;
};

describe('checkouts', () => {
  it('a paid one is not expired, declined or paid again', async () => {
    await subscribe();
    const before = await state();
    expect(await refusal((draft) => expireCheckout(draft, checkoutId))).toContain('can be expired');
    await act((draft) => declineCheckout(draft, checkoutId));
    await act((draft) => payCheckout(draft, checkoutId));
    expect(await state()).toEqual(before);
  });

  it('an expired one is not paid or expired again, and its email is removed', async () => {
    await act((draft) => expireCheckout(draft, checkoutId));
    expect(await refusal((draft) => payCheckout(draft, checkoutId))).toContain('expired');
    expect(await refusal((draft) => expireCheckout(draft, checkoutId))).toContain('can be expired');
    expect(await state()).toMatchObject({ email: '', exists: false });
  });

  it('of an unknown price is refused', async () => {
    const unknown = simulator.createCheckout(request({ priceId: 'x' }), once({ key: 'other' }));
    await expect(unknown).rejects.toMatchObject({ reason: 'missing' });
  });
});

describe('idempotency keys', () => {
  it('take effect once, for one request only', async () => {
    expect(await simulator.createCheckout(request(), once())).toBe(checkoutId);
    const other = simulator.createCheckout(request(), once({ asked: 'another checkout' }));
    await expect(other).rejects.toMatchObject({ reason: 'key_reused' });
  });

  it('belong to one customer', async () => {
    await subscribe();
    const key = { key: 'second', asked: 'a checkout' };
    await simulator.createCheckout(request(), key);
    const customerId = (await state()).id;
    const taken = simulator.createCheckout(request({ customerId }), key);
    await expect(taken).rejects.toMatchObject({ reason: 'key_reused' });
  });

  it('expire after a day', async () => {
    await subscribe();
    now = new Date(START.getTime() + DAY_MS - 1);
    expect(await simulator.createCheckout(request(), once())).toBe(checkoutId);
    now = new Date(START.getTime() + DAY_MS);
    expect(await simulator.createCheckout(request(), once())).not.toBe(checkoutId);
  });
});

describe('subscriptions', () => {
  it('an ended one is not changed', async () => {
    const { id } = await subscribe();
    const end: Action = (draft) => endSubscription(draft, subscriptionOf(draft, id));
    await act(end);
    const ended = await state();
    const gone = 'canceled subscription';
    expect(await refusal((draft) => changePriceNow(draft, id, { priceId: 'price_pro' }))).toContain(
      gone,
    );
    expect(await refusal((draft) => setCancellation(draft, id, true))).toContain(gone);
    expect(await refusal((draft) => void createSchedule(draft, id))).toContain(gone);
    await act(end);
    await act((draft) => endPeriodNow(draft, id, 'works'));
    expect((await state()).subscriptions).toEqual(ended.subscriptions);
    expect((await state()).events).toEqual(ended.events);
  });

  it('one with a schedule is not cancelled and gets no second schedule', async () => {
    const { id } = await subscribe();
    expect(await refusal((draft) => setNextPrice(draft, id, 'price_pro'))).toContain('no schedule');
    await act((draft) => void createSchedule(draft, id));
    expect(await refusal((draft) => setCancellation(draft, id, true))).toContain(
      'managed by the schedule',
    );
    expect(await refusal((draft) => void createSchedule(draft, id))).toContain('already attached');
  });

  it('the current price costs nothing', async () => {
    const { id } = await subscribe();
    const before = await state();
    await act((draft) => changePriceNow(draft, id, { priceId: 'price_starter' }));
    expect(await state()).toEqual(before);
  });

  it('a change to a cheaper price gives credit, which later invoices use up', async () => {
    const { id } = await subscribe();
    await act((draft) => changePriceNow(draft, id, { priceId: 'price_pro' }));
    await act((draft) => changePriceNow(draft, id, { priceId: 'price_starter' }));
    expect(await state()).toMatchObject({ credit: 15_000 });
    expect((await state()).invoices.map(({ amountDue }) => amountDue)).toEqual([2_900, 15_000, 0]);
    for (let n = 0; n < 6; n += 1) await act((draft) => endPeriodNow(draft, id, 'declined'));
    expect((await state()).invoices.slice(3).map(({ amountDue }) => amountDue)).toEqual([
      0, 0, 0, 0, 0, 2_400,
    ]);
    expect((await state()).subscriptions[0]?.status).toBe('past_due');
  });

  it('a cancelled one does not renew, and its invoices are not charged again', async () => {
    const { id } = await subscribe();
    await act((draft) => endPeriodNow(draft, id, 'declined'));
    await act((draft) => setCancellation(draft, id, true));
    await act((draft) => endSubscription(draft, subscriptionOf(draft, id)));
    now = new Date(START.getTime() + 90 * DAY_MS);
    expect((await state()).invoices).toMatchObject([{ status: 'paid' }, { status: 'open' }]);
  });

  it('catches up with periods that ended without a request', async () => {
    const { id } = await subscribe();
    now = new Date('2026-04-15T00:00:00Z');
    const { invoices, subscriptions } = await state();
    expect(invoices.map(({ createdAt }) => createdAt.toISOString().slice(0, 10))).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
    ]);
    expect(subscriptions[0]).toMatchObject({ id, periodEndsAt: new Date('2026-04-30T10:00:00Z') });
  });
});

describe('times', () => {
  it('are whole seconds, so that a change right after the start is one of its period', async () => {
    now = new Date(START.getTime() + 999);
    await subscribe();
    const { subscriptions, createdAt, clockAheadMs } = await state();
    expect(subscriptions).toMatchObject([{ anchor: START, periodStartsAt: START }]);
    expect([createdAt, clockAheadMs]).toEqual([START, 0]);
  });
});

describe('payments', () => {
  it('are refunded up to what was paid', async () => {
    const { invoiceId } = await subscribe();
    for (const amount of [2_901, 0, -100, 0.5])
      expect(await refusal((draft) => refund(draft, invoiceId, amount))).toContain(
        'greater than unrefunded',
      );
    await act((draft) => refund(draft, invoiceId, 2_000));
    expect(await refusal((draft) => refund(draft, invoiceId, 901))).toContain(
      'greater than unrefunded',
    );
    await act((draft) => refund(draft, invoiceId, 900));
    expect(await refusal((draft) => refund(draft, invoiceId))).toContain('already been refunded');
  });

  it('are disputed once, and a dispute is closed once', async () => {
    const { invoiceId } = await subscribe();
    expect(await refusal((draft) => closeDispute(draft, invoiceId, 'won'))).toContain(
      'no open dispute',
    );
    await act((draft) => openDispute(draft, invoiceId));
    expect(await refusal((draft) => openDispute(draft, invoiceId))).toContain('disputed before');
    await act((draft) => closeDispute(draft, invoiceId, 'won'));
    expect(await refusal((draft) => closeDispute(draft, invoiceId, 'lost'))).toContain(
      'no open dispute',
    );
  });

  it('of an invoice are made once', async () => {
    const { invoiceId } = await subscribe();
    expect(await refusal((draft) => payInvoice(draft, invoiceId))).toContain('already paid');
  });
});

describe('customers', () => {
  it('that were deleted keep no email, and buy nothing', async () => {
    await subscribe();
    const { id } = await state();
    await act(deleteCustomer);
    const deleted = await simulator.find(id);
    expect(deleted).toMatchObject({ deleted: true, email: '', checkouts: [], portals: [] });
    expect(deleted?.subscriptions).toMatchObject([{ status: 'canceled' }]);
    const again = simulator.createCheckout(request({ customerId: id }), once({ key: 'later' }));
    await expect(again).rejects.toMatchObject({ reason: 'missing' });
  });

  it('whose change throws stay unchanged', async () => {
    expect(
      await refusal((draft) => {
        payCheckout(draft, checkoutId);
        throw new Error('cut off');
      }),
    ).toContain('cut off');
  });
});
