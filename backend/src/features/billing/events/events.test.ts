import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeDispute, openDispute } from '../../../../embedded/stripe/simulator/invoices.ts';
import type { Actor } from '../../../access/index.ts';
import { createTaskQueue, createTaskSweep } from '../../../jobs/durable.ts';
import { GatewayError, type PaymentEvent } from '../../../payments/index.ts';
import { newId, openBilling, type Rig } from '../billing.fixture.ts';
import { type BillingFeature, paymentEventJob } from '../feature.ts';
import { refreshSubscription } from '../refresh.ts';
import { applyEventAgain, eventRunner, MAX_EVENT_RETRIES, receiveEvent } from './events.ts';

let rig: Rig;
let actor: Actor;
const PRO = 'price_pro_month';

beforeAll(async () => {
  rig = await openBilling();
});
afterAll(() => rig.close());
beforeEach(async () => {
  actor = rig.user();
  rig.queued.length = 0;
  await rig.sentEvents();
});

/** Pays without a return to the product, so that only events report the payment. */
const paidEvents = async (): Promise<PaymentEvent[]> => {
  await rig.pay(await rig.startCheckout(actor, PRO));
  return rig.sentEvents();
};
const handle = (billing: BillingFeature, eventId: string) => eventRunner(billing).run({ eventId });
const sweepEvents = () =>
  createTaskSweep({ ...rig, tasks: rig.events.tasks, queue: rig.eventQueue })();
const plan = async () => (await rig.planOf(actor)).subscriptionPlan;
const stateOf = async ({ id }: Pick<PaymentEvent, 'id'>) => (await rig.events.find(id))?.state;
const event = (fields: Partial<PaymentEvent> = {}): PaymentEvent => ({
  id: `evt_${newId()}`,
  type: 'customer.subscription.updated',
  createdAt: rig.now(),
  customerId: null,
  subscriptionId: null,
  checkoutId: null,
  ...fields,
});
const apply = async (events: PaymentEvent[]) => {
  for (const one of events) {
    await receiveEvent(rig, one);
    await handle(rig, one.id);
  }
};

