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

it('recognises a standalone server', async () => {
  expect(await isStandalone(connection)).toBe(true);
});
