import { afterAll } from 'vitest';
import { ownDatabase } from '../../test/processes.ts';
import { connectMongo, createIndexes } from '../db/mongo.ts';
import { describeMessageSearch } from './conformance.fixture.ts';
import { createMongoMessageSearch, defineSearchModel } from './index.ts';

describeMessageSearch('MongoDB text index', async () => {
  const connection = await connectMongo(ownDatabase());
  afterAll(() => connection.close());
  const model = defineSearchModel(connection);
  await createIndexes(connection);
  return createMongoMessageSearch(model);
});
