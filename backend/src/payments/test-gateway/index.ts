import type { Router } from 'express';
import { Stripe } from 'stripe';
import type { Connection } from '../../db/mongo.ts';
import type { RateLimit } from '../../http/index.ts';
import type { PaymentGateway } from '../port.ts';
import { createDelivery, type Delivery } from '../simulator/delivery.ts';
import { createSimulator, type Simulator } from '../simulator/simulator.ts';
import type { Price } from '../simulator/state.ts';
import { createTestCustomerStore, defineTestCustomerModel } from './customer-model.ts';
import { createTestGateway } from './gateway.ts';
import { testPages } from './pages/routes.ts';
import { defineTestSecretModel, webhookSecret } from './secret-model.ts';

interface TestPaymentsDeps {
  connection: Connection;
  prices: readonly Price[];
  /** Where users open the product, without a slash at the end. */
  pagesUrl: string;
  now: () => Date;
  makeId: (prefix: string) => string;
}

/** Test payments of this installation. */
export interface TestPayments {
  gateway: PaymentGateway;
  simulator: Simulator;
  /** What signs the events. */
  secret: () => Promise<string>;
  /** The pages that take the place of the provider's, for the root of a web process. */
  pages: (tools: { rateLimit: RateLimit }) => Router;
  /** One process that delivers is enough, more do no harm. */
  delivery: Delivery;
}

/** The provider's place is taken by its state in the database: docs/decisions/0018-test-gateway.md. */
export function createTestPayments(deps: TestPaymentsDeps): TestPayments {
  const { connection, prices, pagesUrl, now, makeId } = deps;
  const secrets = defineTestSecretModel(connection);
  const store = createTestCustomerStore(defineTestCustomerModel(connection));
  const simulator = createSimulator({ store, world: { now, makeId, prices } });
  let known: Promise<string> | undefined;
  const secret = () => {
    known ??= webhookSecret(secrets, () => makeId('whsec')).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return {
    gateway: createTestGateway({ simulator, secret, makeId, now, pagesUrl }),
    pages: ({ rateLimit }) => testPages({ simulator, prices, now, rateLimit }),
    simulator,
    secret,
    delivery: createDelivery({ simulator, secret, now, apiVersion: Stripe.API_VERSION }),
  };
}
