import { randomUUID } from 'node:crypto';
import { Stripe } from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PRICES } from '../../embedded/stripe/rig.fixture.ts';
import { expireCheckout, payCheckout } from '../../embedded/stripe/simulator/checkouts.ts';
import { endPeriodNow } from '../../embedded/stripe/simulator/clock.ts';
import {
  closeDispute,
  openDispute,
  payInvoice,
  refund,
} from '../../embedded/stripe/simulator/invoices.ts';
import type { Simulator } from '../../embedded/stripe/simulator/simulator.ts';
import type { Card, Price } from '../../embedded/stripe/simulator/state.ts';
import { WEBHOOK_SECRET } from '../../test/stripe.ts';
import type { GatewayErrorReason, PaymentEvent, PaymentGateway } from './port.ts';

/** An event as the webhook receives it. */
export interface SignedEvent {
  rawBody: Buffer;
  signature: string;
}

/** A gateway with the simulated provider behind it. */
export interface PaymentsRig {
  gateway: PaymentGateway;
  simulator: Simulator;
  /** Makes the provider deliver due events, and returns them. */
  deliver: () => Promise<SignedEvent[]>;
  close: () => Promise<void>;
}

/** Prices and time of the suite. */
export interface Setting {
  prices: readonly Price[];
  now: () => Date;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const START = new Date('2026-01-31T10:00:00Z');

/** The tests for every adapter of `PaymentGateway`. */
export function describePayments(
  name: string,
  start: (setting: Setting) => Promise<PaymentsRig>,
): void {
  describe(`payments: ${name}`, () => {
    let rig: PaymentsRig;
    let time = START;
    const wait = (ms: number) => {
      time = new Date(time.getTime() + ms);
    };

    beforeAll(async () => {
      rig = await start({ prices: PRICES, now: () => time });
    });
    beforeEach(async () => {
      await rig.deliver();
      time = START;
    });
    afterAll(() => rig.close());

    const request = (priceId = 'price_starter') => ({
      ownerId: randomUUID(),
      customerId: null,
      email: 'ada@example.org',
      priceId,
      ui: 'hosted' as const,
      successUrl: 'https://stolas.example/?success=true&session_id={CHECKOUT_SESSION_ID}',
      cancelUrl: 'https://stolas.example/?canceled=true',
      idempotencyKey: randomUUID(),
    });
    const subscribe = async (priceId?: string) => {
      const asked = request(priceId);
      const { id: checkoutId } = await rig.gateway.createCheckout(asked);
      await rig.simulator.update(checkoutId, (draft) => payCheckout(draft, checkoutId));
      const checkout = await rig.gateway.findCheckout(checkoutId);
      const id = checkout?.subscriptionId ?? '';
      const customerId = checkout?.customerId ?? '';
      return { id, customerId, checkoutId, ownerId: asked.ownerId };
    };
    const find = (id: string) => rig.gateway.findSubscription(id);
    const invoices = (customerId: string) => rig.gateway.listInvoices(customerId, 10);
    const setCard = (customerId: string, card: Card) =>
      rig.simulator.update(customerId, ({ state }) => {
        state.card = card;
      });
    const endPeriod = (id: string, card: Card = 'works') =>
      rig.simulator.update(id, (draft) => endPeriodNow(draft, id, card));
    const change = (subscriptionId: string, priceId: string, when: 'now' | 'periodEnd') =>
      rig.gateway.changePrice({ subscriptionId, priceId, when, idempotencyKey: randomUUID() });
    const latestInvoice = async (id: string) => (await find(id))?.latestInvoice?.id ?? '';
    const events = async (): Promise<PaymentEvent[]> =>
      Promise.all(
        (await rig.deliver()).map(({ rawBody, signature }) =>
          rig.gateway.readEvent(rawBody, signature),
        ),
      );
    const refused = (reason: GatewayErrorReason) =>
      expect.objectContaining({ name: 'GatewayError', reason }) as Error;

    describe('checkouts', () => {
      it('is open with the URL of the payment, and names the owner', async () => {
        const asked = request();
        const checkout = await rig.gateway.createCheckout(asked);
        expect(checkout).toEqual({
          id: checkout.id,
          url: expect.stringContaining(checkout.id) as string,
        });
        expect(await rig.gateway.findCheckout(checkout.id)).toEqual({
          id: checkout.id,
          ownerId: asked.ownerId,
          customerId: null,
          subscriptionId: null,
          status: 'open',
        });
      });

      it('starts a subscription of the owner for the price when it is paid', async () => {
        const { id, customerId, checkoutId, ownerId } = await subscribe('price_pro');
        expect(await rig.gateway.findCheckout(checkoutId)).toEqual({
          id: checkoutId,
          ownerId,
          customerId,
          subscriptionId: id,
          status: 'complete',
        });
        expect(await find(id)).toEqual({
          id,
          customerId,
          ownerId,
          status: 'active',
          priceId: 'price_pro',
          startedAt: START,
          anchoredAt: START,
          periodStartsAt: START,
          periodEndsAt: new Date('2026-02-28T10:00:00Z'),
          cancelsAt: null,
          pendingPriceId: null,
          latestInvoice: { id: expect.any(String) as string, status: 'paid' },
        });
        expect(await invoices(customerId)).toMatchObject([
          { amount: 17_900, currency: 'usd', status: 'paid', createdAt: START },
        ]);
      });

      it('a yearly price is paid for a year', async () => {
        const { id } = await subscribe('price_starter_year');
        expect((await find(id))?.periodEndsAt).toEqual(new Date('2027-01-31T10:00:00Z'));
      });

      it('a second payment changes nothing', async () => {
        const { checkoutId, customerId } = await subscribe();
        await rig.simulator.update(checkoutId, (draft) => payCheckout(draft, checkoutId));
        expect(await rig.gateway.listSubscriptions(customerId)).toHaveLength(1);
        expect(await invoices(customerId)).toHaveLength(1);
      });

      it('cannot be paid once it was expired; expiring it again changes nothing', async () => {
        const { id } = await rig.gateway.createCheckout(request());
        await rig.gateway.expireCheckout(id);
        await rig.gateway.expireCheckout(id);
        expect((await rig.gateway.findCheckout(id))?.status).toBe('expired');
        await expect(rig.simulator.update(id, (draft) => payCheckout(draft, id))).rejects.toThrow(
          'expired',
        );
      });

      it('a complete checkout stays complete on expiry', async () => {
        const { checkoutId } = await subscribe();
        await rig.gateway.expireCheckout(checkoutId);
        expect((await rig.gateway.findCheckout(checkoutId))?.status).toBe('complete');
      });

      it('expires after a day', async () => {
        const { id } = await rig.gateway.createCheckout(request());
        wait(DAY_MS - 1_000);
        expect((await rig.gateway.findCheckout(id))?.status).toBe('open');
        wait(1_000);
        expect((await rig.gateway.findCheckout(id))?.status).toBe('expired');
      });

      it('the same idempotency key gives the same checkout', async () => {
        const asked = request();
        const [first, second] = await Promise.all([
          rig.gateway.createCheckout(asked),
          rig.gateway.createCheckout(asked),
        ]);
        expect(second).toEqual(first);
        expect(await rig.gateway.createCheckout(asked)).toEqual(first);
      });

      it('refuses an idempotency key that was used for another price', async () => {
        const asked = request();
        await rig.gateway.createCheckout(asked);
        await expect(
          rig.gateway.createCheckout({ ...asked, priceId: 'price_pro' }),
        ).rejects.toEqual(refused('invalid'));
      });

      it('a known customer keeps its id', async () => {
        const { id, customerId } = await subscribe();
        await rig.gateway.cancelNow(id);
        const checkout = await rig.gateway.createCheckout({ ...request('price_pro'), customerId });
        await rig.simulator.update(checkout.id, (draft) => payCheckout(draft, checkout.id));
        const listed = await rig.gateway.listSubscriptions(customerId);
        expect(listed.map(({ status, priceId }) => [status, priceId])).toEqual([
          ['active', 'price_pro'],
          ['ended', 'price_starter'],
        ]);
      });

      it('refuses a customer and a price that do not exist', async () => {
        const { gateway } = rig;
        const unknown = [{ customerId: 'cus_unknown' }, { priceId: 'price_unknown' }];
        for (const part of unknown)
          await expect(gateway.createCheckout({ ...request(), ...part })).rejects.toEqual(
            refused('invalid'),
          );
      });
    });

    describe('changes of the price', () => {
      it('an upgrade begins a new period and deducts the rest of the current one', async () => {
        const { id, customerId } = await subscribe();
        const before = await find(id);
        // 425 of 672 hours are left: 18.34 of Starter.
        wait(10 * DAY_MS + 7 * HOUR_MS);
        const changed = await change(id, 'price_pro', 'now');
        expect(changed).toEqual({
          ...before,
          priceId: 'price_pro',
          anchoredAt: time,
          periodStartsAt: time,
          periodEndsAt: new Date('2026-03-10T17:00:00Z'),
          latestInvoice: { id: expect.any(String) as string, status: 'paid' },
        });
        expect(await find(id)).toEqual(changed);
        expect((await invoices(customerId)).map(({ amount }) => amount)).toEqual([
          17_900 - 1_834,
          2_900,
        ]);
      });

      it('the current price begins no new period', async () => {
        const { id, customerId } = await subscribe();
        const before = await find(id);
        wait(DAY_MS);
        expect(await change(id, 'price_starter', 'now')).toEqual(before);
        expect(await invoices(customerId)).toHaveLength(1);
      });

      it('a preview changes nothing, and the charge is equal when its proration date is given', async () => {
        const { id: subscriptionId, customerId } = await subscribe('price_starter_year');
        wait(10 * DAY_MS);
        const before = await find(subscriptionId);
        const asked = { subscriptionId, priceId: 'price_pro', when: 'now' as const };
        const preview = await rig.gateway.previewChange(asked);
        const { prorationDate } = preview;
        // 355 of 365 days are left of 278.40; the amount above the price stays as credit.
        const credit = 27_077 - 17_900;
        expect(preview).toEqual({ prorationDate: time, amount: 0, credit, currency: 'usd' });
        expect(await find(subscriptionId)).toEqual(before);
        wait(15 * 60_000);
        const idempotencyKey = randomUUID();
        await rig.gateway.changePrice({ ...asked, prorationDate, idempotencyKey });
        expect((await invoices(customerId))[0]?.amount).toBe(0);
        const next = { subscriptionId, priceId: 'price_starter', when: 'periodEnd' as const };
        expect(await rig.gateway.previewChange(next)).toMatchObject({ amount: 0, credit });
        await endPeriod(subscriptionId);
        expect((await invoices(customerId))[0]?.amount).toBe(17_900 - credit);
      });

      it('refuses a proration date outside of the paid period', async () => {
        const { id: subscriptionId } = await subscribe();
        const asked = { subscriptionId, priceId: 'price_pro', when: 'now' as const };
        const prorationDate = new Date(time.getTime() - 1_000);
        const early = rig.gateway.previewChange({ ...asked, prorationDate });
        await expect(early).rejects.toEqual(refused('invalid'));
      });

      it('a change to yearly begins a year, and deducts the rest of the month', async () => {
        const { id, customerId } = await subscribe('price_pro');
        wait(14 * DAY_MS);
        const changed = await change(id, 'price_pro_year', 'now');
        expect(changed.periodStartsAt).toEqual(new Date('2026-02-14T10:00:00Z'));
        expect(changed.periodEndsAt).toEqual(new Date('2027-02-14T10:00:00Z'));
        expect([changed.startedAt, changed.anchoredAt]).toEqual([START, time]);
        expect((await invoices(customerId))[0]?.amount).toBe(171_840 - 8_950);
      });

      it('an upgrade that is declined changes nothing', async () => {
        const { id, customerId } = await subscribe();
        await change(id, 'price_starter_year', 'periodEnd');
        const before = await find(id);
        await setCard(customerId, 'declined');
        const declined = change(id, 'price_pro', 'now');
        await expect(declined).rejects.toEqual(refused('declined'));
        await expect(declined).rejects.toThrow('Your card was declined.');
        expect(await find(id)).toEqual(before);
        expect(await invoices(customerId)).toHaveLength(1);
      });

      it('the same idempotency key charges once, and repeats a decline', async () => {
        const { id: subscriptionId, customerId } = await subscribe();
        const now = { subscriptionId, priceId: 'price_pro', when: 'now' as const };
        const key = randomUUID();
        const upgraded = await rig.gateway.changePrice({ ...now, idempotencyKey: key });
        expect(await rig.gateway.changePrice({ ...now, idempotencyKey: key })).toEqual(upgraded);
        expect(await invoices(customerId)).toHaveLength(2);

        await setCard(customerId, 'declined');
        const again = { ...now, priceId: 'price_pro_year', idempotencyKey: randomUUID() };
        await expect(rig.gateway.changePrice(again)).rejects.toEqual(refused('declined'));
        await setCard(customerId, 'works');
        await expect(rig.gateway.changePrice(again)).rejects.toEqual(refused('declined'));
      });

      it('drops a pending change and a cancellation when it applies now', async () => {
        const { id } = await subscribe();
        await change(id, 'price_starter_year', 'periodEnd');
        expect((await change(id, 'price_pro', 'now')).pendingPriceId).toBeNull();
        await rig.gateway.setCancellation(id, true);
        expect((await change(id, 'price_pro_year', 'now')).cancelsAt).toBeNull();
      });

      it('a change at the end of the period is pending until then, and is charged then', async () => {
        const { id, customerId } = await subscribe('price_pro');
        const before = await find(id);
        expect(await change(id, 'price_starter', 'periodEnd')).toEqual({
          ...before,
          pendingPriceId: 'price_starter',
        });
        expect(await invoices(customerId)).toHaveLength(1);
        await endPeriod(id);
        expect(await find(id)).toMatchObject({
          priceId: 'price_starter',
          pendingPriceId: null,
          status: 'active',
          periodStartsAt: before?.periodEndsAt,
          periodEndsAt: new Date('2026-03-31T10:00:00Z'),
        });
        expect((await invoices(customerId)).map(({ amount }) => amount)).toEqual([2_900, 17_900]);
      });

      it('a pending change can be replaced, and is dropped by the current price', async () => {
        const { id } = await subscribe('price_pro');
        await change(id, 'price_starter', 'periodEnd');
        const replaced = await change(id, 'price_starter_year', 'periodEnd');
        expect(replaced.pendingPriceId).toBe('price_starter_year');
        expect((await change(id, 'price_pro', 'periodEnd')).pendingPriceId).toBeNull();
        await endPeriod(id);
        expect((await find(id))?.priceId).toBe('price_pro');
      });

      it('withdraws a cancellation when a change is to follow', async () => {
        const { id } = await subscribe('price_pro');
        await rig.gateway.setCancellation(id, true);
        expect(await change(id, 'price_starter', 'periodEnd')).toMatchObject({
          cancelsAt: null,
          pendingPriceId: 'price_starter',
        });
      });

      it('refuses a price and a subscription that do not exist, and one that has ended', async () => {
        const { id } = await subscribe();
        await expect(change(id, 'price_unknown', 'now')).rejects.toEqual(refused('invalid'));
        await expect(change('sub_unknown', 'price_pro', 'now')).rejects.toEqual(refused('invalid'));
        await rig.gateway.cancelNow(id);
        await expect(change(id, 'price_pro', 'now')).rejects.toEqual(refused('invalid'));
      });
    });

    describe('cancellation', () => {
      it('ends the subscription with the paid period, and can be withdrawn', async () => {
        const { id } = await subscribe();
        const before = await find(id);
        expect(await rig.gateway.setCancellation(id, true)).toEqual({
          ...before,
          cancelsAt: before?.periodEndsAt,
        });
        await rig.gateway.setCancellation(id, true);
        expect(await rig.gateway.setCancellation(id, false)).toEqual(before);
        await rig.gateway.setCancellation(id, true);
        await endPeriod(id);
        expect(await find(id)).toMatchObject({ status: 'ended', priceId: 'price_starter' });
      });

      it('drops a pending change', async () => {
        const { id } = await subscribe('price_pro');
        await change(id, 'price_starter', 'periodEnd');
        const cancelled = await rig.gateway.setCancellation(id, true);
        expect(cancelled.pendingPriceId).toBeNull();
        expect(cancelled.cancelsAt).toEqual(cancelled.periodEndsAt);
      });

      it('at once ends the subscription; a second time changes nothing', async () => {
        const { id, customerId } = await subscribe();
        await rig.gateway.cancelNow(id);
        await rig.gateway.cancelNow(id);
        expect((await find(id))?.status).toBe('ended');
        expect(await invoices(customerId)).toMatchObject([{ status: 'paid' }]);
      });
    });

    describe('renewals', () => {
      it('move the period and are charged; short months do not move the day', async () => {
        const { id, customerId } = await subscribe();
        await endPeriod(id);
        expect(await find(id)).toMatchObject({
          status: 'active',
          startedAt: START,
          periodStartsAt: new Date('2026-02-28T10:00:00Z'),
          periodEndsAt: new Date('2026-03-31T10:00:00Z'),
        });
        expect(await invoices(customerId)).toMatchObject([
          { amount: 2_900, createdAt: new Date('2026-02-28T10:00:00Z') },
          { amount: 2_900 },
        ]);
      });

      it('that fail are past due, and active again once they are paid', async () => {
        const { id, customerId } = await subscribe();
        await endPeriod(id, 'declined');
        expect(await find(id)).toMatchObject({
          status: 'past_due',
          latestInvoice: { status: 'failed' },
          periodStartsAt: new Date('2026-02-28T10:00:00Z'),
        });
        expect((await invoices(customerId))[0]?.status).toBe('failed');
        const invoiceId = await latestInvoice(id);
        await rig.simulator.update(id, (draft) => payInvoice(draft, invoiceId));
        expect(await find(id)).toMatchObject({
          status: 'active',
          latestInvoice: { id: invoiceId, status: 'paid' },
        });
      });

      it('that stay declined are retried for nine days, then the subscription is unpaid', async () => {
        const { id, customerId } = await subscribe();
        await setCard(customerId, 'declined');
        await endPeriod(id, 'declined');
        wait(9 * DAY_MS - 1_000);
        expect((await find(id))?.status).toBe('past_due');
        wait(1_000);
        expect((await find(id))?.status).toBe('unpaid');
        await setCard(customerId, 'works');
        wait(DAY_MS);
        expect((await find(id))?.status).toBe('unpaid');
      });

      it('that were declined are charged again automatically', async () => {
        const { id } = await subscribe();
        await endPeriod(id, 'declined');
        wait(3 * DAY_MS);
        expect((await find(id))?.status).toBe('active');
      });
    });

    describe('refunds and disputes', () => {
      it('a payment is refunded in part, then whole', async () => {
        const { id, customerId } = await subscribe();
        const invoiceId = await latestInvoice(id);
        await rig.simulator.update(id, (draft) => refund(draft, invoiceId, 1_000));
        expect((await invoices(customerId))[0]?.status).toBe('partially_refunded');
        expect((await find(id))?.latestInvoice?.status).toBe('partially_refunded');
        await rig.simulator.update(id, (draft) => refund(draft, invoiceId));
        expect((await invoices(customerId))[0]).toMatchObject({
          status: 'refunded',
          amount: 2_900,
        });
        expect(await find(id)).toMatchObject({
          status: 'active',
          latestInvoice: { id: invoiceId, status: 'refunded' },
        });
      });

      it.each([
        ['won', 'paid'],
        ['lost', 'disputed'],
      ] as const)(
        'a payment is disputed until the dispute is %s; then it is %s',
        async (end, status) => {
          const { id, customerId } = await subscribe();
          const invoiceId = await latestInvoice(id);
          await rig.simulator.update(id, (draft) => openDispute(draft, invoiceId));
          expect((await invoices(customerId))[0]?.status).toBe('disputed');
          expect((await find(id))?.latestInvoice?.status).toBe('disputed');
          await rig.simulator.update(id, (draft) => closeDispute(draft, invoiceId, end));
          expect((await invoices(customerId))[0]?.status).toBe(status);
          expect((await find(id))?.latestInvoice?.status).toBe(status);
        },
      );
    });

    describe('events', () => {
      const named = async () =>
        (await events())
          .map(({ type, customerId, subscriptionId, checkoutId }) => ({
            type,
            customerId,
            subscriptionId,
            checkoutId,
          }))
          .toSorted((a, b) => (a.type < b.type ? -1 : 1));

      it('of a payment name the checkout, the subscription and the customer', async () => {
        const { id, customerId, checkoutId } = await subscribe();
        const names = { customerId, subscriptionId: id, checkoutId: null };
        expect(await named()).toEqual([
          { ...names, type: 'checkout.session.completed', checkoutId },
          { ...names, type: 'customer.subscription.created' },
          { ...names, type: 'invoice.paid' },
        ]);
      });

      it.each([
        ['an upgrade', ['customer.subscription.updated', 'invoice.paid']],
        ['a renewal', ['customer.subscription.updated', 'invoice.paid']],
        ['a renewal that fails', ['customer.subscription.updated', 'invoice.payment_failed']],
        ['a cancellation', ['customer.subscription.updated']],
        ['an end', ['customer.subscription.deleted']],
      ])('of %s name the subscription and the customer', async (what, types) => {
        const { id, customerId } = await subscribe();
        await events();
        const actions: Record<string, () => Promise<unknown>> = {
          'an upgrade': () => change(id, 'price_pro', 'now'),
          'a renewal': () => endPeriod(id),
          'a renewal that fails': () => endPeriod(id, 'declined'),
          'a cancellation': () => rig.gateway.setCancellation(id, true),
          'an end': () => rig.gateway.cancelNow(id),
        };
        await actions[what]?.();
        const names = { customerId, subscriptionId: id, checkoutId: null };
        expect(await named()).toEqual(types.map((type) => ({ ...names, type })));
      });

      it('of refunds and disputes name the customer', async () => {
        const { id, customerId } = await subscribe();
        const invoiceId = await latestInvoice(id);
        await events();
        await rig.simulator.update(id, (draft) => refund(draft, invoiceId, 100));
        await rig.simulator.update(id, (draft) => openDispute(draft, invoiceId));
        await rig.simulator.update(id, (draft) => closeDispute(draft, invoiceId, 'won'));
        const names = { customerId, subscriptionId: null, checkoutId: null };
        expect(await named()).toEqual([
          { ...names, type: 'charge.dispute.closed' },
          { ...names, type: 'charge.dispute.created' },
          { ...names, type: 'charge.refunded' },
        ]);
      });

      it('of a checkout that expired name the checkout', async () => {
        const { id } = await rig.gateway.createCheckout(request());
        await rig.simulator.update(id, (draft) => expireCheckout(draft, id));
        expect(await named()).toEqual([
          {
            type: 'checkout.session.expired',
            customerId: null,
            subscriptionId: null,
            checkoutId: id,
          },
        ]);
      });

      it('have a separate id and the time at which they happened', async () => {
        await subscribe();
        const all = await events();
        expect(new Set(all.map(({ id }) => id)).size).toBe(3);
        for (const { createdAt } of all) expect(createdAt).toEqual(START);
      });

      it('are refused with a bad, foreign, missing or old signature, or with another body', async () => {
        await subscribe();
        const [event] = await rig.deliver();
        const { rawBody, signature } = event ?? { rawBody: Buffer.of(), signature: '' };
        const sign = (secret: string) =>
          Stripe.webhooks.generateTestHeaderString({
            payload: rawBody.toString(),
            secret,
            timestamp: time.getTime() / 1_000,
          });
        const { gateway } = rig;
        const bad = { name: 'SignatureError' };
        await expect(gateway.readEvent(rawBody, sign(WEBHOOK_SECRET))).resolves.toBeTruthy();
        await expect(gateway.readEvent(rawBody, sign('whsec_foreign'))).rejects.toMatchObject(bad);
        await expect(gateway.readEvent(rawBody, '')).rejects.toMatchObject(bad);
        await expect(gateway.readEvent(rawBody, 't=1,v1=abc')).rejects.toMatchObject(bad);
        const other = Buffer.from(rawBody.toString().replace('"id":', '"id" :'));
        await expect(gateway.readEvent(other, signature)).rejects.toMatchObject(bad);
        wait(300_000);
        await expect(gateway.readEvent(rawBody, signature)).resolves.toBeTruthy();
        wait(1_000);
        await expect(gateway.readEvent(rawBody, signature)).rejects.toMatchObject(bad);
      });
    });

    describe('lookups', () => {
      it('of ids that do not exist find nothing', async () => {
        const { gateway } = rig;
        expect(await gateway.findCheckout('cs_test_unknown')).toBeNull();
        await gateway.expireCheckout('cs_test_unknown');
        expect(await gateway.findSubscription('sub_unknown')).toBeNull();
        expect(await gateway.listSubscriptions('cus_unknown')).toEqual([]);
        expect(await gateway.listInvoices('cus_unknown', 10)).toEqual([]);
      });

      it('list the latest invoices first, with numbers, descriptions and pages', async () => {
        const { id, customerId } = await subscribe();
        await endPeriod(id);
        await endPeriod(id);
        const all = await invoices(customerId);
        expect(all.map(({ createdAt }) => createdAt.toISOString().slice(0, 10))).toEqual([
          '2026-03-31',
          '2026-02-28',
          '2026-01-31',
        ]);
        expect(new Set(all.map(({ number }) => number)).size).toBe(3);
        for (const { description, url } of all) {
          expect(description).toContain('Starter');
          expect(url).toMatch(/^https?:/);
        }
        expect(await rig.gateway.listInvoices(customerId, 1)).toEqual(all.slice(0, 1));
      });

      it('go through every subscription', async () => {
        const made = [await subscribe(), await subscribe(), await subscribe()];
        const seen: string[] = [];
        for await (const { id } of rig.gateway.allSubscriptions()) seen.push(id);
        for (const { id } of made) expect(seen.filter((each) => each === id)).toEqual([id]);
        expect(new Set(seen).size).toBe(seen.length);
      });
    });

    describe('customers', () => {
      it('have a portal, which leads back', async () => {
        const { customerId } = await subscribe();
        const portal = { customerId, returnUrl: 'https://stolas.example/settings' };
        expect((await rig.gateway.createPortal(portal))?.url).toMatch(/^https?:/);
        await rig.gateway.removeCustomer(customerId);
        for (const gone of [customerId, 'cus_unknown'])
          expect(await rig.gateway.createPortal({ ...portal, customerId: gone })).toBeNull();
      });

      it('are removed with their subscriptions; a second time changes nothing', async () => {
        const { id, customerId } = await subscribe();
        await rig.gateway.removeCustomer(customerId);
        await rig.gateway.removeCustomer(customerId);
        await rig.gateway.removeCustomer('cus_unknown');
        expect((await find(id))?.status).toBe('ended');
        await expect(rig.gateway.createCheckout({ ...request(), customerId })).rejects.toEqual(
          refused('invalid'),
        );
        expect((await events()).map(({ type }) => type)).toContain('customer.subscription.deleted');
      });
    });
  });
}