describe('an event', () => {
  it('is stored once, without personal data, and enqueued', async () => {
    const [one = event()] = await paidEvents();
    for (let n = 0; n < 10; n += 1) await receiveEvent(rig, one);
    const stored = await rig.connection.collection('payment_events').find({}).toArray();
    const found = stored.filter(({ _id }) => String(_id) === one.id);
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toContain('@');
    expect(rig.queued).toContain(one.id);
    expect(await stateOf(one)).toBe('received');
  });

  it.each([
    ['in order', (events: PaymentEvent[]) => events],
    ['reversed', (events: PaymentEvent[]) => events.toReversed()],
    ['each ten times', (events: PaymentEvent[]) => events.flatMap((one) => Array(10).fill(one))],
  ])('of a payment gives the plan, %s', async (_name, order) => {
    const sent = await paidEvents();
    expect(sent.length).toBeGreaterThan(2);
    await apply(order(sent));
    expect(await plan()).toBe('pro');
    for (const one of sent)
      expect(await rig.events.find(one.id)).toMatchObject({ state: 'applied', attempts: 1 });
  });

  it('of each kind alone gives the plan, because the subscription is fetched', async () => {
    const types = new Set<string>();
    for (let n = 0; n < 3; n += 1) {
      actor = rig.user();
      const sent = (await paidEvents()).toSorted((a, b) => (a.type < b.type ? -1 : 1));
      const one = sent[n];
      if (!one) throw new Error('There are fewer events.');
      types.add(one.type);
      await apply([one]);
      expect([one.type, await plan()]).toEqual([one.type, 'pro']);
    }
    expect(types.size).toBe(3);
  });

  it('that names only a checkout gives the plan', async () => {
    const checkoutId = await rig.startCheckout(actor, PRO);
    await rig.pay(checkoutId);
    await apply([event({ checkoutId })]);
    expect(await plan()).toBe('pro');
  });

  it('that was applied is not applied again', async () => {
    const [one = event()] = await paidEvents();
    await apply([one]);
    let fetches = 0;
    const counting = rig.withGateway({
      listSubscriptions: async (id) => {
        fetches += 1;
        return rig.gateway.listSubscriptions(id);
      },
    });
    rig.queued.length = 0;
    await receiveEvent(counting, one);
    await handle(counting, one.id);
    expect([fetches, rig.queued]).toEqual([0, []]);
  });

  it('of an older state does not restore it', async () => {
    const [first = event()] = await paidEvents();
    await rig.gateway.cancelNow(first.subscriptionId ?? '');
    await refreshSubscription(rig, actor.userId);
    await apply([first]);
    expect(await plan()).toBeNull();
  });

  it('notifies the tabs', async () => {
    const sent = await paidEvents();
    rig.published.length = 0;
    await apply(sent.slice(0, 1));
    expect(rig.published).toContain(actor.userId);
  });

  it('without a user is kept as applied', async () => {
    const unknown = [
      event({ customerId: 'cus_unknown' }),
      event({ checkoutId: 'cs_unknown', subscriptionId: 'sub_unknown' }),
      event(),
    ];
    await apply(unknown);
    for (const one of unknown) expect(await stateOf(one)).toBe('applied');
  });

  it('with an owner that is no user id is kept as applied', async () => {
    const other = rig.withGateway({
      findSubscription: async (id) => {
        const [known] = await rig.gateway.listSubscriptions(await subscribedCustomer());
        return known ? { ...known, id, ownerId: 'somebody else' } : null;
      },
    });
    const one = event({ subscriptionId: 'sub_other' });
    await receiveEvent(other, one);
    await handle(other, one.id);
    expect(await stateOf(one)).toBe('applied');
  });

  it('of a user whose account is gone is kept as applied, and nothing else is', async () => {
    const sent = await paidEvents();
    const { subscriptionId = '' } = sent.find((one) => one.subscriptionId) ?? {};
    await rig.gateway.cancelNow(subscriptionId ?? '');
    await rig.subscriptions.removeAllOf(actor.userId);
    rig.accounts.delete(actor.userId);
    await apply(sent);
    for (const one of sent) expect(await stateOf(one)).toBe('applied');
    expect(await rig.subscriptions.findOf(actor.userId)).toBeNull();
  });

  it('names its user by the stored customer, independent of the owner at the provider', async () => {
    const victim = rig.user();
    await apply(await paidEvents());
    const customerId = (await rig.subscriptions.findOf(actor.userId))?.customerIds[0] ?? '';
    const forged = rig.withGateway({
      findSubscription: async (id) => {
        const found = await rig.gateway.findSubscription(id);
        return found && { ...found, ownerId: victim.userId };
      },
    });
    const one = event({ customerId });
    await receiveEvent(forged, one);
    await handle(forged, one.id);
    expect([await plan(), await rig.subscriptions.findOf(victim.userId)]).toEqual(['pro', null]);
  });

  it('of a lost dispute ends the subscription', async () => {
    await apply(await paidEvents());
    const { subscriptionId } = (await rig.subscriptions.findOf(actor.userId)) ?? {};
    const id = subscriptionId ?? '';
    const invoiceId = (await rig.gateway.findSubscription(id))?.latestInvoice?.id ?? '';
    await rig.provider(id, (draft) => openDispute(draft, invoiceId));
    await apply(await rig.sentEvents());
    expect([await plan(), (await rig.gateway.findSubscription(id))?.status]).toEqual([
      null,
      'active',
    ]);
    await rig.provider(id, (draft) => closeDispute(draft, invoiceId, 'lost'));
    await apply(await rig.sentEvents());
    expect((await rig.gateway.findSubscription(id))?.status).toBe('ended');
  });
});

