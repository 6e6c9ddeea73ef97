import { GatewayError, type PaymentGateway } from '../port.ts';
import { createCheckouts } from './checkouts.ts';
import { createStripeClient, idOf, type StripeOptions } from './client.ts';
import { orNull, toGatewayError } from './errors.ts';
import { readSignedEvent } from './events.ts';
import { createInvoices } from './invoices.ts';
import { createSubscriptions } from './subscriptions.ts';
import { withErrors } from './typed-errors.ts';

interface StripeGatewayOptions extends StripeOptions {
  /** Verifies events; without it none is accepted. */
  webhookSecret: string | undefined;
  now: () => Date;
}

/** Payments through Stripe. */
export function createStripeGateway(options: StripeGatewayOptions): PaymentGateway {
  const { webhookSecret: secret, now } = options;
  const stripe = createStripeClient(options);
  const { statusOf, listInvoices } = createInvoices(stripe);

  const customerOfCharge = async (chargeId: string): Promise<string | null> => {
    const charge = await orNull(stripe.charges.retrieve(chargeId));
    return charge?.customer ? idOf(charge.customer) : null;
  };

  const gateway: PaymentGateway = {
    ...createCheckouts(stripe),
    ...createSubscriptions(stripe, { statusOf, now }),
    listInvoices,
    createPortal: async ({ customerId, returnUrl }) => {
      const portal = { customer: customerId, return_url: returnUrl };
      const session = await orNull(stripe.billingPortal.sessions.create(portal));
      return session && { url: session.url };
    },
    readEvent: async (rawBody, signature) => {
      if (secret === undefined)
        throw new GatewayError('unavailable', 'STRIPE_WEBHOOK_SECRET is not set.');
      return readSignedEvent({ rawBody, signature }, { secret, customerOfCharge, now });
    },
    removeCustomer: async (customerId) => {
      await orNull(stripe.customers.del(customerId));
    },
  };
  return withErrors(gateway, toGatewayError);
}
