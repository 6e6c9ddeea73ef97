import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConfigError, hasTestPayments, parseConfig } from '../config.ts';
import { createPaymentGateway } from './index.ts';
import { type StripeServer, startStripe } from './stripe-server.fixture.ts';

let stripe: StripeServer;
const PUBLIC_URLS = ['http://192.168.0.9:3000', 'https://chat.example.org'];

beforeAll(async () => {
  stripe = await startStripe();
});
afterAll(() => stripe.close());

const config = (env: Record<string, string>) =>
  parseConfig({ ...process.env, STRIPE_API_URL: stripe.url, ...env });
const REQUEST = {
  ownerId: 'ada',
  customerId: null,
  email: 'ada@example.org',
  priceId: 'price_pro_month',
  ui: 'hosted' as const,
  successUrl: 'http://localhost:3000/',
  cancelUrl: 'http://localhost:3000/',
};
const buy = (env: Record<string, string>) =>
  createPaymentGateway(config(env), () => new Date()).createCheckout({
    ...REQUEST,
    idempotencyKey: JSON.stringify(env),
  });

it('are tests with the key of the embedded Stripe, and are not with another one', async () => {
  expect(hasTestPayments(config({}))).toBe(true);
  for (const STRIPE_SECRET_KEY of ['sk_test_1', 'sk_live_1', 'rk_live_1'])
    expect(hasTestPayments(config({ STRIPE_SECRET_KEY }))).toBe(false);
  expect(await buy({})).toMatchObject({ url: expect.stringContaining('/test-checkout/') });
});

it('are never tests in production', () => {
  const production = { ...process.env, NODE_ENV: 'production' };
  expect(() => parseConfig(production)).toThrow(ConfigError);
  expect(() => parseConfig(production)).toThrow('STRIPE_SECRET_KEY: must be a key of Stripe');
  expect(() => parseConfig({ ...production, STRIPE_SECRET_KEY: 'sk_live_1' })).not.toThrow(
    'STRIPE_SECRET_KEY',
  );
});

it.each(PUBLIC_URLS)(
  'sell nothing by tests at %s, which other machines reach',
  async (PUBLIC_URL) => {
    const env = { NODE_ENV: 'development', PUBLIC_URL };
    const refused = { code: 'not_supported' };
    await expect(buy(env)).rejects.toMatchObject(refused);
    const payments = createPaymentGateway(config(env), () => new Date());
    await expect(payments.changePrice({} as never)).rejects.toMatchObject(refused);
    // A real provider sells there.
    const real = buy({ ...env, STRIPE_SECRET_KEY: 'sk_test_1' });
    await expect(real).rejects.toMatchObject({ name: 'GatewayError', reason: 'unavailable' });
  },
);
