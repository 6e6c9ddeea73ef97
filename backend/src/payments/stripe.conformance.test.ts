import { randomBytes } from 'node:crypto';
import { Stripe } from 'stripe';
import { describePayments } from './conformance.ts';
import { startReceiver } from './receiver.fixture.ts';
import { createDelivery } from './simulator/delivery.ts';
import { createMemoryStore } from './simulator/memory-store.fixture.ts';
import { createSimulator } from './simulator/simulator.ts';
import { createStripeGateway } from './stripe/index.ts';
import { SECRET_KEY, startStripeServer } from './stripe/server.fixture.ts';

const WEBHOOK_SECRET = 'whsec_1';

describePayments('Stripe', async ({ prices, now }) => {
  const makeId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;
  const simulator = createSimulator({
    store: createMemoryStore(),
    world: { now, makeId, prices },
  });
  const secret = async () => WEBHOOK_SECRET;
  const apiVersion = Stripe.API_VERSION;
  const delivery = createDelivery({ simulator, secret, now, apiVersion });
  const [server, receiver] = await Promise.all([startStripeServer(simulator), startReceiver()]);
  return {
    gateway: createStripeGateway({
      secretKey: SECRET_KEY,
      apiUrl: server.url,
      webhookSecret: WEBHOOK_SECRET,
      now,
    }),
    simulator,
    secret,
    deliver: async () => {
      await delivery.deliverDue(receiver.url);
      return receiver.take();
    },
    close: async () => {
      await receiver.close();
      await server.close();
    },
  };
});
