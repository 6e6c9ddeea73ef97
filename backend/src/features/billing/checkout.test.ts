import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { priceOf, startSubscription } from '../../../embedded/stripe/simulator/subscriptions.ts';
import type { AppError } from '../../errors.ts';
import type { CheckoutRequest } from '../../payments/index.ts';
import { checkoutIdOf, newId, openBilling, type Rig } from './billing.fixture.ts';
import { cancelSubscription } from './changes.ts';
import { startCheckout, startUpgradeCheckout, verifyCheckout } from './checkout.ts';
import type { BillingFeature } from './feature.ts';
import { refreshSubscription } from './refresh.ts';

let rig: Rig;
const [STARTER, STARTER_YEARLY, PRO] = [
  'price_starter_month',
  'price_starter_year',
  'price_pro_month',
];

const DAY_MS = 24 * 60 * 60_000;

beforeAll(async () => {
  rig = await openBilling();
});
afterAll(() => rig.close());

const refused = (code: AppError['code']) => expect.objectContaining({ code }) as Error;
const checkoutOf = async (userId: string) => (await rig.subscriptions.findOf(userId))?.checkout;
const statusOf = async (id: string) => (await rig.gateway.findCheckout(id))?.status;
const customerOf = async (userId: string) =>
  (await rig.subscriptions.findOf(userId))?.customerIds[0] ?? '';

