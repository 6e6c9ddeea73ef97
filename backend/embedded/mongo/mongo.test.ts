import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import mongoose, { type Connection, Types } from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedMongo, startEmbeddedMongo } from './server.ts';

// The behaviour that the product relies on, tested through the product's driver.
let dir: string;
let server: EmbeddedMongo;
let connection: Connection;
let failures: unknown[];

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'embedded-mongo-'));
  failures = [];
  server = await startEmbeddedMongo({
    dir,
    port: 0,
    maintenanceMs: 50,
    report: (error) => failures.push(error),
  });
  connection = await mongoose
    .createConnection(`mongodb://127.0.0.1:${server.port}/test`)
    .asPromise();
});

afterAll(async () => {
  await connection.close();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

interface Thing {
  _id: number;
  room?: number;
  tags?: string[];
  active?: boolean;
  at?: Date;
  attempt?: number;
  conversation?: number;
  email?: string;
  expiresAt?: Date | string;
  holds?: { id: number }[];
  items?: { k: string; n: number; old?: boolean }[];
  kind?: string | number;
  a?: unknown;
  m?: number;
  n?: number;
  owner?: Types.ObjectId;
  spent?: number;
  status?: string;
  text?: string;
}

let things: ReturnType<typeof collection>;
let collections = 0;
const collection = () => connection.collection<Thing>(`things${++collections}`);
beforeEach(() => {
  things = collection();
});
// A refusal is an answer; a failure is a bug of the server.
afterEach(() => {
  if (failures.length > 0) throw new AggregateError(failures.splice(0), 'The server failed.');
});

const times = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));
const idsOf = (docs: { _id: unknown }[]) => docs.map(({ _id }) => _id);

describe('guarded updates', () => {
  test('only one of many updates that expect the same state succeeds', async () => {
    await things.insertOne({ _id: 1, status: 'queued', attempt: 0 });
    const claims = await Promise.all(
      times(50, () =>
        things.findOneAndUpdate(
          { _id: 1, status: 'queued' },
          { $set: { status: 'streaming' }, $inc: { attempt: 1 } },
          { returnDocument: 'after' },
        ),
      ),
    );
    expect(claims.filter(Boolean)).toEqual([{ _id: 1, status: 'streaming', attempt: 1 }]);
  });

  test('a counter never exceeds its limit', async () => {
    await things.insertOne({ _id: 1, spent: 0, holds: [] });
    const results = await Promise.all(
      times(40, (i) =>
        things.updateOne(
          { _id: 1, spent: { $lt: 100 }, 'holds.id': { $ne: i } },
          { $inc: { spent: 10 }, $push: { holds: { id: i } } },
        ),
      ),
    );
    expect(results.filter((result) => result.modifiedCount === 1)).toHaveLength(10);
    const account = await things.findOne({ _id: 1 });
    expect(account).toMatchObject({ spent: 100 });
    expect(account?.holds).toHaveLength(10);
  });

  test('an upsert takes its values from the filter and from $setOnInsert', async () => {
    const upsert = () =>
      things.updateOne(
        { _id: 1, kind: 'a' },
        { $set: { n: 2 }, $setOnInsert: { m: 3 } },
        { upsert: true },
      );
    expect((await upsert()).upsertedId).toBe(1);
    expect((await upsert()).upsertedCount).toBe(0);
    expect(await things.findOne({ _id: 1 })).toEqual({ _id: 1, kind: 'a', n: 2, m: 3 });
  });

  test('an update without a change matches and modifies nothing', async () => {
    await things.insertOne({ _id: 1, a: 1 });
    const result = await things.updateOne({ _id: 1 }, { $set: { a: 1 } });
    expect([result.matchedCount, result.modifiedCount]).toEqual([1, 0]);
  });

  test('changes the array element that the filter matched', async () => {
    await things.insertOne({
      _id: 1,
      items: [
        { k: 'a', n: 1 },
        { k: 'b', n: 1 },
      ],
    });
    await things.updateOne({ _id: 1, 'items.k': 'b' }, { $inc: { 'items.$.n': 5 } });
    await things.updateOne(
      { _id: 1 },
      { $set: { 'items.$[x].old': true } },
      { arrayFilters: [{ 'x.n': 1 }] },
    );
    expect((await things.findOne({ _id: 1 }))?.items).toEqual([
      { k: 'a', n: 1, old: true },
      { k: 'b', n: 6 },
    ]);
  });
});

