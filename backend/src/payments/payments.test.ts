import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownDatabase } from '../../test/processes.ts';
import { type Config, ConfigError, ConfigSchema } from '../config.ts';
import { type Connection, connectMongo } from '../db/mongo.ts';
import { createPayments } from './index.ts';
import { addMonths, periodEndAfter, remainder } from './simulator/periods.ts';
import { pricesOf } from './simulator/prices.ts';

let connection: Connection;
const config = (env: Record<string, string>): Config =>
  ConfigSchema.parse({
    MONGODB_URI: 'mongodb://localhost',
    REDIS_URL: 'redis://localhost',
    S3_ENDPOINT: 'http://localhost',
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
    OPENAI_API_KEY: 'key',
    ...env,
  });
const create = (env: Record<string, string>) =>
  createPayments({ config: config(env), connection, now: () => new Date() });

beforeAll(async () => {
  connection = await connectMongo(ownDatabase());
});
afterAll(() => connection.close());

it('are tests without the key of a provider, and are not with one', () => {
  expect(create({}).gateway.isTest).toBe(true);
  const real = create({ STRIPE_SECRET_KEY: 'sk_test_1' });
  expect(real.gateway.isTest).toBe(false);
  expect(real.test).toBeNull();
});

it('are never tests in production', () => {
  const production = { NODE_ENV: 'production', STRIPE_SECRET_KEY: 'sk_live_1' };
  expect(create(production).test).toBeNull();
  expect(() => create({ NODE_ENV: 'production' })).toThrow(ConfigError);
  expect(() => create({ NODE_ENV: 'production' })).toThrow('STRIPE_SECRET_KEY');
});

it.each(['http://192.168.0.9:3000', 'https://chat.example.org'])(
  'sell nothing by tests at %s, which others open',
  async (PUBLIC_URL) => {
    const { gateway } = create({ NODE_ENV: 'development', PUBLIC_URL });
    const refused = { code: 'not_supported' };
    await expect(gateway.createCheckout({} as never)).rejects.toMatchObject(refused);
    await expect(gateway.changePrice({} as never)).rejects.toMatchObject(refused);
  },
);

it('have the configured prices with the amounts of the plans', () => {
  const prices = pricesOf(config({ STRIPE_PRICE_PRO: 'price_of_pro' }));
  expect(prices.map(({ id, amount }) => [id, amount])).toEqual([
    ['price_starter_month', 2_900],
    ['price_starter_year', 27_840],
    ['price_of_pro', 17_900],
    ['price_pro_year', 171_840],
  ]);
});

it.each([
  ['2026-01-31T10:00:00Z', 1, '2026-02-28T10:00:00.000Z'],
  ['2026-01-31T10:00:00Z', 2, '2026-03-31T10:00:00.000Z'],
  ['2024-01-31T10:00:00Z', 1, '2024-02-29T10:00:00.000Z'],
  ['2024-02-29T10:00:00Z', 12, '2025-02-28T10:00:00.000Z'],
  ['2026-12-31T23:59:59Z', 2, '2027-02-28T23:59:59.000Z'],
])('%s and %i months are %s', (anchor, months, end) => {
  expect(addMonths(new Date(anchor), months).toISOString()).toBe(end);
});

it('a period ends on the day of the anchor, after the instant that is asked for', () => {
  const anchor = new Date('2026-01-31T10:00:00Z');
  const ends = (after: string) => periodEndAfter(anchor, 'month', new Date(after)).toISOString();
  expect(ends('2026-02-28T09:59:59Z')).toBe('2026-02-28T10:00:00.000Z');
  expect(ends('2026-02-28T10:00:00Z')).toBe('2026-03-31T10:00:00.000Z');
});

it('what is left of a period costs its share of the price, in whole cents', () => {
  const period = { startsAt: new Date(0), endsAt: new Date(3_000) };
  expect(remainder(100, { ...period, now: new Date(0) })).toBe(100);
  expect(remainder(100, { ...period, now: new Date(1_000) })).toBe(67);
  expect(remainder(100, { ...period, now: new Date(2_999) })).toBe(33);
  expect(remainder(100, { ...period, now: new Date(9_000) })).toBe(0);
});
