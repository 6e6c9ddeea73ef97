import { Types } from 'mongoose';
import { expect, it } from 'vitest';
import { testCore } from '../../../test/core.ts';
import { uploadsByKey } from './migrations.ts';

it('a grant of an earlier version has its key as id, also when the migration ended halfway and runs again', async () => {
  const { connection } = await testCore();
  const uploads = connection.collection<Record<string, unknown>>('uploads');
  await uploads.createIndex({ key: 1 }, { unique: true });
  const [ownerId, createdAt] = [new Types.ObjectId(), new Date(0)];
  const grant = { ownerId, purpose: 'chat', createdAt };
  const keys = ['a/1', 'a/2', 'a/3'];
  await uploads.insertMany(keys.map((key) => ({ ...grant, key })));
  await uploadsByKey.run(connection);
  // The process died between the two writes of the last one.
  await uploads.insertOne({ ...grant, key: 'a/3' });
  await uploadsByKey.run(connection);
  const expected = keys.map((_id) => ({ _id, ...grant }));
  expect(await uploads.find().sort({ _id: 1 }).toArray()).toEqual(expected);
  expect((await uploads.indexes()).map(({ name }) => name)).not.toContain('key_1');
});