describe('unique indexes', () => {
  const duplicate = { code: 11_000 };

  test('a second document with the value is refused with the name of the index', async () => {
    await things.createIndex({ email: 1 }, { unique: true, sparse: true });
    await things.insertMany([{ _id: 1, email: 'a' }, { _id: 2 }, { _id: 3 }]);
    await expect(things.insertOne({ _id: 4, email: 'a' })).rejects.toMatchObject({
      ...duplicate,
      keyPattern: { email: 1 },
      keyValue: { email: 'a' },
    });
    await expect(things.updateOne({ _id: 2 }, { $set: { email: 'a' } })).rejects.toMatchObject(
      duplicate,
    );
    expect(await things.findOne({ _id: 2 })).toEqual({ _id: 2 });
  });

  test('a partial one applies only to the documents under its filter', async () => {
    await things.createIndex(
      { conversation: 1, active: 1 },
      { unique: true, partialFilterExpression: { active: true } },
    );
    await things.insertMany([
      { _id: 1, conversation: 7, active: true },
      { _id: 2, conversation: 7 },
      { _id: 3, conversation: 7 },
    ]);
    const activate = () => things.updateOne({ _id: 2 }, { $set: { active: true } });
    await expect(activate()).rejects.toMatchObject(duplicate);
    await things.updateOne({ _id: 1 }, { $unset: { active: 1 } });
    expect((await activate()).modifiedCount).toBe(1);
    expect(idsOf(await things.find({ conversation: 7, active: true }).toArray())).toEqual([2]);
    expect(await things.countDocuments({ conversation: 7 })).toBe(3);
  });

  test('an ordered insertMany stops at a duplicate, an unordered one continues', async () => {
    await things.insertOne({ _id: 2 });
    const docs = [{ _id: 1 }, { _id: 2 }, { _id: 3 }];
    await expect(things.insertMany(docs)).rejects.toMatchObject(duplicate);
    expect(await things.countDocuments()).toBe(2);
    const rest = docs.map(({ _id }) => ({ _id: _id + 10 }));
    await things.insertOne({ _id: 12 });
    await expect(things.insertMany(rest, { ordered: false })).rejects.toMatchObject(duplicate);
    expect(await things.countDocuments()).toBe(5);
  });

  test('an index that existing documents violate is not built, and the collection stays unchanged', async () => {
    await things.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 1 },
    ]);
    await expect(things.createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject(duplicate);
    expect((await things.indexes()).map(({ name }) => name)).toEqual(['_id_']);
    await things.insertOne({ _id: 3, a: 1 });
  });
});

