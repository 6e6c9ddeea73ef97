import type { Stripe } from 'stripe';
import type { Checkout, CheckoutRequest, CheckoutSnapshot } from '../port.ts';
import { idOf } from './client.ts';
import { orNull } from './errors.ts';

export function createCheckouts({ checkout: { sessions } }: Stripe) {
  const findCheckout = async (checkoutId: string): Promise<CheckoutSnapshot | null> => {
    const session = await orNull(sessions.retrieve(checkoutId));
    return session && snapshotOf(session);
  };

  return {
    createCheckout: async (request: CheckoutRequest): Promise<Checkout> => {
      const idempotencyKey = `checkout-${request.idempotencyKey}`;
      const {
        id,
        url,
        client_secret: clientSecret,
      } = await sessions.create(paramsOf(request), {
        idempotencyKey,
      });
      if (request.ui === 'embedded' && clientSecret) return { id, clientSecret };
      if (url) return { id, url };
      throw new Error(`Stripe gave checkout ${id} no address.`);
    },

    findCheckout,

    expireCheckout: async (checkoutId: string): Promise<void> => {
      const session = await orNull(sessions.retrieve(checkoutId));
      if (session?.status !== 'open') return;
      try {
        await sessions.expire(checkoutId);
      } catch (error) {
        // It may have been paid or expired in between.
        const found = await findCheckout(checkoutId);
        if (!found || found.status === 'open') throw error;
      }
    },
  };
}

function paramsOf({
  ownerId,
  customerId,
  email,
  priceId,
  ui,
  successUrl,
  cancelUrl,
}: CheckoutRequest): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'subscription',
    line_items: [{ price: priceId, quantity: 1 }],
    client_reference_id: ownerId,
    subscription_data: { metadata: { ownerId } },
    ...(customerId === null ? { customer_email: email } : { customer: customerId }),
    ...(ui === 'embedded'
      ? { ui_mode: 'elements', return_url: successUrl }
      : { ui_mode: 'hosted_page', success_url: successUrl, cancel_url: cancelUrl }),
  };
}

const ENDED = ['complete', 'expired'] as const;

const snapshotOf = ({
  id,
  client_reference_id: ownerId,
  customer,
  subscription,
  status,
}: Stripe.Checkout.Session): CheckoutSnapshot => ({
  id,
  ownerId,
  customerId: customer && idOf(customer),
  subscriptionId: subscription && idOf(subscription),
  status: ENDED.find((each) => each === status) ?? 'open',
});