describe('a checkout', () => {
  it('is for the user of the session, and returns to the configured URL', async () => {
    const actor = rig.user();
    const asked: CheckoutRequest[] = [];
    const other = rig.withGateway({
      createCheckout: async (request) => {
        asked.push(request);
        return rig.gateway.createCheckout(request);
      },
    });
    await startCheckout(other, actor, PRO);
    expect(asked).toEqual([
      {
        ownerId: actor.userId,
        customerId: null,
        email: `${actor.userId}@example.com`,
        priceId: PRO,
        ui: 'hosted',
        successUrl: 'http://stolas.test/subscription?success=true&session_id={CHECKOUT_SESSION_ID}',
        cancelUrl: 'http://stolas.test/subscription?canceled=true',
        idempotencyKey: expect.any(String) as string,
      },
    ]);
  });

  it('refuses a price that is not configured', async () => {
    const actor = rig.user();
    await expect(startCheckout(rig, actor, 'price_other')).rejects.toEqual(
      refused('unknown_price'),
    );
    expect(await rig.subscriptions.findOf(actor.userId)).toBeNull();
  });

  it('refuses guests', async () => {
    const guest = { ...rig.user(), isGuest: true };
    await expect(startCheckout(rig, guest, PRO)).rejects.toEqual(refused('forbidden'));
  });

  it('refuses a missing account', async () => {
    const actor = rig.user();
    rig.accounts.delete(actor.userId);
    await expect(startCheckout(rig, actor, PRO)).rejects.toEqual(refused('not_found'));
    expect(await rig.subscriptions.findOf(actor.userId)).toBeNull();
  });

  it('of the same price is the same one', async () => {
    const actor = rig.user();
    const first = await rig.startCheckout(actor, PRO);
    expect(await rig.startCheckout(actor, PRO)).toBe(first);
  });

  it('is opened only for its user, and under its key', async () => {
    const [actor, other] = [rig.user(), rig.user()];
    const id = await rig.startCheckout(actor, PRO);
    const key = (await checkoutOf(actor.userId))?.key ?? '';
    expect(await rig.subscriptions.openCheckout(other.userId, key, 'cs_2')).toBe(false);
    expect(await rig.subscriptions.openCheckout(actor.userId, 'key', 'cs_2')).toBe(false);
    expect((await checkoutOf(actor.userId))?.checkoutId).toBe(id);
  });

  it('stays open while events of the user arrive', async () => {
    const actor = rig.user();
    const id = await rig.startCheckout(actor, PRO);
    await refreshSubscription(rig, actor.userId);
    expect([await statusOf(id), await rig.startCheckout(actor, PRO)]).toEqual(['open', id]);
  });

  it('of another price ends the former one', async () => {
    const actor = rig.user();
    const first = await rig.startCheckout(actor, STARTER);
    const second = await rig.startCheckout(actor, PRO);
    expect([await statusOf(first), await statusOf(second)]).toEqual(['expired', 'open']);
    expect(await rig.startCheckout(actor, STARTER)).not.toBe(first);
  });

  it('of another price ends the former one even when the process crashes before that', async () => {
    const actor = rig.user();
    const first = await rig.startCheckout(actor, STARTER);
    const other = rig.withGateway({
      expireCheckout: () => Promise.reject(new Error('killed')),
    });
    await expect(startCheckout(other, actor, PRO)).rejects.toThrow('killed');
    const second = await rig.startCheckout(actor, PRO);
    expect([await statusOf(first), await statusOf(second)]).toEqual(['expired', 'open']);
  });

  it('that has expired is replaced', async () => {
    const actor = rig.user();
    const first = await rig.startCheckout(actor, STARTER);
    await rig.gateway.expireCheckout(first);
    const second = await rig.startCheckout(actor, STARTER);
    expect([second === first, await statusOf(second)]).toEqual([false, 'open']);
  });

  it('that the provider does not know, such as one of other keys, is replaced', async () => {
    const actor = rig.user();
    const loseStored = async () => {
      const { key } = (await checkoutOf(actor.userId)) ?? { key: '' };
      await rig.subscriptions.openCheckout(actor.userId, key, 'cs_test_unknown');
    };
    await rig.startCheckout(actor, STARTER);
    await loseStored();
    const id = await rig.startCheckout(actor, STARTER);
    expect(await statusOf(id)).toBe('open');
    await rig.pay(id);
    await loseStored();
    expect(await verifyCheckout(rig, actor, id)).toMatchObject({ success: true });
  });

  it('is replaced before the provider drops its key', async () => {
    const actor = rig.user();
    const first = await rig.startCheckout(actor, STARTER);
    rig.wait(23 * 60 * 60_000 + 1);
    const second = await rig.startCheckout(actor, STARTER);
    expect([await statusOf(first), await statusOf(second)]).toEqual(['expired', 'open']);
  });

  it('of ten concurrent tabs is one', async () => {
    const actor = rig.user();
    const ids = await Promise.all(Array.from({ length: 10 }, () => rig.startCheckout(actor, PRO)));
    expect(new Set(ids).size).toBe(1);
  });

  it('is one for any prices that two concurrent tabs choose', async () => {
    const actor = rig.user();
    const results = await Promise.allSettled([
      rig.startCheckout(actor, STARTER),
      rig.startCheckout(actor, PRO),
    ]);
    const ids = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const open = (await Promise.all(ids.map(statusOf))).filter((status) => status === 'open');
    expect(open).toHaveLength(1);
  });

  it('that another tab has replaced while it was made cannot be paid', async () => {
    const actor = rig.user();
    const made: string[] = [];
    const other = rig.withGateway({
      createCheckout: async (request) => {
        const checkout = await rig.gateway.createCheckout(request);
        made.push(checkout.id);
        // The other tab starts after the provider's answer and before it is stored.
        if (made.length === 1) await rig.startCheckout(actor, PRO);
        return checkout;
      },
    });
    await startCheckout(other, actor, STARTER);
    expect(await statusOf(made[0] ?? '')).toBe('expired');
    expect((await checkoutOf(actor.userId))?.checkoutId).toBe(made[1]);
  });

  it('that was begun before a payment was stored is not opened after it', async () => {
    const actor = rig.user();
    const paid = await rig.startCheckout(actor, STARTER);
    const made: string[] = [];
    const other = rig.withGateway({
      findCheckout: async (id) => {
        const found = await rig.gateway.findCheckout(id);
        // The first tab is paid after this request has read its state.
        if (id === paid && found?.status === 'open') {
          await rig.pay(paid);
          await verifyCheckout(rig, actor, paid);
        }
        return found;
      },
      createCheckout: async (request) => {
        const checkout = await rig.gateway.createCheckout(request);
        made.push(checkout.id);
        return checkout;
      },
    });
    await expect(startCheckout(other, actor, PRO)).rejects.toEqual(refused('already_subscribed'));
    expect(made).toEqual([]);
    expect(await rig.running(await customerOf(actor.userId))).toHaveLength(1);
  });

  it('is refused once another one was paid, even before its event arrives', async () => {
    const actor = rig.user();
    await rig.pay(await rig.startCheckout(actor, STARTER));
    await expect(startCheckout(rig, actor, PRO)).rejects.toEqual(refused('already_subscribed'));
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'starter' });
  });

  it('is refused to subscribers, with what to do instead', async () => {
    const actor = rig.user();
    await rig.subscribe(actor, STARTER);
    await expect(startCheckout(rig, actor, STARTER)).rejects.toMatchObject({
      code: 'already_subscribed',
      message: 'You already have the Starter plan.',
    });
    for (const other of [STARTER_YEARLY, PRO])
      await expect(startCheckout(rig, actor, other)).rejects.toMatchObject({
        code: 'already_subscribed',
        message: expect.stringContaining('Change the plan') as string,
      });
  });

  it('sells a plan again once a cancelled one has ended, even before its event arrives', async () => {
    const actor = rig.user();
    await rig.subscribe(actor, PRO);
    await cancelSubscription(rig, actor);
    rig.wait(31 * DAY_MS);
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: null });
    await rig.subscribe(actor, PRO);
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'pro' });
    expect(await rig.running(await customerOf(actor.userId))).toHaveLength(1);
  });

  it('is refused while the provider has not ended a cancelled plan, and can be repeated', async () => {
    const actor = rig.user();
    await rig.subscribe(actor, PRO);
    await cancelSubscription(rig, actor);
    const still = await rig.gateway.listSubscriptions(await customerOf(actor.userId));
    rig.wait(31 * DAY_MS);
    const late = rig.withGateway({ listSubscriptions: async () => still });
    await expect(startCheckout(late, actor, PRO)).rejects.toMatchObject({
      code: 'already_subscribed',
      message: 'Your plan is being changed. Try again in a few minutes.',
    });
    expect(await checkoutOf(actor.userId)).toBeNull();
    expect(await statusOf(await rig.startCheckout(actor, PRO))).toBe('open');
  });

  it('is refused when the cancellation was withdrawn at the provider, and the plan is back', async () => {
    const actor = rig.user();
    const id = await rig.subscribe(actor, PRO);
    await cancelSubscription(rig, actor);
    await rig.gateway.setCancellation(id, false);
    rig.wait(31 * DAY_MS);
    await expect(startCheckout(rig, actor, PRO)).rejects.toMatchObject({
      message: 'You already have the Pro plan.',
    });
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'pro' });
  });

  it('is refused while a renewal is unpaid, also after the grace', async () => {
    const actor = rig.user();
    const id = await rig.subscribe(actor, STARTER);
    await rig.endPeriod(id, 'declined');
    await refreshSubscription(rig, actor.userId);
    rig.wait(30 * DAY_MS);
    await expect(startCheckout(rig, actor, PRO)).rejects.toEqual(refused('payment_failed'));
  });

  it('replaces a plan that an operator granted, unless it is the same', async () => {
    const actor = rig.user();
    await rig.subscriptions.findOrCreate(actor.userId);
    await rig.connection
      .collection('subscriptions')
      .updateOne(
        { version: 0, customerIds: null },
        { $set: { plan: 'starter', status: 'active' } },
      );
    expect(await rig.hasPlan(actor.userId)).toBe(true);
    await expect(startCheckout(rig, actor, STARTER)).rejects.toEqual(refused('already_subscribed'));
    // An event without a subscription keeps the checkout.
    await refreshSubscription(rig, actor.userId);
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'starter' });
    await rig.subscribe(actor, PRO);
    expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'pro' });
  });

  it('uses the known customer for a new subscription, which begins a new usage period', async () => {
    const actor = rig.user();
    const first = await rig.subscribe(actor, STARTER);
    const before = (await rig.entitlementsOf(actor.userId)).period;
    const customerId = await customerOf(actor.userId);
    await rig.gateway.cancelNow(first);
    await refreshSubscription(rig, actor.userId);
    expect(await rig.planOf(actor)).toEqual({ subscriptionStatus: null, subscriptionPlan: null });
    rig.wait(60_000);
    const second = await rig.subscribe(actor, STARTER);
    expect([second === first, await customerOf(actor.userId)]).toEqual([false, customerId]);
    expect((await rig.entitlementsOf(actor.userId)).period.id).not.toBe(before.id);
  });
});