describe('reading in order', () => {
  test('pages along a compound index, both ways, and without one', async () => {
    const owner = new Types.ObjectId();
    const docs = times(500, (i) => ({
      _id: i,
      owner: i % 5 ? owner : new Types.ObjectId(),
      at: new Date(i % 90),
    }));
    await things.insertMany(docs);
    const page = (direction: 1 | -1) =>
      things.find({ owner }).sort({ at: direction, _id: direction }).skip(20).limit(70).toArray();
    const unindexed = { up: idsOf(await page(1)), down: idsOf(await page(-1)) };
    await things.createIndex({ owner: 1, at: -1, _id: -1 });
    expect({ up: idsOf(await page(1)), down: idsOf(await page(-1)) }).toEqual(unindexed);
    const own = docs.filter((doc) => doc.owner === owner);
    const wanted = own.toSorted((a, b) => a.at.getTime() - b.at.getTime() || a._id - b._id);
    expect(unindexed.up).toEqual(idsOf(wanted.slice(20, 90)));
    expect(unindexed.down).toEqual(idsOf(wanted.toReversed().slice(20, 90)));
  });

  test('a cursor returns every document once while they are being changed', async () => {
    await things.insertMany(times(1_000, (i) => ({ _id: i, n: 0 })));
    const seen: unknown[] = [];
    for await (const doc of things.find().sort({ _id: 1 }).batchSize(100)) {
      seen.push(doc._id);
      if (seen.length % 300 === 0)
        await things.updateMany({}, { $inc: { n: 1 }, $set: { text: 'x'.repeat(seen.length) } });
    }
    expect(seen).toEqual(times(1_000, (i) => i));
  });

  test('a missing field equals null, and $exists distinguishes them', async () => {
    await things.createIndex({ a: 1 });
    await things.insertMany([{ _id: 1 }, { _id: 2, a: null }, { _id: 3, a: false }]);
    const find = async (filter: object) =>
      idsOf(await things.find(filter).sort({ _id: 1 }).toArray());
    expect(await find({ a: null })).toEqual([1, 2]);
    expect(await find({ a: { $ne: null } })).toEqual([3]);
    expect(await find({ a: { $exists: false } })).toEqual([1]);
    expect(await find({ $or: [{ a: false }, { a: { $exists: false } }] })).toEqual([1, 3]);
  });

  test('groups and counts', async () => {
    await things.insertMany(times(10, (i) => ({ _id: i, kind: i % 3, n: i })));
    const groups = await things
      .aggregate([
        { $match: { n: { $gt: 0 } } },
        { $group: { _id: '$kind', sum: { $sum: '$n' } } },
        { $sort: { _id: 1 } },
      ])
      .toArray();
    expect(groups).toEqual([
      { _id: 0, sum: 18 },
      { _id: 1, sum: 12 },
      { _id: 2, sum: 15 },
    ]);
    expect(await things.aggregate([{ $match: { kind: 1 } }, { $count: 'n' }]).toArray()).toEqual([
      { n: 3 },
    ]);
    expect(await things.countDocuments({ kind: 1 }, { skip: 1 })).toBe(2);
    expect(await things.distinct('kind')).toEqual([0, 1, 2]);
  });
});

test('expired documents are removed, and no others', async () => {
  await things.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
  await things.insertMany([
    { _id: 1, expiresAt: new Date(Date.now() - 1_000) },
    { _id: 2, expiresAt: new Date(Date.now() + 1_000_000) },
    { _id: 3 },
    { _id: 4, expiresAt: 'never' },
  ]);
  await expect
    .poll(async () => idsOf(await things.find().sort({ _id: 1 }).toArray()))
    .toEqual([2, 3, 4]);
});

test('documents of 1 MB and unusual texts are returned unchanged', async () => {
  const doc = {
    _id: new Types.ObjectId(),
    long: 'ü'.repeat(500_000),
    odd: '\u0000𝄞',
    empty: [],
    'a.b': { $c: null },
  };
  const long = connection.collection('long');
  await long.insertOne(doc);
  await long.updateOne({ _id: doc._id }, { $set: { n: 1 } });
  expect(await long.findOne({ _id: doc._id })).toEqual({ ...doc, n: 1 });
});

