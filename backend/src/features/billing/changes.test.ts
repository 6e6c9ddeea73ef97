import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDispute } from '../../../embedded/stripe/simulator/invoices.ts';
import type { Actor } from '../../access/index.ts';
import type { AppError } from '../../errors.ts';
import { GatewayError } from '../../payments/index.ts';
import { openBilling, type Rig } from './billing.fixture.ts';
import type { Price } from './catalog.ts';
import {
  cancelSubscription,
  changePlan,
  listInvoices,
  openPortal,
  previewChange,
  readOverview,
  resumeSubscription,
  upgradeToPro,
} from './changes.ts';
import { gatewayProblem } from './errors.ts';
import { monthlyPeriod } from './period.ts';
import { refreshSubscription } from './refresh.ts';

let rig: Rig;
let actor: Actor;
const [STARTER, STARTER_YEARLY, PRO] = [
  'price_starter_month',
  'price_starter_year',
  'price_pro_month',
];
const MONTHLY = { interval: 'month' } as const;
const DAY_MS = 24 * 60 * 60_000;
const endOfMonthFrom = (startedAt: Date) => monthlyPeriod({ startedAt, now: startedAt }).endsAt;

beforeAll(async () => {
  rig = await openBilling();
});
afterAll(() => rig.close());
beforeEach(() => {
  actor = rig.user();
});

const refused = (code: AppError['code']) => expect.objectContaining({ code }) as Error;
const invoices = () => listInvoices(rig, actor);
const customerId = async () => (await rig.subscriptions.findOf(actor.userId))?.customerIds[0] ?? '';
const tokens = async () => (await rig.entitlementsOf(actor.userId)).limits.tokens;

