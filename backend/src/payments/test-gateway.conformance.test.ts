import { randomBytes } from 'node:crypto';
import { ownDatabase } from '../../test/processes.ts';
import { connectMongo, createIndexes } from '../db/mongo.ts';
import { describePayments } from './conformance.ts';
import { startReceiver } from './receiver.fixture.ts';
import { createTestPayments } from './test-gateway/index.ts';

describePayments('test gateway', async ({ prices, now }) => {
  const connection = await connectMongo(ownDatabase());
  const makeId = (prefix: string) => `${prefix}_${randomBytes(16).toString('hex')}`;
  const pagesUrl = 'http://localhost:3000';
  const payments = createTestPayments({ connection, prices, pagesUrl, now, makeId });
  await createIndexes(connection);
  const receiver = await startReceiver();
  return {
    gateway: payments.gateway,
    simulator: payments.simulator,
    secret: payments.secret,
    deliver: async () => {
      await payments.delivery.deliverDue(receiver.url);
      return receiver.take();
    },
    close: async () => {
      await receiver.close();
      await connection.close();
    },
  };
});