describe('unsupported requests are refused with the code of MongoDB', () => {
  // Untyped, because the types do not allow most of this.
  const any = () => connection.collection(things.collectionName);

  test.each<[string, number, () => Promise<unknown>]>([
    [
      'an unknown query operator',
      2,
      () =>
        any()
          .find({ a: { $near: 1 } })
          .toArray(),
    ],
    ['a filter that runs code', 2, () => any().find({ $where: 'true' }).toArray()],
    ['an unknown update operator', 9, () => any().updateOne({}, { $bit: { a: { and: 1 } } })],
    ['an update pipeline', 9, () => things.updateOne({}, [{ $set: { a: 1 } }])],
    [
      'collation',
      40415,
      () =>
        any()
          .find({}, { collation: { locale: 'en' } })
          .toArray(),
    ],
    [
      '$lookup',
      40324,
      () => things.aggregate([{ $lookup: { from: 'b', as: 'c', pipeline: [] } }]).toArray(),
    ],
    ['$out', 40324, () => things.aggregate([{ $out: 'elsewhere' }]).toArray()],
    ['a change stream', 40573, () => things.watch().next()],
    ['a geo index', 67, () => things.createIndex({ a: '2dsphere' })],
    [
      'an unknown command',
      59,
      () => connection.db?.command({ mapReduce: 'a' }) ?? Promise.resolve(),
    ],
    ['a changed _id', 66, () => things.updateOne({ _id: 1 }, { $set: { _id: 2 } })],
    [
      'two changes of one path',
      40,
      () => any().updateOne({}, { $set: { a: 1 }, $inc: { 'a.b': 1 } }),
    ],
  ])('%s', async (_what, code, act) => {
    await things.insertOne({ _id: 1 });
    await expect(act()).rejects.toMatchObject({ code });
    expect(await things.find().toArray()).toEqual([{ _id: 1 }]);
  });

  test('a transaction', async () => {
    const client = await connection.startSession();
    const work = client.withTransaction(() => things.insertOne({ _id: 1 }, { session: client }));
    await expect(work).rejects.toMatchObject({ originalError: { code: 20 } });
    await client.endSession();
    expect(await things.countDocuments()).toBe(0);
  });
});

test('the server can be distinguished from a real one', async () => {
  const info = await connection.db?.admin().buildInfo();
  expect(info?.modules).toEqual(['stolas-embedded']);
});

test('field names of JavaScript itself are ordinary names', async () => {
  const odd = connection.collection('odd');
  const doc = { _id: new Types.ObjectId(), constructor: 'c', ['__proto__']: { polluted: 1 } };
  await odd.insertOne(doc);
  await odd.updateOne({ _id: doc._id }, { $set: { '__proto__.more': 2, 'a.__proto__.deep': 3 } });
  const [found] = await odd
    .find({ constructor: 'c' }, { projection: { '__proto__.more': 1 } })
    .toArray();
  expect(Object.entries(found ?? {})).toEqual([
    ['_id', doc._id],
    ['__proto__', { more: 2 }],
  ]);
  expect({}).not.toHaveProperty('polluted');
  expect({}).not.toHaveProperty('deep');
});

test('a client with another protocol is disconnected without effect on others', async () => {
  const stranger = connect(server.port, '127.0.0.1', () =>
    stranger.write('GET / HTTP/1.1\r\n\r\n'),
  );
  await once(stranger, 'close');
  await things.insertOne({ _id: 1 });
  expect(await things.countDocuments()).toBe(1);
});

test('a driver that watches the server is answered again and again', async () => {
  const watching = await mongoose
    .createConnection(`mongodb://127.0.0.1:${server.port}/test`, { heartbeatFrequencyMS: 500 })
    .asPromise();
  const awaited: boolean[] = [];
  watching.getClient().on('serverHeartbeatSucceeded', (event) => awaited.push(event.awaited));
  await expect.poll(() => awaited.length).toBeGreaterThan(2);
  await watching.close();
  expect(awaited.filter(Boolean).length).toBeGreaterThan(1);
});

test('a folder that is in use is refused with a clear message', async () => {
  await expect(startEmbeddedMongo({ dir, port: 0 })).rejects.toThrow(/is in use by another STOLAS/);
});

test('a port that is in use is refused with a clear message, and the folder is released', async () => {
  const other = await mkdtemp(path.join(tmpdir(), 'embedded-mongo-'));
  await expect(startEmbeddedMongo({ dir: other, port: server.port })).rejects.toThrow(
    `Port ${server.port} is in use`,
  );
  await (await startEmbeddedMongo({ dir: other, port: 0 })).close();
  await rm(other, { recursive: true, force: true });
});

