import type { Config } from '../config.ts';
import type { PaymentGateway } from './port.ts';
import { createStripeGateway } from './stripe.ts';

export type * from './port.ts';
export { GatewayError, SignatureError } from './port.ts';

interface GatewayOptions {
  config: Pick<Config, 'STRIPE_SECRET_KEY' | 'STRIPE_API_URL'>;
}

/** The configured payment provider. Without one there should be no customers; removing one is an error. */
export function createPaymentGateway({
  config,
}: GatewayOptions): Pick<PaymentGateway, 'removeCustomer'> {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_URL: apiUrl } = config;
  if (secretKey !== undefined) return createStripeGateway({ secretKey, apiUrl });
  return {
    removeCustomer: async () => {
      throw new Error('STRIPE_SECRET_KEY is not set, and a payment customer is to be removed.');
    },
  };
}