describe('an upgrade', () => {
  it('charges the new plan at once, less the unused time, and its tokens are added', async () => {
    await rig.subscribe(actor, STARTER);
    const { period } = await rig.entitlementsOf(actor.userId);
    rig.wait(15.5 * DAY_MS);
    expect(await upgradeToPro(rig, actor)).toEqual({
      plan: 'pro',
      message: 'You have the Pro plan now.',
    });
    // The usage period continues: Starter had half of it.
    expect(await tokens()).toBe(3_000_000 + 100_000);
    expect((await rig.entitlementsOf(actor.userId)).period).toEqual({
      ...period,
      endsAt: endOfMonthFrom(rig.now()),
    });
    expect(await invoices()).toMatchObject([
      { amount: 17_900 - 1_450, status: 'paid' },
      { amount: 2_900, status: 'paid' },
    ]);
    expect(rig.published.at(-1)).toBe(actor.userId);
  });

  it('keeps the interval', async () => {
    await rig.subscribe(actor, STARTER_YEARLY);
    await upgradeToPro(rig, actor);
    expect(await readOverview(rig, actor)).toMatchObject({ plan: 'pro', interval: 'year' });
  });

  it('requested by two tabs is charged once', async () => {
    await rig.subscribe(actor, STARTER);
    await Promise.allSettled([upgradeToPro(rig, actor), upgradeToPro(rig, actor)]);
    expect(await invoices()).toHaveLength(2);
    await expect(upgradeToPro(rig, actor)).rejects.toEqual(refused('already_subscribed'));
  });

  it('without a subscription answers the URL of the payment', async () => {
    const { checkoutUrl, plan } = await upgradeToPro(rig, actor);
    expect([plan, checkoutUrl]).toEqual(['pro', expect.stringContaining('/test-checkout/')]);
    const { checkout } = (await rig.subscriptions.findOf(actor.userId)) ?? {};
    const asked = await rig.provider(checkout?.checkoutId ?? '', () => undefined);
    expect(asked).toBeUndefined();
    expect(await rig.hasPlan(actor.userId)).toBe(false);
  });

  it('returns to the texts of an upgrade', async () => {
    const asked: string[] = [];
    const other = rig.withGateway({
      createCheckout: async (request) => {
        asked.push(request.priceId, request.successUrl, request.cancelUrl);
        return rig.gateway.createCheckout(request);
      },
    });
    await upgradeToPro(other, actor);
    expect(asked).toEqual([
      PRO,
      'http://stolas.test/subscription?success=true&session_id={CHECKOUT_SESSION_ID}&upgrade=true',
      'http://stolas.test/subscription?upgrade_cancelled=true',
    ]);
  });

  it('refuses guests', async () => {
    await expect(upgradeToPro(rig, { ...actor, isGuest: true })).rejects.toEqual(
      refused('forbidden'),
    );
  });

  it('that is declined leaves the plan unchanged, and can be repeated with another card', async () => {
    const id = await rig.subscribe(actor, STARTER);
    await rig.setCard(id, 'declined');
    const declined = await upgradeToPro(rig, actor).catch((error: unknown) => error);
    expect(declined).toMatchObject({ reason: 'declined' });
    expect(gatewayProblem(declined)).toMatchObject({ code: 'payment_failed', status: 402 });
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'starter' });
    await rig.setCard(id, 'works');
    await upgradeToPro(rig, actor);
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'pro' });
  });

  it('with a lost answer is not charged again by a second attempt', async () => {
    await rig.subscribe(actor, STARTER);
    const keys: string[] = [];
    const other = rig.withGateway({
      changePrice: async (change) => {
        keys.push(change.idempotencyKey);
        const done = await rig.gateway.changePrice(change);
        if (keys.length === 1) throw new GatewayError('unavailable', 'The answer is lost.');
        return done;
      },
    });
    await expect(upgradeToPro(other, actor)).rejects.toMatchObject({ reason: 'unavailable' });
    await upgradeToPro(other, actor);
    expect([new Set(keys).size, (await invoices()).length]).toEqual([1, 2]);
  });

  it('waits until an unpaid or disputed payment is settled', async () => {
    const id = await rig.subscribe(actor, STARTER);
    await rig.endPeriod(id, 'declined');
    await refreshSubscription(rig, actor.userId);
    await expect(upgradeToPro(rig, actor)).rejects.toEqual(refused('payment_failed'));

    actor = rig.user();
    const disputed = await rig.subscribe(actor, STARTER);
    const [invoice] = await invoices();
    await rig.provider(disputed, (draft) => openDispute(draft, invoice?.id ?? ''));
    await refreshSubscription(rig, actor.userId);
    await expect(changePlan(rig, actor, { plan: 'pro', ...MONTHLY })).rejects.toEqual(
      refused('payment_failed'),
    );
  });
});