test('explain tells whether an index finds the documents of a command', async () => {
  await things.createIndex({ kind: 1 });
  await things.insertOne({ _id: 1, kind: 'owl' });
  const name = things.collectionName;
  const stageOf = async (command: object) => {
    const explained = await connection.db?.command({ explain: command, verbosity: 'queryPlanner' });
    return explained?.queryPlanner.winningPlan.stage as string;
  };
  expect(await stageOf({ find: name, filter: { kind: 'owl' } })).toBe('IXSCAN');
  expect(await stageOf({ find: name, filter: { text: 'hoot' } })).toBe('COLLSCAN');
  expect(await stageOf({ delete: name, deletes: [{ q: { _id: 1 }, limit: 1 }] })).toBe('IXSCAN');
  const updates = [{ q: { text: 'hoot' }, u: { $set: { n: 1 } } }];
  expect(await stageOf({ update: name, updates })).toBe('COLLSCAN');
  const pipeline = [{ $match: { kind: 'owl' } }];
  expect(await stageOf({ aggregate: name, pipeline, cursor: {} })).toBe('IXSCAN');
  expect(await stageOf({ find: 'nothing', filter: { text: 'hoot' } })).toBe('EOF');
  const either = { $or: [{ kind: 'owl' }, { _id: 2 }] };
  expect(await stageOf({ find: name, filter: either })).toBe('OR');
  expect(await stageOf({ find: name, filter: { $and: [either, { n: 1 }] } })).toBe('OR');
  expect(await stageOf({ find: name, filter: { $or: [{ kind: 'owl' }, { n: 1 }] } })).toBe(
    'COLLSCAN',
  );
});

test('an $or whose branches have indexes finds each document once, in the requested order', async () => {
  await things.createIndex({ kind: 1 });
  await things.createIndex({ tags: 1 });
  await things.insertMany([
    { _id: 1, kind: 'owl', tags: ['night', 'bird'] },
    { _id: 2, kind: 'owl', tags: [] },
    { _id: 3, kind: 'bat', tags: ['night'] },
    { _id: 4, kind: 'ant', tags: ['day'] },
  ]);
  const either = { $or: [{ kind: 'owl' }, { tags: { $in: ['night', 'bird'] } }] };
  const idsOf = async (filter: object, options = {}) =>
    (await things.find(filter, options).toArray()).map(({ _id }) => _id);
  expect(await idsOf(either, { sort: { _id: 1 } })).toEqual([1, 2, 3]);
  expect(await idsOf(either, { sort: { _id: -1 }, skip: 1, limit: 1 })).toEqual([2]);
  expect(await idsOf({ ...either, kind: 'bat' })).toEqual([3]);
  expect(await idsOf({ $and: [{ _id: { $gt: 1 } }, either] }, { sort: { _id: 1 } })).toEqual([
    2, 3,
  ]);
  expect(await things.countDocuments(either)).toBe(3);
  expect((await things.updateMany(either, { $set: { seen: true } })).modifiedCount).toBe(3);
  expect((await things.deleteMany({ $or: [{ _id: 1 }, { kind: 'bat' }] })).deletedCount).toBe(2);
  expect(await idsOf({})).toEqual([2, 4]);
});

test('a partial index is used for a filter that states its condition', async () => {
  const partialFilterExpression = { room: { $exists: true } };
  await things.createIndex({ kind: 1 }, { partialFilterExpression });
  await things.insertMany([
    { _id: 1, kind: 'owl', room: 3 },
    { _id: 2, kind: 'owl' },
  ]);
  const stageOf = async (filter: object) => {
    const explain = { find: things.collectionName, filter };
    const explained = await connection.db?.command({ explain, verbosity: 'queryPlanner' });
    return explained?.queryPlanner.winningPlan.stage as string;
  };
  const inRoom = { kind: 'owl', room: { $exists: true } };
  expect(await stageOf(inRoom)).toBe('IXSCAN');
  expect(await stageOf({ kind: 'owl' })).toBe('COLLSCAN');
  expect(await stageOf({ kind: 'owl', room: { $exists: false } })).toBe('COLLSCAN');
  expect(await things.find(inRoom).toArray()).toEqual([{ _id: 1, kind: 'owl', room: 3 }]);
});
