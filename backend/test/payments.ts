import type { Received } from '../embedded/stripe/receiver.fixture.ts';
import { startStripe } from '../src/payments/stripe-server.fixture.ts';
import { atEnd } from './at-end.ts';
import { TEST_KEY, WEBHOOK_SECRET } from './stripe.ts';
import { startTcpProxy } from './tcp-proxy.ts';

/** The embedded Stripe in the test's process; its events are sent when the test says so. */
export async function startPayments({ pagesUrl }: { pagesUrl?: string } = {}) {
  const stripe = await startStripe(pagesUrl === undefined ? {} : { pagesUrl });
  atEnd(stripe.close);
  const proxy = await startTcpProxy(Number(new URL(stripe.url).port));
  return {
    simulator: stripe.simulator,
    /** The proxy between the product and the provider. */
    proxy,
    /** The settings of a product with this provider. */
    env: {
      STRIPE_SECRET_KEY: TEST_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_URL: `http://127.0.0.1:${proxy.port}`,
    },
    pay: stripe.pay,
    subscriptionOf: async (checkoutId: string) =>
      (await stripe.simulator.find(checkoutId))?.checkouts.find(({ id }) => id === checkoutId)
        ?.subscriptionId ?? '',
    /** The events since the last call, signed, without sending them. */
    events: stripe.deliver,
    /** From now on events are sent to a web process automatically, until the test file ends. */
    sendEvents: (url: string) =>
      atEnd(
        stripe.delivery.start({
          webhookUrl: `${url}/api/stripe/webhook`,
          onError: (error) => {
            throw error;
          },
        }),
      ),
  };
}

export type Payments = Awaited<ReturnType<typeof startPayments>>;

/** Sends an event as the provider does. */
export const postEvent = ({ rawBody, signature }: Received, url: string): Promise<Response> =>
  fetch(`${url}/api/stripe/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body: new Uint8Array(rawBody),
  });

export const eventId = ({ rawBody }: Received): string =>
  (JSON.parse(rawBody.toString()) as { id: string }).id;

/** The id of a checkout in the URL of its page. */
export const checkoutIdIn = (url: string): string => /cs_\w+/.exec(url)?.[0] ?? '';
