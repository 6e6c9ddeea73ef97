import { type Config, hasTestPayments, isLoopback, publicUrl } from '../config.ts';
import { AppError } from '../errors.ts';
import type { PaymentGateway } from './port.ts';
import { createStripeGateway } from './stripe/index.ts';

export type {
  ChangePreview,
  CheckoutRequest,
  GatewayInvoice,
  PaymentEvent,
  PaymentGateway,
  SubscriptionSnapshot,
} from './port.ts';
export { GatewayError, SignatureError } from './port.ts';
export { testPages } from './test-pages.ts';

/** Payments through Stripe, or through a server with its API at STRIPE_API_URL. */
export function createPaymentGateway(config: Config, now: () => Date): PaymentGateway {
  const gateway = createStripeGateway({
    secretKey: config.STRIPE_SECRET_KEY,
    webhookSecret: config.STRIPE_WEBHOOK_SECRET,
    apiUrl: config.STRIPE_API_URL,
    now,
  });
  return hasTestPayments(config) && !isLoopback(publicUrl(config))
    ? { ...gateway, ...NO_SALE }
    : gateway;
}

const refuseSale = async (): Promise<never> => {
  throw new AppError('not_supported', 'Payments are not set up on this server.');
};
/** Other machines reach the product, where purchases by test payments would be free for everyone. */
const NO_SALE = { createCheckout: refuseSale, changePrice: refuseSale };
