import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  closeDispute,
  openDispute,
  payInvoice,
  refund,
} from '../../../embedded/stripe/simulator/invoices.ts';
import type { Actor } from '../../access/index.ts';
import { openBilling, type Rig } from './billing.fixture.ts';
import { readOverview } from './changes.ts';
import { startCheckout } from './checkout.ts';
import { erasePayments } from './erase.ts';
import { publishGraceEnds } from './grace.ts';
import { refreshSubscription } from './refresh.ts';

let rig: Rig;
let actor: Actor;
let subscriptionId: string;
const [STARTER, PRO] = ['price_starter_month', 'price_pro_month'];
const DAY_MS = 24 * 60 * 60_000;

beforeAll(async () => {
  rig = await openBilling();
});
afterAll(() => rig.close());
beforeEach(async () => {
  actor = rig.user();
  subscriptionId = await rig.subscribe(actor, STARTER);
});

const stored = async () => rig.subscriptions.findOf(actor.userId);
const plan = async () => (await rig.planOf(actor)).subscriptionPlan;
const latestInvoice = async () =>
  (await rig.gateway.findSubscription(subscriptionId))?.latestInvoice?.id ?? '';
const atProvider = async () => (await rig.gateway.findSubscription(subscriptionId))?.status;
const customerId = async () => (await stored())?.customerIds[0] ?? '';
const upgrade = async () =>
  rig.gateway.changePrice({
    subscriptionId,
    priceId: PRO,
    when: 'now',
    idempotencyKey: subscriptionId,
  });

/** A failed renewal; every later attempt to charge fails too. */
const failRenewal = async () => {
  await rig.setCard(subscriptionId, 'declined');
  await rig.endPeriod(subscriptionId, 'declined');
  await refreshSubscription(rig, actor.userId);
};
const payOpenInvoice = async () => {
  const invoiceId = await latestInvoice();
  await rig.provider(subscriptionId, (draft) => {
    draft.state.card = 'works';
    payInvoice(draft, invoiceId);
  });
  await refreshSubscription(rig, actor.userId);
};

describe('a refresh', () => {
  it('that has fetched an older state does not replace a newer one', async () => {
    let fetches = 0;
    const slow = rig.withGateway({
      listSubscriptions: async (id) => {
        fetches += 1;
        const found = await rig.gateway.listSubscriptions(id);
        if (fetches > 1) return found;
        // Between the fetch and the write the plan changes, and another refresh stores the change.
        await upgrade();
        await refreshSubscription(rig, actor.userId);
        return found;
      },
    });
    await refreshSubscription(slow, actor.userId);
    expect([await plan(), fetches]).toEqual(['pro', 2]);
  });

  it("of twenty concurrent ones leaves the provider's state", async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        if (n === 10) await upgrade();
        await refreshSubscription(rig, actor.userId);
      }),
    );
    expect(await plan()).toBe('pro');
  });

  it('returns whether anything changed', async () => {
    expect((await refreshSubscription(rig, actor.userId)).changed).toBe(false);
    await upgrade();
    expect((await refreshSubscription(rig, actor.userId)).changed).toBe(true);
  });

  it('notifies the tabs of this user, even when nothing changed', async () => {
    rig.published.length = 0;
    await refreshSubscription(rig, actor.userId);
    expect(rig.published).toEqual([actor.userId]);
  });

  it('stores nothing when a price is not configured', async () => {
    const before = await stored();
    const other = rig.withGateway({
      listSubscriptions: async (id) =>
        (await rig.gateway.listSubscriptions(id)).map((one) => ({ ...one, priceId: 'price_x' })),
    });
    await expect(refreshSubscription(other, actor.userId)).rejects.toThrow(
      'price_x is not configured',
    );
    expect(await stored()).toEqual(before);
  });

  it('ignores subscriptions that this product did not sell', async () => {
    const cancelled: string[] = [];
    const other = rig.withGateway({
      listSubscriptions: async (id) => {
        const [own] = await rig.gateway.listSubscriptions(id);
        if (!own) return [];
        const startedAt = new Date(0);
        return [
          own,
          { ...own, id: 'sub_x', ownerId: null, priceId: 'price_x', startedAt },
          { ...own, id: 'sub_y', ownerId: 'f'.repeat(24), startedAt },
        ];
      },
      cancelNow: async (id) => void cancelled.push(id),
    });
    await refreshSubscription(other, actor.userId);
    expect([(await stored())?.subscriptionId, cancelled]).toEqual([subscriptionId, []]);
  });

  it('creates no record of an account that is erased meanwhile', async () => {
    const slow = rig.withGateway({
      listSubscriptions: async (id) => {
        const found = await rig.gateway.listSubscriptions(id);
        rig.accounts.delete(actor.userId);
        await erasePayments(rig, actor.userId);
        return found;
      },
    });
    await expect(refreshSubscription(slow, actor.userId)).rejects.toMatchObject({
      name: 'AccountGoneError',
    });
    expect(await stored()).toBeNull();
  });

  it('reports payments for an account that is gone', async () => {
    const id = await customerId();
    rig.accounts.delete(actor.userId);
    await expect(refreshSubscription(rig, actor.userId, { customerId: id })).rejects.toThrow(
      `${subscriptionId} does not exist any more`,
    );
    await rig.gateway.cancelNow(subscriptionId);
    await expect(refreshSubscription(rig, actor.userId, { customerId: id })).rejects.toMatchObject({
      name: 'AccountGoneError',
    });
  });
});

