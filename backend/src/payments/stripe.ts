import { Stripe } from 'stripe';
import { GatewayError, type PaymentGateway } from './port.ts';

const TIMEOUT_MS = 10_000;

/** Payments through Stripe; `apiUrl` differs from Stripe's only in tests. */
export function createStripeGateway({
  secretKey,
  apiUrl,
}: {
  secretKey: string;
  webhookSecret: string | undefined;
  apiUrl: string;
  now: () => Date;
}): PaymentGateway {
  const { hostname, port, protocol } = new URL(apiUrl);
  const stripe = new Stripe(secretKey, {
    host: hostname,
    port: port || (protocol === 'http:' ? 80 : 443),
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: TIMEOUT_MS,
    telemetry: false,
  });
  const unavailable = async () => {
    throw new GatewayError('unavailable', 'Not built yet.');
  };
  return {
    isTest: false,
    createCheckout: unavailable,
    findCheckout: unavailable,
    expireCheckout: unavailable,
    findSubscription: unavailable,
    listSubscriptions: unavailable,
    // biome-ignore lint: not built yet
    allSubscriptions: async function* () {
      throw new GatewayError('unavailable', 'Not built yet.');
    },
    changePrice: unavailable,
    setCancellation: unavailable,
    cancelNow: unavailable,
    createPortal: unavailable,
    listInvoices: unavailable,
    readEvent: unavailable,
    removeCustomer: async (customerId) => {
      try {
        await stripe.customers.del(customerId);
      } catch (error) {
        const gone =
          error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';
        if (!gone) throw error;
      }
    },
  };
}
