import { openCustomerStore } from '../../embedded/stripe/customer-store.ts';
import { ownDatabase } from '../../test/processes.ts';
import { connectMongo } from '../db/mongo.ts';
import { describePayments } from './conformance.fixture.ts';
import { startStripe } from './stripe-server.fixture.ts';

describePayments('the embedded Stripe', async ({ prices, now }) => {
  const connection = await connectMongo(ownDatabase());
  const stripe = await startStripe({ store: await openCustomerStore(connection), prices, now });
  return {
    gateway: stripe.gateway(),
    simulator: stripe.simulator,
    deliver: stripe.deliver,
    close: async () => {
      stripe.close();
      await connection.close();
    },
  };
});
