import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { migrate } from '../../db/migrate.ts';
import { type Connection, connectMongo, createIndexes } from '../../db/mongo.ts';
import { defineModels } from './feature.ts';
import { unusedData } from './migrations.ts';

let connection: Connection;

beforeAll(async () => {
  connection = await connectMongo(ownDatabase());
  defineModels(connection);
});
afterAll(() => connection.close());

const indexesOf = async (collection: string) =>
  (await connection.collection(collection).listIndexes().toArray()).map(
    ({ name }) => name as string,
  );

it('drops the remains of earlier versions and keeps all else, also when it is repeated', async () => {
  await createIndexes(connection);
  const used = [await indexesOf('data_exports'), await indexesOf('deletion_receipts')];
  await connection.collection('data_exports').createIndex({ touchedAt: 1 });
  await connection.collection('deletion_receipts').createIndex({ nextAt: 1 }, { sparse: true });
  await connection.collection('test_gateway_secrets').insertOne({ secret: 'whsec_1' });
  await migrate(connection, [unusedData]);
  await unusedData.run(connection);
  expect([await indexesOf('data_exports'), await indexesOf('deletion_receipts')]).toEqual(used);
  const collections = await connection.listCollections();
  expect(collections.map(({ name }) => name)).not.toContain('test_gateway_secrets');
});

it('does nothing in a new database', async () => {
  const fresh = await connectMongo(ownDatabase());
  await expect(migrate(fresh, [unusedData])).resolves.toEqual([]);
  await fresh.close();
});