it('makes a new customer when the provider no longer has the known one', async () => {
  const actor = rig.user();
  await rig.subscribe(actor, STARTER);
  const removed = await customerOf(actor.userId);
  await rig.gateway.removeCustomer(removed);
  await refreshSubscription(rig, actor.userId);
  const id = await rig.startCheckout(actor, PRO);
  expect(await rig.startCheckout(actor, PRO)).toBe(id);
  await rig.subscribe(actor, PRO);
  expect(await rig.planOf(actor)).toMatchObject({ subscriptionPlan: 'pro' });
  const { customerIds } = (await rig.subscriptions.findOf(actor.userId)) ?? {};
  expect(customerIds).toEqual([expect.not.stringMatching(removed), removed]);
});

describe('two subscriptions of one user', () => {
  it('never stay: the later one is cancelled and reported to the operator', async () => {
    const actor = rig.user();
    await rig.subscribe(actor, STARTER);
    rig.wait(1_000);
    // A checkout that the product no longer knows, such as one of a restored database.
    const { id } = await rig.gateway.createCheckout({
      ownerId: actor.userId,
      customerId: null,
      email: 'ada@example.com',
      priceId: PRO,
      ui: 'hosted',
      successUrl: 'http://stolas.test',
      cancelUrl: 'http://stolas.test',
      idempotencyKey: newId(),
    });
    await rig.pay(id);
    const second = await rig.gateway.findCheckout(id);
    for (let n = 0; n < 2; n += 1)
      expect(await verifyCheckout(rig, actor, id)).toMatchObject({
        success: true,
        plan: 'starter',
      });
    expect(await rig.running(second?.customerId ?? '')).toEqual([]);
    const { customerIds = [] } = (await rig.subscriptions.findOf(actor.userId)) ?? {};
    expect(customerIds).toHaveLength(2);
    expect(await rig.running(customerIds[0] ?? '')).toHaveLength(1);
    const flagged = await rig.events.list('failed', { limit: 10 });
    expect(flagged).toEqual([
      expect.objectContaining({
        id: `duplicate-${second?.subscriptionId}`,
        type: 'duplicate_subscription',
        lastError: expect.stringContaining('refund') as string,
      }),
    ]);
  });

  it.each(['flag', 'cancelNow', 'cancelNow, done'] as const)(
    'are reported to the operator even when the process crashes at: %s',
    async (cut) => {
      const actor = rig.user();
      await rig.subscribe(actor, STARTER);
      rig.wait(1_000);
      const customerId = await customerOf(actor.userId);
      await rig.provider(customerId, (draft) => {
        const price = priceOf(draft.prices, PRO);
        startSubscription(draft, { ownerId: actor.userId, price });
      });
      const second = (await rig.running(customerId)).find(({ priceId }) => priceId === PRO)?.id;
      const dies = () => Promise.reject(new Error('killed'));
      const dying: BillingFeature = {
        ...rig,
        ...(cut === 'flag' && { events: { ...rig.events, flag: dies } }),
        gateway: {
          ...rig.gateway,
          cancelNow: async (id) => {
            if (cut !== 'cancelNow') await rig.gateway.cancelNow(id);
            if (cut !== 'flag') await dies();
          },
        },
      };
      await expect(refreshSubscription(dying, actor.userId)).rejects.toThrow('killed');
      await refreshSubscription(rig, actor.userId);
      expect(await rig.running(customerId)).toHaveLength(1);
      expect(await rig.events.find(`duplicate-${second}`)).toMatchObject({ state: 'failed' });
    },
  );

  it('keep the paid one, when the other is unpaid', async () => {
    const actor = rig.user();
    const unpaid = await rig.subscribe(actor, STARTER);
    await rig.endPeriod(unpaid, 'declined');
    rig.wait(1_000);
    const { id } = await rig.gateway.createCheckout({
      ownerId: actor.userId,
      customerId: null,
      email: 'ada@example.com',
      priceId: PRO,
      ui: 'hosted',
      successUrl: 'http://stolas.test',
      cancelUrl: 'http://stolas.test',
      idempotencyKey: newId(),
    });
    await rig.pay(id);
    expect(await verifyCheckout(rig, actor, id)).toMatchObject({ plan: 'pro' });
    expect((await rig.gateway.findSubscription(unpaid))?.status).toBe('ended');
  });

  it('a paid subscription ends an open checkout', async () => {
    const actor = rig.user();
    const open = await rig.startCheckout(actor, STARTER);
    const { id } = await rig.gateway.createCheckout({
      ownerId: actor.userId,
      customerId: null,
      email: 'ada@example.com',
      priceId: PRO,
      ui: 'hosted',
      successUrl: 'http://stolas.test',
      cancelUrl: 'http://stolas.test',
      idempotencyKey: newId(),
    });
    await rig.pay(id);
    await verifyCheckout(rig, actor, id);
    expect([await statusOf(open), await checkoutOf(actor.userId)]).toEqual(['expired', null]);
  });
});