describe('a change of plan', () => {
  it('to a larger plan or from month to year applies now', async () => {
    await rig.subscribe(actor, STARTER);
    const change = async (price: Price) => {
      const { quote } = await previewChange(rig, actor, price);
      return changePlan(rig, actor, { ...price, quote: quote ?? undefined });
    };
    expect(await change({ plan: 'starter', interval: 'year' })).toMatchObject({
      interval: 'year',
      pendingChange: null,
    });
    expect(await change({ plan: 'pro', ...MONTHLY })).toMatchObject({
      plan: 'pro',
      interval: 'month',
    });
  });

  it('to a smaller plan waits for the end of the paid period, with its date', async () => {
    const id = await rig.subscribe(actor, PRO);
    const { periodEndsAt } = await readOverview(rig, actor);
    expect(await changePlan(rig, actor, { plan: 'starter', ...MONTHLY })).toMatchObject({
      plan: 'pro',
      pendingChange: { plan: 'starter', interval: 'month', at: periodEndsAt },
    });
    expect(await tokens()).toBe(3_000_000);
    rig.wait(40 * 24 * 60 * 60_000);
    await rig.gateway.findSubscription(id);
    await refreshSubscription(rig, actor.userId);
    expect(await readOverview(rig, actor)).toMatchObject({
      plan: 'starter',
      pendingChange: null,
    });
    expect(await tokens()).toBe(200_000);
  });

  it('from year to month waits for the end of the paid period', async () => {
    await rig.subscribe(actor, STARTER_YEARLY);
    expect(await changePlan(rig, actor, { plan: 'starter', ...MONTHLY })).toMatchObject({
      interval: 'year',
      pendingChange: { plan: 'starter', interval: 'month' },
    });
  });

  it('back to the current plan drops the pending change', async () => {
    await rig.subscribe(actor, PRO);
    const present = { plan: 'pro', ...MONTHLY } as const;
    await changePlan(rig, actor, { plan: 'starter', ...MONTHLY });
    expect(await changePlan(rig, actor, present)).toMatchObject({ pendingChange: null });
    await cancelSubscription(rig, actor);
    expect(await changePlan(rig, actor, present)).toMatchObject({ cancelsAt: null });
    expect(await invoices()).toHaveLength(1);
  });

  it('that is already pending is not requested again', async () => {
    await rig.subscribe(actor, PRO);
    let calls = 0;
    const other = rig.withGateway({
      changePrice: async (change) => {
        calls += 1;
        return rig.gateway.changePrice(change);
      },
    });
    for (let n = 0; n < 3; n += 1) await changePlan(other, actor, { plan: 'starter', ...MONTHLY });
    expect(calls).toBe(1);
  });

  it('of a cancelled subscription withdraws the cancellation', async () => {
    await rig.subscribe(actor, PRO);
    await cancelSubscription(rig, actor);
    expect(await changePlan(rig, actor, { plan: 'starter', ...MONTHLY })).toMatchObject({
      cancelsAt: null,
      pendingChange: { plan: 'starter' },
    });
  });
});

describe('a cancellation', () => {
  it('keeps the plan until the end of the paid period, and can be withdrawn', async () => {
    await rig.subscribe(actor, STARTER);
    const { periodEndsAt } = await readOverview(rig, actor);
    for (let n = 0; n < 2; n += 1)
      expect(await cancelSubscription(rig, actor)).toMatchObject({
        plan: 'starter',
        cancelsAt: periodEndsAt,
      });
    for (let n = 0; n < 2; n += 1)
      expect(await resumeSubscription(rig, actor)).toMatchObject({
        plan: 'starter',
        cancelsAt: null,
      });
  });

  it('ends the plan by the clock, even before the event arrives', async () => {
    await rig.subscribe(actor, STARTER);
    await cancelSubscription(rig, actor);
    rig.wait(31 * 24 * 60 * 60_000);
    expect(await rig.planOf(actor)).toEqual({ subscriptionStatus: null, subscriptionPlan: null });
    await refreshSubscription(rig, actor.userId);
    expect(await readOverview(rig, actor)).toMatchObject({ plan: null, cancelsAt: null });
  });
});

it('a planned change is withdrawn as a cancellation is, and nothing is charged', async () => {
  await rig.subscribe(actor, PRO);
  await changePlan(rig, actor, { plan: 'starter', ...MONTHLY });
  expect(await resumeSubscription(rig, actor)).toMatchObject({ plan: 'pro', pendingChange: null });
  expect(await invoices()).toHaveLength(1);
});

describe('a change that is due, before its event arrives', () => {
  it('is shown as made', async () => {
    await rig.subscribe(actor, 'price_pro_year');
    await changePlan(rig, actor, { plan: 'starter', ...MONTHLY });
    rig.wait(366 * DAY_MS);
    expect(await readOverview(rig, actor)).toMatchObject({
      plan: 'starter',
      interval: 'month',
      pendingChange: null,
    });
  });

  it('is not undone by keeping the former plan, which would be charged', async () => {
    await rig.subscribe(actor, PRO);
    await changePlan(rig, actor, { plan: 'starter', ...MONTHLY });
    rig.wait(40 * DAY_MS);
    expect(await resumeSubscription(rig, actor)).toMatchObject({ plan: 'starter' });
    await expect(changePlan(rig, actor, { plan: 'pro', ...MONTHLY })).rejects.toEqual(
      refused('price_changed'),
    );
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'starter' });
  });

  it('is known to an upgrade after a downgrade', async () => {
    await rig.subscribe(actor, PRO);
    await changePlan(rig, actor, { plan: 'starter', ...MONTHLY });
    rig.wait(40 * DAY_MS);
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'starter' });
    expect(await previewChange(rig, actor, { plan: 'pro' })).toMatchObject({ when: 'now' });
    await upgradeToPro(rig, actor);
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'pro' });
  });

  it('is known to every call after the end of a cancelled plan', async () => {
    await rig.subscribe(actor, STARTER);
    await cancelSubscription(rig, actor);
    rig.wait(40 * DAY_MS);
    expect(await previewChange(rig, actor, { plan: 'pro' })).toMatchObject({ when: 'checkout' });
    expect(await upgradeToPro(rig, actor)).toMatchObject({
      checkoutUrl: expect.any(String) as string,
    });
    await expect(resumeSubscription(rig, actor)).rejects.toEqual(refused('no_subscription'));
  });
});

