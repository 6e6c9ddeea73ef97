import { Stripe } from 'stripe';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PRICES } from '../../embedded/stripe/rig.fixture.ts';
import { startSubscription } from '../../embedded/stripe/simulator/subscriptions.ts';
import { createStripeGateway } from './stripe/index.ts';
import { type StripeServer, startStripe } from './stripe-server.fixture.ts';

const START = new Date('2026-01-31T10:00:00Z');

let server: StripeServer;

beforeEach(async () => {
  server = await startStripe({ now: () => START, prices: PRICES });
});
afterEach(() => server.close());

const gateway = (options: { secretKey?: string; timeoutMs?: number } = {}) =>
  server.gateway(options);
const request = {
  ownerId: 'user-1',
  customerId: null,
  email: 'ada@example.org',
  priceId: 'price_starter',
  ui: 'hosted' as const,
  successUrl: 'https://stolas.example/?session_id={CHECKOUT_SESSION_ID}',
  cancelUrl: 'https://stolas.example/?canceled=true',
  idempotencyKey: 'key-1',
};
const subscribe = async (priceId = 'price_starter') => {
  const { id } = await gateway().createCheckout({ ...request, priceId });
  await server.pay(id);
  const checkout = await gateway().findCheckout(id);
  server.seen();
  return { id: checkout?.subscriptionId ?? '', customerId: checkout?.customerId ?? '' };
};
const upgrade = (id: string) =>
  gateway().changePrice({
    subscriptionId: id,
    priceId: 'price_pro',
    when: 'now',
    idempotencyKey: 'key-2',
  });
const refused = (reason: string, message: string) =>
  expect.objectContaining({
    name: 'GatewayError',
    reason,
    message: expect.stringContaining(message) as string,
  }) as Error;
const writes = () => server.seen().filter(({ method }) => method !== 'GET');

it('requests the API version of the SDK', () => {
  // Read the changelog of the SDK before you raise this version.
  expect(Stripe.API_VERSION).toBe('2026-10-28.endive');
});

it('names the owner in the checkout and in its subscription', async () => {
  await gateway().createCheckout(request);
  expect(server.seen()).toMatchObject([
    {
      path: '/v1/checkout/sessions',
      key: 'checkout-key-1',
      body: {
        client_reference_id: 'user-1',
        customer_email: 'ada@example.org',
        subscription_data: { metadata: { ownerId: 'user-1' } },
        ui_mode: 'hosted_page',
      },
    },
  ]);
});

it('for the embedded form, a checkout has a client secret and no URL', async () => {
  const checkout = await gateway().createCheckout({ ...request, ui: 'embedded' });
  expect(checkout).toEqual({ id: checkout.id, clientSecret: `${checkout.id}_secret_1` });
  const [{ body } = { body: {} }] = server.seen();
  expect(body).toMatchObject({ ui_mode: 'elements', return_url: request.successUrl });
  expect(body).not.toHaveProperty('success_url');
  expect(body).not.toHaveProperty('cancel_url');
});

it('an upgrade is charged at once or refused, with its idempotency key', async () => {
  const { id } = await subscribe();
  await upgrade(id);
  expect(writes()).toMatchObject([
    {
      key: 'change-key-2',
      path: `/v1/subscriptions/${id}`,
      body: {
        billing_cycle_anchor: { type: 'now' },
        proration_behavior: 'always_invoice',
        payment_behavior: 'error_if_incomplete',
      },
    },
  ]);
});

it('an upgrade with a lost answer is repeated with the same key, and charged once', async () => {
  const { id, customerId } = await subscribe();
  server.fail({ on: 'POST', late: true });
  expect((await upgrade(id)).priceId).toBe('price_pro');
  expect(writes().map(({ key }) => key)).toEqual(['change-key-2', 'change-key-2']);
  expect(await gateway().listInvoices(customerId, 10)).toHaveLength(2);
});

it('an upgrade that was interrupted after the charge is completed by its repetition', async () => {
  const { id, customerId } = await subscribe();
  const change = { subscriptionId: id, priceId: 'price_starter_year', when: 'periodEnd' as const };
  await gateway().changePrice({ ...change, idempotencyKey: 'key-4' });
  // The charge succeeds; the schedule is not released.
  const cut = {
    on: 'POST' as const,
    status: 400,
    error: { type: 'invalid_request_error', message: 'cut' },
  };
  server.fail({ on: 'POST', late: true }, cut);
  await expect(upgrade(id)).rejects.toThrow('cut');
  expect(await upgrade(id)).toMatchObject({ priceId: 'price_pro', pendingPriceId: null });
  expect(await gateway().listInvoices(customerId, 10)).toHaveLength(2);
});