describe('verifying a checkout', () => {
  it('activates the paid plan, however often it is repeated', async () => {
    const actor = rig.user();
    const id = await rig.startCheckout(actor, PRO);
    await rig.pay(id);
    for (let n = 0; n < 3; n += 1)
      expect(await verifyCheckout(rig, actor, id)).toEqual({
        success: true,
        plan: 'pro',
        message: 'Your Pro plan is active.',
      });
    expect(await rig.planOf(actor)).toEqual({
      subscriptionStatus: 'active',
      subscriptionPlan: 'pro',
    });
    expect(rig.published).toContain(actor.userId);
    expect(await checkoutOf(actor.userId)).toBeNull();
  });

  it('reports an open or expired one as unpaid', async () => {
    const actor = rig.user();
    const id = await rig.startCheckout(actor, PRO);
    expect(await verifyCheckout(rig, actor, id)).toEqual({
      success: false,
      plan: null,
      message: 'The payment is not complete yet.',
    });
    await rig.gateway.expireCheckout(id);
    expect(await verifyCheckout(rig, actor, id)).toMatchObject({ success: false });
    expect(await rig.hasPlan(actor.userId)).toBe(false);
  });

  it('of another user answers not_found and changes nothing', async () => {
    const [payer, other] = [rig.user(), rig.user()];
    const id = await rig.startCheckout(payer, PRO);
    await rig.pay(id);
    for (const checkout of [id, 'cs_unknown'])
      await expect(verifyCheckout(rig, other, checkout)).rejects.toEqual(refused('not_found'));
    expect([await rig.hasPlan(other.userId), await rig.hasPlan(payer.userId)]).toEqual([
      false,
      false,
    ]);
    expect(await rig.subscriptions.findOf(other.userId)).toBeNull();
  });

  it('gives no plan when the subscription has ended since', async () => {
    const actor = rig.user();
    const id = await rig.startCheckout(actor, PRO);
    await rig.pay(id);
    await rig.gateway.cancelNow((await rig.gateway.findCheckout(id))?.subscriptionId ?? '');
    expect(await verifyCheckout(rig, actor, id)).toMatchObject({ success: false, plan: null });
  });
});

describe('the embedded payment form', () => {
  it('gets its secret and the publishable key', async () => {
    const embedded = await openBilling({
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_UI: 'embedded',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
    });
    const seen: string[] = [];
    const other = embedded.withGateway({
      createCheckout: async ({ ui }) => {
        seen.push(ui);
        return ui === 'embedded'
          ? { id: 'cs_1', clientSecret: 'secret' }
          : { id: 'cs_2', url: 'http://pay.test/cs_2' };
      },
      findCheckout: async () => null,
      expireCheckout: async () => undefined,
    });
    const actor = embedded.user();
    expect(await startCheckout(other, actor, PRO)).toEqual({
      clientSecret: 'secret',
      publishableKey: 'pk_test_1',
    });
    const price = { plan: 'pro', interval: 'month' } as const;
    expect(checkoutIdOf(await startUpgradeCheckout(other, actor, price))).toBe('cs_2');
    expect(seen).toEqual(['embedded', 'hosted']);
    await embedded.close();
  });
});