describe('a user without a paid subscription', () => {
  it('has an empty overview and no invoices', async () => {
    expect(await readOverview(rig, actor)).toEqual({
      plan: null,
      interval: null,
      periodEndsAt: null,
      cancelsAt: null,
      pendingChange: null,
      pastDue: null,
      hasCustomer: false,
      isTest: true,
    });
    expect(await invoices()).toEqual([]);
  });

  it('can neither change, cancel, resume nor open the portal', async () => {
    const other = rig;
    for (const call of [
      () => changePlan(other, actor, { plan: 'pro', ...MONTHLY }),
      () => cancelSubscription(other, actor),
      () => resumeSubscription(other, actor),
      () => openPortal(other, actor),
    ])
      await expect(call()).rejects.toEqual(refused('no_subscription'));
  });
});

describe('the portal and invoices', () => {
  it("are those of the user's own customer", async () => {
    const other = rig.user();
    await rig.subscribe(other, PRO);
    await rig.subscribe(actor, STARTER);
    expect(await invoices()).toEqual([
      {
        id: expect.any(String) as string,
        number: expect.any(String) as string,
        createdAt: rig.now().toISOString(),
        amount: 2_900,
        currency: 'usd',
        description: 'Starter (monthly)',
        status: 'paid',
        url: expect.stringContaining('http://stolas.test/') as string,
      },
    ]);
    const asked: unknown[] = [];
    const billing = rig.withGateway({
      createPortal: async (request) => {
        asked.push(request);
        return { url: 'http://portal.test' };
      },
    });
    expect(await openPortal(billing, actor)).toEqual({ url: 'http://portal.test' });
    const returnUrl = 'http://stolas.test/settings';
    expect(asked).toEqual([{ customerId: await customerId(), returnUrl }]);
  });

  it('skip a customer that was deleted at the provider', async () => {
    await rig.subscribe(actor, STARTER);
    const deleted = await customerId();
    await rig.gateway.removeCustomer(deleted);
    await expect(openPortal(rig, actor)).rejects.toEqual(refused('no_subscription'));
    await refreshSubscription(rig, actor.userId);
    await rig.subscribe(actor, STARTER);
    const record = await rig.subscriptions.findOrCreate(actor.userId);
    const customerIds = [deleted, await customerId()];
    await rig.subscriptions.replace(record, { facts: record, customerIds, keepCheckout: false });
    expect((await openPortal(rig, actor)).url).toContain('/test-portal/');
  });
});

describe('errors of the payment provider', () => {
  it('are a declined payment, an unavailable service, or a fault of the settings', () => {
    const problem = (reason: GatewayError['reason']) =>
      gatewayProblem(new GatewayError(reason, 'Your card was declined.'));
    expect(problem('declined')).toMatchObject({
      code: 'payment_failed',
      message: 'Your card was declined.',
    });
    expect(problem('unavailable')).toMatchObject({ code: 'unavailable', retryAfter: 2 });
    expect(problem('invalid')).toMatchObject({ name: 'GatewayError' });
    const other = new Error('other');
    expect(gatewayProblem(other)).toBe(other);
  });
});