describe('a failed renewal', () => {
  it('keeps the plan for the days of grace, then locks, until it is paid', async () => {
    await failRenewal();
    const graceEndsAt = new Date(rig.now().getTime() + 7 * DAY_MS).toISOString();
    expect(await rig.planOf(actor)).toEqual({
      subscriptionStatus: 'past_due',
      subscriptionPlan: 'starter',
    });
    expect((await readOverview(rig, actor)).pastDue).toEqual({
      since: rig.now().toISOString(),
      graceEndsAt,
    });
    rig.wait(7 * DAY_MS);
    expect(await rig.planOf(actor)).toEqual({
      subscriptionStatus: 'past_due',
      subscriptionPlan: null,
    });
    await payOpenInvoice();
    expect(await rig.planOf(actor)).toEqual({
      subscriptionStatus: 'active',
      subscriptionPlan: 'starter',
    });
  });

  it('notifies the tabs once when the grace ends', async () => {
    await failRenewal();
    const tellings = async () => {
      rig.published.length = 0;
      await publishGraceEnds(rig);
      return rig.published.filter((id) => id === actor.userId).length;
    };
    expect(await tellings()).toBe(0);
    rig.wait(7 * DAY_MS);
    expect([await tellings(), await tellings()]).toEqual([1, 0]);
    await refreshSubscription(rig, actor.userId);
    expect(await tellings()).toBe(0);
  });

  it.each(['publish', 'markGraceEndPublished'] as const)(
    'notifies the tabs even when the process crashes at: %s',
    async (cut) => {
      await failRenewal();
      rig.wait(7 * DAY_MS);
      const dies = () => Promise.reject(new Error('killed'));
      const { subscriptions } = rig;
      const accounts = { ...rig.others.accounts, publishChange: dies };
      const dying = publishGraceEnds({
        ...rig,
        ...(cut === 'publish'
          ? { others: { ...rig.others, accounts } }
          : { subscriptions: { ...subscriptions, markGraceEndPublished: dies } }),
      });
      await expect(dying).rejects.toThrow('items have failed');
      rig.published.length = 0;
      await publishGraceEnds(rig);
      expect(rig.published).toContain(actor.userId);
    },
  );

  it('notifies the tabs of each user, even when one notification fails', async () => {
    await failRenewal();
    const other = rig.user();
    const otherId = await rig.subscribe(other, PRO);
    await rig.endPeriod(otherId, 'declined');
    await refreshSubscription(rig, other.userId);
    rig.wait(7 * DAY_MS);
    for (const broken of [actor.userId, other.userId]) {
      const published: string[] = [];
      const publishChange = async (id: string) => {
        if (id === broken) throw new Error('Redis is unreachable.');
        published.push(id);
      };
      const sweep = publishGraceEnds({
        ...rig,
        others: { ...rig.others, accounts: { ...rig.others.accounts, publishChange } },
        subscriptions: { ...rig.subscriptions, markGraceEndPublished: async () => undefined },
      });
      await expect(sweep).rejects.toThrow('items have failed');
      expect(published).toContain(broken === other.userId ? actor.userId : other.userId);
    }
  });

  it('notifies the tabs again when the grace of a later failure ends', async () => {
    for (let n = 0; n < 2; n += 1) {
      await failRenewal();
      rig.wait(7 * DAY_MS);
      rig.published.length = 0;
      await publishGraceEnds(rig);
      expect(rig.published).toContain(actor.userId);
      await payOpenInvoice();
    }
  });
});

