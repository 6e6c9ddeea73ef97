import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import mongoose from 'mongoose';
import { startEmbeddedMongo } from '../mongo/server.ts';
import { openCustomerStore } from './customer-store.ts';
import { payCheckout } from './simulator/checkouts.ts';
import { createDelivery } from './simulator/delivery.ts';
import { createSimulator } from './simulator/simulator.ts';
import type { Price } from './simulator/state.ts';

export const START = new Date('2026-01-31T10:00:00Z');
const PRODUCT = 'http://localhost:3000';

export const PRICES: readonly Price[] = [
  { id: 'price_starter', name: 'Starter', interval: 'month', amount: 2_900 },
  { id: 'price_starter_year', name: 'Starter', interval: 'year', amount: 27_840 },
  { id: 'price_pro', name: 'Pro', interval: 'month', amount: 17_900 },
  { id: 'price_pro_year', name: 'Pro', interval: 'year', amount: 171_840 },
];

interface CheckoutOptions {
  ownerId?: string;
  priceId?: string;
  idempotencyKey?: string;
}

/** The simulated provider on a separate database, at a time set by the test. */
export async function openRig() {
  const dir = await mkdtemp(path.join(tmpdir(), 'embedded-stripe-'));
  const database = await startEmbeddedMongo({ dir, port: 0 });
  const uri = `mongodb://127.0.0.1:${database.port}/test`;
  const connection = await mongoose.createConnection(uri).asPromise();
  const clock = { now: START };
  const world = {
    now: () => clock.now,
    makeId: (prefix: string) => `${prefix}_${randomBytes(16).toString('hex')}`,
    prices: PRICES,
  };
  const store = await openCustomerStore(connection);
  /** The provider in another process. */
  const open = () => {
    const simulator = createSimulator({ store, world });
    return { simulator, delivery: createDelivery({ simulator, secret: 'whsec_1' }) };
  };
  const { simulator, delivery } = open();
  const stateOf = async (name: string) => {
    const state = await simulator.find(name);
    if (!state) throw new Error(`${name} is not stored.`);
    return state;
  };
  const checkout = async (options: CheckoutOptions = {}) => {
    const { ownerId = randomUUID(), priceId = 'price_starter' } = options;
    const { idempotencyKey: key = randomUUID() } = options;
    const request = {
      ownerId,
      customerId: null,
      email: 'ada@example.org',
      priceId,
      embedded: false,
      successUrl: `${PRODUCT}/?success=true&session_id={CHECKOUT_SESSION_ID}`,
      cancelUrl: `${PRODUCT}/subscription?canceled=true`,
    };
    return { id: await simulator.createCheckout(request, { key, asked: ownerId }), ownerId };
  };
  return {
    simulator,
    delivery,
    store,
    connection,
    clock,
    open,
    stateOf,
    checkout,
    subscribe: async (options: CheckoutOptions = {}) => {
      const { id: checkoutId, ownerId } = await checkout(options);
      await simulator.update(checkoutId, (draft) => payCheckout(draft, checkoutId));
      const { id: customerId, subscriptions } = await stateOf(checkoutId);
      return { id: subscriptions[0]?.id ?? '', customerId, checkoutId, ownerId };
    },
    close: async () => {
      await connection.close();
      await database.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export type StripeRig = Awaited<ReturnType<typeof openRig>>;
