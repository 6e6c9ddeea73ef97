import { afterEach, beforeEach, expect, it } from 'vitest';
import { refund } from '../../../../embedded/stripe/simulator/invoices.ts';
import type { Actor } from '../../../access/index.ts';
import { newId, openBilling, type Rig } from '../billing.fixture.ts';
import { refreshSubscription } from '../refresh.ts';
import { compareSubscriptions } from './comparison.ts';

let rig: Rig;
const [STARTER, PRO] = ['price_starter_month', 'price_pro_month'];
const DAY_MS = 24 * 60 * 60_000;

beforeEach(async () => {
  rig = await openBilling();
});
afterEach(() => rig.close());

const subscribed = async (priceId = STARTER): Promise<[Actor, string]> => {
  const actor = rig.user();
  return [actor, await rig.subscribe(actor, priceId)];
};
const planOf = async (actor: Actor) => (await rig.planOf(actor)).subscriptionPlan;

it('repairs differences on either side, and counts them', async () => {
  const [upgraded, upgradedId] = await subscribed();
  const [ended, endedId] = await subscribed();
  const [same] = await subscribed(PRO);
  const missed = rig.user();
  await rig.pay(await rig.startCheckout(missed, PRO));
  await rig.gateway.changePrice({
    subscriptionId: upgradedId,
    priceId: PRO,
    when: 'now',
    idempotencyKey: newId(),
  });
  await rig.gateway.cancelNow(endedId);
  rig.published.length = 0;

  await compareSubscriptions(rig);
  expect(await Promise.all([upgraded, ended, same, missed].map(planOf))).toEqual([
    'pro',
    null,
    'pro',
    'pro',
  ]);
  expect(rig.published.toSorted()).toEqual(
    [upgraded, ended, missed].map((a) => a.userId).toSorted(),
  );
  expect(await rig.comparisons.lastStarted()).toEqual({
    startedAt: rig.now(),
    finishedAt: rig.now(),
    compared: expect.any(Number) as number,
    repaired: 3,
    failed: 0,
  });
});

it('finds nothing without differences, and fetches no subscription again', async () => {
  await subscribed();
  const [ended, endedId] = await subscribed();
  await rig.gateway.cancelNow(endedId);
  await refreshSubscription(rig, ended.userId);
  const quiet = rig.withGateway({
    listSubscriptions: () => Promise.reject(new Error('Nothing is to be fetched.')),
  });
  await compareSubscriptions(quiet);
  expect(await rig.comparisons.lastStarted()).toMatchObject({
    compared: 3,
    repaired: 0,
    failed: 0,
  });
});

it('counts no repair when a second read finds nothing to change', async () => {
  const [, id] = await subscribed();
  const found = await rig.gateway.findSubscription(id);
  if (!found) throw new Error('The subscription is missing.');
  const stale = rig.withGateway({
    allSubscriptions: async function* () {
      yield { ...found, cancelsAt: found.periodEndsAt };
    },
  });
  await compareSubscriptions(stale);
  expect(await rig.comparisons.lastStarted()).toMatchObject({ repaired: 0, failed: 0 });
});

it('cancels a subscription whose refund was missed', async () => {
  const [actor, id] = await subscribed();
  const invoiceId = (await rig.gateway.findSubscription(id))?.latestInvoice?.id ?? '';
  await rig.provider(id, (draft) => refund(draft, invoiceId));
  await compareSubscriptions(rig);
  expect([await planOf(actor), (await rig.gateway.findSubscription(id))?.status]).toEqual([
    null,
    'ended',
  ]);
});

it('runs once a day over all workers', async () => {
  let runs = 0;
  const counting = () =>
    rig.withGateway({
      allSubscriptions: () => {
        runs += 1;
        return rig.gateway.allSubscriptions();
      },
    });
  await Promise.all([
    compareSubscriptions(counting()),
    compareSubscriptions(counting()),
    compareSubscriptions(counting()),
  ]);
  await compareSubscriptions(counting());
  expect(runs).toBe(1);
  rig.wait(DAY_MS);
  await compareSubscriptions(counting());
  expect(runs).toBe(2);
});

it('is taken over from a crashed worker, once its lease has ended', async () => {
  const dying = rig.withGateway({
    allSubscriptions: () => {
      throw new Error('The worker dies.');
    },
  });
  await expect(compareSubscriptions(dying)).rejects.toThrow('The worker dies.');
  await compareSubscriptions(rig);
  expect((await rig.comparisons.lastStarted())?.finishedAt).toBeNull();
  rig.wait(10 * 60_000 + 1);
  await compareSubscriptions(rig);
  expect((await rig.comparisons.lastStarted())?.finishedAt).toEqual(rig.now());
});

it('ends when another worker has taken it over', async () => {
  const slow = rig.withGateway({
    allSubscriptions: async function* () {
      rig.wait(10 * 60_000 + 1);
      await compareSubscriptions(rig);
      yield* rig.gateway.allSubscriptions();
    },
  });
  await compareSubscriptions(slow);
  const finishedAt = rig.now();
  rig.wait(1);
  expect(await rig.comparisons.lastStarted()).toMatchObject({ startedAt: finishedAt, finishedAt });
});

it('continues after a user that cannot be compared', async () => {
  const [broken, brokenId] = await subscribed();
  const [fine, fineId] = await subscribed();
  await rig.gateway.cancelNow(brokenId);
  await rig.gateway.cancelNow(fineId);
  const brokenCustomer = (await rig.subscriptions.findOf(broken.userId))?.customerIds[0];
  const other = rig.withGateway({
    listSubscriptions: (id) =>
      id === brokenCustomer
        ? Promise.reject(new Error('This customer is broken.'))
        : rig.gateway.listSubscriptions(id),
  });
  await compareSubscriptions(other);
  expect(await Promise.all([broken, fine].map(planOf))).toEqual(['starter', null]);
  expect(await rig.comparisons.lastStarted()).toMatchObject({ repaired: 1, failed: 1 });
});

it('ignores subscriptions of others at the same provider', async () => {
  const [, id] = await subscribed();
  const found = await rig.gateway.findSubscription(id);
  if (!found) throw new Error('The subscription is missing.');
  const other = rig.withGateway({
    allSubscriptions: async function* () {
      yield found;
      yield { ...found, id: 'sub_x', customerId: 'cus_x', ownerId: null };
      yield { ...found, id: 'sub_y', customerId: 'cus_y', ownerId: 'somebody' };
    },
  });
  await compareSubscriptions(other);
  expect(await rig.comparisons.lastStarted()).toMatchObject({
    compared: 4,
    repaired: 0,
    failed: 0,
  });
});
