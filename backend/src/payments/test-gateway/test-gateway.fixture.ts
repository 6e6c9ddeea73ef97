import { randomBytes, randomUUID } from 'node:crypto';
import { ownDatabase } from '../../../test/processes.ts';
import { connectMongo, createIndexes } from '../../db/mongo.ts';
import { PRICES } from '../conformance.ts';
import { payCheckout } from '../simulator/checkouts.ts';
import { createTestPayments } from './index.ts';

export const START = new Date('2026-01-31T10:00:00Z');
const PAGES_URL = 'http://localhost:3000';

const makeId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('hex')}`;

interface CheckoutOptions {
  ownerId?: string;
  priceId?: string;
  idempotencyKey?: string;
}

/** The test gateway on a database of its own, at a time that the test sets. */
export async function openTestGateway() {
  const connection = await connectMongo(ownDatabase());
  const clock = { now: START };
  const open = () =>
    createTestPayments({
      connection,
      prices: PRICES,
      pagesUrl: PAGES_URL,
      now: () => clock.now,
      makeId,
    });
  const payments = open();
  await createIndexes(connection);
  const { gateway, simulator } = payments;

  const checkout = async (options: CheckoutOptions = {}) => {
    const { ownerId = randomUUID(), priceId = 'price_starter' } = options;
    const { idempotencyKey = randomUUID() } = options;
    const { id } = await gateway.createCheckout({
      ownerId,
      customerId: null,
      email: 'ada@example.org',
      priceId,
      ui: 'hosted',
      successUrl: `${PAGES_URL}/?success=true&session_id={CHECKOUT_SESSION_ID}`,
      cancelUrl: `${PAGES_URL}/subscription?canceled=true`,
      idempotencyKey,
    });
    return { id, ownerId };
  };
  const subscribe = async (options: CheckoutOptions = {}) => {
    const { id: checkoutId, ownerId } = await checkout(options);
    await simulator.update(checkoutId, (draft) => payCheckout(draft, checkoutId));
    const found = await gateway.findCheckout(checkoutId);
    const id = found?.subscriptionId ?? '';
    return { id, customerId: found?.customerId ?? '', checkoutId, ownerId };
  };
  return { ...payments, connection, clock, checkout, subscribe, reopen: open };
}
