import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownDatabase } from '../../test/processes.ts';
import { type Connection, connectMongo, isStandalone } from './mongo.ts';

let connection: Connection;
beforeAll(async () => {
  connection = await connectMongo(ownDatabase());
});
afterAll(() => connection.close());

it('acknowledges a write only when it is on disk on a majority of the members', () => {
  expect(connection.getClient().options.writeConcern).toMatchObject({
    w: 'majority',
    journal: true,
  });
});

it('ends a command of a request, with the repetition on a new connection, within 5 s', async () => {
  const requests = await connectMongo(ownDatabase(), 'requests');
  const { options } = requests.getClient();
  await requests.close();
  const { socketTimeoutMS, connectTimeoutMS, serverSelectionTimeoutMS, waitQueueTimeoutMS } =
    options;
  for (const first of [socketTimeoutMS, waitQueueTimeoutMS])
    for (const second of [socketTimeoutMS, connectTimeoutMS, serverSelectionTimeoutMS]) {
      expect(Math.min(first, second)).toBeGreaterThan(0);
      expect(first + second).toBeLessThan(5_000);
    }
});

it('recognises a standalone server', async () => {
  expect(await isStandalone(connection)).toBe(true);
});