it('an interrupted change at the end of the period is completed by its repetition', async () => {
  const { id } = await subscribe('price_pro');
  const change = {
    subscriptionId: id,
    priceId: 'price_starter',
    when: 'periodEnd' as const,
    idempotencyKey: 'key-5',
  };
  // The schedule is created and gets no phases.
  server.fail(
    { on: 'POST', late: true },
    { on: 'POST', status: 400, error: { type: 'invalid_request_error', message: 'cut' } },
  );
  await expect(gateway().changePrice(change)).rejects.toThrow('cut');
  expect((await gateway().findSubscription(id))?.pendingPriceId).toBeNull();
  expect((await gateway().changePrice(change)).pendingPriceId).toBe('price_starter');
});

it('a subscription that ended meanwhile stays ended', async () => {
  const { id } = await subscribe();
  server.fail({ on: 'DELETE', late: true });
  await gateway().cancelNow(id);
  expect((await gateway().findSubscription(id))?.status).toBe('ended');
  await expect(gateway().cancelNow('sub_unknown')).rejects.toEqual(refused('invalid', 'No such'));
});

it('an ended one is not ended again', async () => {
  const { id } = await subscribe();
  await gateway().cancelNow(id);
  const checkout = await gateway().createCheckout({ ...request, idempotencyKey: 'key-6' });
  await gateway().expireCheckout(checkout.id);
  server.seen();
  await gateway().cancelNow(id);
  await gateway().expireCheckout(checkout.id);
  expect(writes()).toEqual([]);
});

it('a checkout that was paid before its expiry stays complete', async () => {
  const { id } = await gateway().createCheckout(request);
  const expiring = { type: 'invalid_request_error', message: 'not open' };
  server.fail({ on: 'POST', status: 400, error: expiring });
  await expect(gateway().expireCheckout(id)).rejects.toEqual(refused('invalid', 'not open'));
  server.fail({ on: 'POST', status: 400, error: expiring, late: true });
  await gateway().expireCheckout(id);
  expect((await gateway().findCheckout(id))?.status).toBe('expired');
});

it.each([
  [
    402,
    { type: 'card_error', code: 'card_declined', message: 'Your card has expired.' },
    'declined',
    'Your card has expired.',
  ],
  [
    402,
    {
      type: 'card_error',
      code: 'subscription_payment_intent_requires_action',
      message: 'API text',
    },
    'declined',
    'Your bank asks you to confirm',
  ],
  [402, { type: 'invalid_request_error', message: 'Not paid' }, 'declined', 'Not paid'],
  [400, { type: 'invalid_request_error', message: 'No such price' }, 'invalid', 'No such price'],
  [400, { type: 'idempotency_error', message: 'Other parameters' }, 'invalid', 'Other parameters'],
  [429, { type: 'rate_limit_error', message: 'Too many' }, 'unavailable', 'Too many'],
  [500, { type: 'api_error', message: 'Broken' }, 'unavailable', 'Broken'],
  [
    409,
    { type: 'invalid_request_error', code: 'lock_timeout', message: 'Busy' },
    'unavailable',
    'Busy',
  ],
  [403, { type: 'invalid_request_error', message: 'Not allowed' }, 'unavailable', 'Not allowed'],
])('%i %j is %s', async (status, error, reason, message) => {
  const { id } = await subscribe();
  server.fail(...Array.from({ length: 3 }, () => ({ on: 'POST' as const, status, error })));
  await expect(upgrade(id)).rejects.toEqual(refused(reason, message));
});

it('a wrong key, a server that hangs up and one that is silent are unavailable', async () => {
  await expect(gateway({ secretKey: 'sk_wrong' }).findCheckout('cs_1')).rejects.toEqual(
    refused('unavailable', 'Invalid API Key'),
  );
  for (const hangs of [false, true]) {
    server.fail(...Array.from({ length: 3 }, () => ({ on: 'GET' as const, hangs })));
    await expect(gateway({ timeoutMs: 50 }).findCheckout('cs_1')).rejects.toEqual(
      refused('unavailable', ''),
    );
  }
});

it('an event is not read without the secret', async () => {
  const unsigned = createStripeGateway({
    secretKey: 'sk_test_1',
    apiUrl: server.url,
    webhookSecret: undefined,
    now: () => START,
  });
  await expect(unsigned.readEvent(Buffer.from('{}'), 't=1,v1=x')).rejects.toEqual(
    refused('unavailable', 'STRIPE_WEBHOOK_SECRET'),
  );
});

it('fails to remove a customer when Stripe refuses, so that the job is retried', async () => {
  const { customerId } = await subscribe();
  const error = { type: 'invalid_request_error', message: 'Not allowed' };
  server.fail({ on: 'DELETE', status: 403, error });
  await expect(gateway().removeCustomer(customerId)).rejects.toThrow('Not allowed');
});

it('goes through the pages of a list', async () => {
  const { customerId } = await subscribe();
  await server.simulator.update(customerId, (draft) => {
    for (const price of [...PRICES, ...PRICES])
      startSubscription(draft, { ownerId: 'user-1', price });
  });
  const listed = await gateway().listSubscriptions(customerId);
  expect(new Set(listed.map(({ id }) => id)).size).toBe(9);
  const pages = server.seen().filter(({ path }) => path === '/v1/subscriptions');
  expect(pages).toHaveLength(3);
});
