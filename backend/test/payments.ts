import { randomBytes } from 'node:crypto';
import { Stripe } from 'stripe';
import { afterAll } from 'vitest';
import { PLANS } from '../src/contract/plans.ts';
import { type Received, startReceiver } from '../src/payments/receiver.fixture.ts';
import { payCheckout } from '../src/payments/simulator/checkouts.ts';
import { createDelivery } from '../src/payments/simulator/delivery.ts';
import { createMemoryStore } from '../src/payments/simulator/memory-store.fixture.ts';
import { createSimulator } from '../src/payments/simulator/simulator.ts';
import { SECRET_KEY, startStripeServer } from '../src/payments/stripe/server.fixture.ts';
import { startTcpProxy } from './tcp-proxy.ts';

const WEBHOOK_SECRET = 'whsec_of_tests';

/** A payment provider that speaks Stripe's protocol; what it reports is sent when the test says so. */
export async function startPayments() {
  const now = () => new Date();
  const simulator = createSimulator({
    store: createMemoryStore(),
    world: {
      now,
      makeId: (prefix) => `${prefix}_${randomBytes(12).toString('hex')}`,
      prices: PLANS.flatMap(({ id, name, price, yearlyPrice }) => [
        { id: `price_${id}_month`, name, interval: 'month' as const, amount: price * 100 },
        { id: `price_${id}_year`, name, interval: 'year' as const, amount: yearlyPrice * 100 },
      ]),
    },
  });
  const secret = async () => WEBHOOK_SECRET;
  const delivery = createDelivery({ simulator, secret, now, apiVersion: Stripe.API_VERSION });
  const [server, receiver] = await Promise.all([startStripeServer(simulator), startReceiver()]);
  afterAll(async () => {
    await receiver.close();
    await server.close();
  });
  const proxy = await startTcpProxy(Number(new URL(server.url).port));
  return {
    simulator,
    /** The way of the product to the provider. */
    proxy,
    /** The settings of a product that pays here. */
    env: {
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_URL: `http://127.0.0.1:${proxy.port}`,
    },
    pay: (checkoutId: string) =>
      simulator.update(checkoutId, (draft) => payCheckout(draft, checkoutId)),
    subscriptionOf: async (checkoutId: string) =>
      (await simulator.find(checkoutId))?.checkouts.find(({ id }) => id === checkoutId)
        ?.subscriptionId ?? '',
    /** The events since the last call, signed, without sending them. */
    events: async (): Promise<Received[]> => {
      await delivery.deliverDue(receiver.url);
      return receiver.take();
    },
  };
}

/** Sends an event as the provider does. */
export const postEvent = ({ rawBody, signature }: Received, url: string): Promise<Response> =>
  fetch(`${url}/api/stripe/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body: new Uint8Array(rawBody),
  });

export const eventId = ({ rawBody }: Received): string =>
  (JSON.parse(rawBody.toString()) as { id: string }).id;

/** The id of a checkout in the address of its page. */
export const checkoutIdIn = (url: string): string => /cs_\w+/.exec(url)?.[0] ?? '';