describe('an event that cannot be applied', () => {
  const failing = () =>
    rig.withGateway({
      listSubscriptions: () =>
        Promise.reject(new GatewayError('unavailable', 'The provider is down.')),
    });

  it('is retried, and kept as failed after the last retry', async () => {
    const [one = event()] = await paidEvents();
    const broken = failing();
    await receiveEvent(broken, one);
    for (let n = 0; n < MAX_EVENT_RETRIES; n += 1)
      await expect(handle(broken, one.id)).rejects.toMatchObject({ delayMs: 5_000 * 2 ** n });
    expect(await rig.events.find(one.id)).toMatchObject({
      state: 'received',
      attempts: MAX_EVENT_RETRIES,
      lastError: 'GatewayError: The provider is down.',
    });
    await handle(broken, one.id);
    expect(await rig.events.find(one.id)).toMatchObject({
      state: 'failed',
      attempts: MAX_EVENT_RETRIES + 1,
      lastError: 'GatewayError: The provider is down.',
    });
  });

  it('can be applied again once it has failed, and not before or after', async () => {
    const [one = event()] = await paidEvents();
    await receiveEvent(rig, one);
    expect(await applyEventAgain(rig, one.id)).toBe(false);
    for (let n = 0; n <= MAX_EVENT_RETRIES; n += 1)
      await handle(failing(), one.id).catch(() => undefined);
    rig.queued.length = 0;
    expect(await applyEventAgain(rig, one.id)).toBe(true);
    expect(rig.queued).toEqual([one.id]);
    expect(await stateOf(one)).toBe('received');
    // All its retries are available again.
    await expect(handle(failing(), one.id)).rejects.toMatchObject({ delayMs: 5_000 });
    await handle(rig, one.id);
    expect([await stateOf(one), await plan()]).toEqual(['applied', 'pro']);
    expect(await applyEventAgain(rig, one.id)).toBe(false);
  });

  it('is applied by the worker that takes it over, whatever the frozen one does', async () => {
    const [one = event()] = await paidEvents();
    await receiveEvent(rig, one);
    const slow = rig.withGateway({
      listSubscriptions: async () => {
        await expect(handle(rig, one.id)).rejects.toThrow('runs again');
        rig.wait(60_000);
        await handle(rig, one.id);
        throw new GatewayError('unavailable', 'The provider is down.');
      },
    });
    await handle(slow, one.id);
    expect(await rig.events.find(one.id)).toMatchObject({ state: 'applied', attempts: 2 });
    expect(await plan()).toBe('pro');
  });

  it('that does not exist is no error', async () => {
    await expect(handle(rig, 'evt_unknown')).resolves.toBeUndefined();
  });
});

describe('an event that cannot be stored', () => {
  it.each(['receive', 'find'] as const)('is not accepted when `%s` fails', async (step) => {
    const fails = () => Promise.reject(new Error('The write failed.'));
    const events = { ...rig.events, [step]: fails };
    await expect(receiveEvent({ ...rig, events }, event())).rejects.toThrow('The write failed.');
  });
});

describe('an event without a job', () => {
  it('is enqueued by the sweep, after some time', async () => {
    const add = () => Promise.reject(new Error('Redis is unreachable.'));
    const producer = { add, canRun: async () => false, remove: async () => undefined };
    const idOf = ({ eventId }: { eventId: string }) => eventId;
    const eventQueue = createTaskQueue(paymentEventJob, { producer, idOf, log: rig.log });
    const [one = event()] = await paidEvents();
    await receiveEvent({ ...rig, eventQueue }, one);
    await sweepEvents();
    expect(rig.queued).not.toContain(one.id);
    rig.wait(10_001);
    await sweepEvents();
    expect(rig.queued).toContain(one.id);
  });

  it('is left unchanged once it is applied', async () => {
    const sent = await paidEvents();
    await apply(sent);
    rig.queued.length = 0;
    rig.wait(60_000);
    await sweepEvents();
    for (const one of sent) expect(rig.queued).not.toContain(one.id);
  });
});

async function subscribedCustomer(): Promise<string> {
  const other = rig.user();
  await rig.subscribe(other, PRO);
  return (await rig.subscriptions.findOf(other.userId))?.customerIds[0] ?? '';
}
