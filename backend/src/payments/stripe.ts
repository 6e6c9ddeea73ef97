import { Stripe } from 'stripe';
import type { PaymentGateway } from './port.ts';

const TIMEOUT_MS = 10_000;

/** Payments through Stripe; `apiUrl` differs from Stripe's only in tests. */
export function createStripeGateway({
  secretKey,
  apiUrl,
}: {
  secretKey: string;
  apiUrl: string;
}): Pick<PaymentGateway, 'removeCustomer'> {
  const { hostname, port, protocol } = new URL(apiUrl);
  const stripe = new Stripe(secretKey, {
    host: hostname,
    port: port || (protocol === 'http:' ? 80 : 443),
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: TIMEOUT_MS,
    telemetry: false,
  });
  return {
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
