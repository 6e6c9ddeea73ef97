// The embedded Stripe as a process of `npm start`: `--port <n> --pages-url <url> --webhook-url <url>`. The key for requests, the secret
// that signs events, the ids of the prices and the database are settings of the product.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import mongoose from 'mongoose';
import { closeHttp, listen } from '../run/listen.ts';
import { StartError } from '../run/start-error.ts';
import { openCustomerStore } from '../stripe/customer-store.ts';
import { createStripe } from '../stripe/server.ts';
import { createDelivery } from '../stripe/simulator/delivery.ts';
import { priceSettings, pricesOf } from '../stripe/simulator/prices.ts';
import { createSimulator } from '../stripe/simulator/simulator.ts';
import { serve } from './serve.ts';

/** Acknowledged writes survive a failover, as in the product. */
const DATABASE = {
  autoIndex: false,
  writeConcern: { w: 'majority' as const, journal: true },
};

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'pages-url': { type: 'string', default: 'http://localhost:3000' },
    'webhook-url': { type: 'string', default: 'http://127.0.0.1:3000/api/stripe/webhook' },
  },
});

await serve(async () => {
  const { MONGODB_URI, STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: secret } = process.env;
  if (!MONGODB_URI || !secretKey || !secret)
    throw new StartError(
      'The embedded Stripe needs MONGODB_URI, STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.',
    );
  const connection = await mongoose.createConnection(MONGODB_URI, DATABASE).asPromise();
  const simulator = createSimulator({
    store: await openCustomerStore(connection),
    world: {
      now: () => new Date(),
      makeId: (prefix) => `${prefix}_${randomBytes(16).toString('hex')}`,
      prices: pricesOf(priceSettings(process.env)),
    },
  });
  const pagesUrl = values['pages-url'].replace(/(?<!\/)\/+$/, '');
  const server = createServer(createStripe({ simulator, secretKey, pagesUrl, pageSize: 100 }));
  const port = await listen(server, Number(values.port));
  const stopDelivery = createDelivery({ simulator, secret }).start({
    webhookUrl: values['webhook-url'],
    onError: (error) => console.error(error),
  });
  return {
    port,
    close: async () => {
      await stopDelivery();
      await closeHttp(server);
      await connection.close();
    },
  };
});
