import { beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../embedded/run/ports.ts';
import { startReceiver } from '../embedded/stripe/receiver.fixture.ts';
import { createStripeGateway } from '../src/payments/stripe/index.ts';
import { atEnd } from './at-end.ts';
import { ownDatabase, startProcess, type TestProcess } from './processes.ts';
import { TEST_KEY, WEBHOOK_SECRET } from './stripe.ts';

// The embedded Stripe as in `npm start`: a process that is killed and restarted.
const PAGES = 'http://localhost:3000';
const env = { STRIPE_SECRET_KEY: TEST_KEY, STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET };

let stripe: TestProcess;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let status = 200;

beforeAll(async () => {
  receiver = await startReceiver(() => status);
  atEnd(receiver.close);
  const port = String(await freePort());
  const args = ['--port', port, '--pages-url', `${PAGES}/`, '--webhook-url', receiver.url];
  stripe = await startProcess('embedded-stripe', {
    env: { ...env, MONGODB_URI: ownDatabase(), PORT: port },
    args,
  });
});

const gateway = () =>
  createStripeGateway({
    secretKey: TEST_KEY,
    apiUrl: stripe.url,
    webhookSecret: WEBHOOK_SECRET,
    now: () => new Date(),
  });
const page = (path: string, method = 'GET', headers = { authorization: `Bearer ${TEST_KEY}` }) =>
  fetch(`${stripe.url}${path}`, { method, headers, redirect: 'manual' });
const subscribe = async (key: string) => {
  const { id } = await gateway().createCheckout({
    ownerId: 'ada',
    customerId: null,
    email: 'ada@example.org',
    priceId: 'price_starter_month',
    ui: 'hosted',
    successUrl: `${PAGES}/?session_id={CHECKOUT_SESSION_ID}`,
    cancelUrl: PAGES,
    idempotencyKey: key,
  });
  await page(`/test-checkout/${id}/pay`, 'POST');
  const found = await gateway().findCheckout(id);
  return { id: found?.subscriptionId ?? '', customerId: found?.customerId ?? '', checkoutId: id };
};
const typesOf = async () => {
  const events = receiver.take();
  const read = events.map(({ rawBody, signature }) => gateway().readEvent(rawBody, signature));
  return (await Promise.all(read)).map(({ type }) => type);
};
const PAID = ['checkout.session.completed', 'customer.subscription.created', 'invoice.paid'];

describe('the embedded Stripe', () => {
  it('sends signed events to the webhook by itself', async () => {
    await subscribe('first');
    const got: string[] = [];
    await expect.poll(async () => got.push(...(await typesOf()))).toBeGreaterThanOrEqual(3);
    expect(got.toSorted()).toEqual(PAID);
  });

  it('keeps all data when it is killed, undelivered events included', async () => {
    status = 503;
    const { id, customerId, checkoutId } = await subscribe('second');
    await expect.poll(() => receiver.take().length).toBeGreaterThan(0);
    const before = await gateway().findSubscription(id);
    await stripe.restart();
    expect(await gateway().findSubscription(id)).toEqual(before);
    expect((await gateway().findCheckout(checkoutId))?.status).toBe('complete');
    expect(await gateway().listInvoices(customerId, 10)).toMatchObject([
      { status: 'paid', url: expect.stringContaining(`${PAGES}/test-invoice/`) },
    ]);
    receiver.take();
    status = 200;
    const got = new Set<string>();
    await expect
      .poll(async () => {
        for (const type of await typesOf()) got.add(type);
        return [...got].toSorted();
      })
      .toEqual(PAID);
  });

  it('a change that is repeated with its key after a kill is charged once', async () => {
    const { id: subscriptionId, customerId } = await subscribe('third');
    const headers = {
      authorization: `Bearer ${TEST_KEY}`,
      'stripe-version': '2026-10-28.endive',
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': 'one-change',
    };
    const found = await fetch(`${stripe.url}/v1/subscriptions/${subscriptionId}`, { headers });
    const { items } = (await found.json()) as { items: { data: { id: string }[] } };
    const change = (price: string) =>
      fetch(`${stripe.url}/v1/subscriptions/${subscriptionId}`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({
          'items[0][id]': items.data[0]?.id ?? '',
          'items[0][price]': price,
          'billing_cycle_anchor[type]': 'now',
          proration_behavior: 'always_invoice',
          payment_behavior: 'error_if_incomplete',
        }),
      });
    expect((await change('price_pro_month')).status).toBe(200);
    await stripe.restart();
    expect((await change('price_pro_month')).status).toBe(200);
    expect(await gateway().listInvoices(customerId, 10)).toHaveLength(2);
    // The key is bound to this change.
    expect((await change('price_pro_year')).status).toBe(400);
  });

  it.each(['/test-payments', '/test-checkout/x', '/v1/subscriptions?status=all'])(
    '%s answers only to the key of the product',
    async (path) => {
      for (const authorization of ['', 'Bearer sk_embedded_other']) {
        const answer = await page(path, 'GET', { authorization });
        expect(answer.status).toBe(401);
      }
    },
  );

  it('does not start without its key', async () => {
    const start = startProcess('embedded-stripe', { env: { STRIPE_SECRET_KEY: '' } });
    await expect(start).rejects.toThrow('The embedded Stripe needs');
  });
});