describe('money that goes back', () => {
  it('whole: the subscription ends at once', async () => {
    const invoiceId = await latestInvoice();
    await rig.provider(subscriptionId, (draft) => refund(draft, invoiceId));
    await refreshSubscription(rig, actor.userId);
    expect([await atProvider(), await plan(), await rig.hasPlan(actor.userId)]).toEqual([
      'ended',
      null,
      false,
    ]);
  });

  it('in part: nothing changes', async () => {
    const invoiceId = await latestInvoice();
    await rig.provider(subscriptionId, (draft) => refund(draft, invoiceId, 100));
    await refreshSubscription(rig, actor.userId);
    expect([await atProvider(), await plan()]).toEqual(['active', 'starter']);
  });

  it('of an earlier invoice: nothing changes', async () => {
    const invoiceId = await latestInvoice();
    await upgrade();
    await rig.provider(subscriptionId, (draft) => refund(draft, invoiceId));
    await refreshSubscription(rig, actor.userId);
    expect([await atProvider(), await plan()]).toEqual(['active', 'pro']);
  });

  it('by a dispute: the plan stops until it is won', async () => {
    const invoiceId = await latestInvoice();
    await rig.provider(subscriptionId, (draft) => openDispute(draft, invoiceId));
    await refreshSubscription(rig, actor.userId);
    expect([await atProvider(), await plan()]).toEqual(['active', null]);
    await rig.provider(subscriptionId, (draft) => closeDispute(draft, invoiceId, 'won'));
    await refreshSubscription(rig, actor.userId, { isDisputeClosed: true });
    expect([await atProvider(), await plan()]).toEqual(['active', 'starter']);
  });

  it('by a dispute that is lost: the subscription ends', async () => {
    const invoiceId = await latestInvoice();
    await rig.provider(subscriptionId, (draft) => openDispute(draft, invoiceId));
    await rig.provider(subscriptionId, (draft) => closeDispute(draft, invoiceId, 'lost'));
    await refreshSubscription(rig, actor.userId, { isDisputeClosed: true });
    expect([await atProvider(), await plan(), (await stored())?.subscriptionId]).toEqual([
      'ended',
      null,
      null,
    ]);
  });
});

describe('ending the payments of a user', () => {
  it('ends every subscription at once and keeps the record, and no others', async () => {
    const other = rig.user();
    await rig.subscribe(other, PRO);
    const id = await customerId();
    await rig.endPayments(actor.userId);
    await rig.endPayments(actor.userId);
    expect(await rig.running(id)).toEqual([]);
    await refreshSubscription(rig, actor.userId);
    expect([await rig.hasPlan(actor.userId), (await stored())?.customerIds]).toEqual([false, [id]]);
    expect(await rig.hasPlan(other.userId)).toBe(true);
    await rig.endPayments(rig.user().userId);
  });

  it('ends a checkout, open or paid just before', async () => {
    const [open, paid] = [rig.user(), rig.user()];
    const openId = await rig.startCheckout(open, PRO);
    const paidId = await rig.startCheckout(paid, PRO);
    await rig.pay(paidId);
    for (const { userId } of [open, paid]) await rig.endPayments(userId);
    expect((await rig.gateway.findCheckout(openId))?.status).toBe('expired');
    const { customerId: customer } = (await rig.gateway.findCheckout(paidId)) ?? {};
    expect(await rig.running(customer ?? '')).toEqual([]);
  });
});

describe('erasing an account', () => {
  it('removes the customer and all stored data, and nothing of others', async () => {
    const other = rig.user();
    await rig.subscribe(other, PRO);
    const sent = await rig.sentEvents();
    for (const event of sent) await rig.events.receive(event, { now: rig.now(), dueAt: rig.now() });
    const id = await customerId();
    await erasePayments(rig, actor.userId);
    await erasePayments(rig, actor.userId);
    expect([await stored(), await rig.running(id)]).toEqual([null, []]);
    const left = await rig.events.list('received', { limit: 1_000 });
    expect(left.some((event) => event.customerId === id)).toBe(false);
    expect(left.length).toBeGreaterThan(0);
    expect(await rig.hasPlan(other.userId)).toBe(true);
  });

  it('is repeated when the process crashed before a customer was removed', async () => {
    const id = await customerId();
    const dying = rig.withGateway({ removeCustomer: () => Promise.reject(new Error('killed')) });
    await expect(erasePayments(dying, actor.userId)).rejects.toThrow('killed');
    expect(await rig.running(id)).toHaveLength(1);
    await erasePayments(rig, actor.userId);
    expect([await stored(), await rig.running(id)]).toEqual([null, []]);
  });

  it('ends an open checkout', async () => {
    const user = rig.user();
    const checkoutId = await rig.startCheckout(user, PRO);
    await erasePayments(rig, user.userId);
    expect((await rig.gateway.findCheckout(checkoutId))?.status).toBe('expired');
    expect(await rig.subscriptions.findOf(user.userId)).toBeNull();
  });

  it('removes the customer of a checkout that was paid just before', async () => {
    const user = rig.user();
    const checkoutId = await rig.startCheckout(user, PRO);
    await rig.pay(checkoutId);
    const checkout = await rig.gateway.findCheckout(checkoutId);
    await erasePayments(rig, user.userId);
    expect(await rig.running(checkout?.customerId ?? '')).toEqual([]);
  });

  it('leaves no checkout that was being made', async () => {
    const user = rig.user();
    const made: string[] = [];
    const other = rig.withGateway({
      createCheckout: async (request) => {
        const checkout = await rig.gateway.createCheckout(request);
        made.push(checkout.id);
        rig.accounts.delete(user.userId);
        await erasePayments(rig, user.userId);
        return checkout;
      },
    });
    await expect(startCheckout(other, user, PRO)).rejects.toMatchObject({ code: 'not_found' });
    for (const id of made) expect((await rig.gateway.findCheckout(id))?.status).toBe('expired');
    expect(await rig.subscriptions.findOf(user.userId)).toBeNull();
  });
});
