import { randomBytes } from 'node:crypto';
import { type Config, ConfigError, isLoopback, publicUrl } from '../config.ts';
import type { Connection } from '../db/mongo.ts';
import { AppError } from '../errors.ts';
import type { PaymentGateway } from './port.ts';
import { pricesOf } from './simulator/prices.ts';
import { createStripeGateway } from './stripe/index.ts';
import { createTestPayments, type TestPayments } from './test-gateway/index.ts';

export type {
  ChangePreview,
  CheckoutRequest,
  GatewayInvoice,
  PaymentEvent,
  PaymentGateway,
  SubscriptionSnapshot,
} from './port.ts';
export { GatewayError, SignatureError } from './port.ts';

interface PaymentsOptions {
  config: Config;
  connection: Connection;
  now: () => Date;
}

export interface Payments {
  gateway: PaymentGateway;
  /** Null with a real provider. */
  test: TestPayments | null;
}

/** Payments through the configured provider; without one, outside production, test payments on this machine. */
export function createPayments({ config, connection, now }: PaymentsOptions): Payments {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = config;
  if (secretKey !== undefined)
    return {
      gateway: createStripeGateway({
        secretKey,
        webhookSecret,
        apiUrl: config.STRIPE_API_URL,
        now,
      }),
      test: null,
    };
  if (config.NODE_ENV === 'production') throw new ConfigError('STRIPE_SECRET_KEY is not set');
  const pagesUrl = publicUrl(config);
  const test = createTestPayments({ connection, prices: pricesOf(config), pagesUrl, now, makeId });
  return { gateway: isLoopback(pagesUrl) ? test.gateway : { ...test.gateway, ...NO_SALE }, test };
}

const refuseSale = async (): Promise<never> => {
  throw new AppError('not_supported', 'Payments are not set up on this server.');
};
/** Other machines reach the product: what is bought by test payments would be free for everybody. */
const NO_SALE = { createCheckout: refuseSale, changePrice: refuseSale };

const makeId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('hex')}`;
