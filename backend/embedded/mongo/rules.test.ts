import { BSONRegExp, Decimal128, Double, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { compileFilter } from './match.ts';
import { setUpServer } from './server.fixture.ts';

const things = setUpServer();
const refused = (code: number) => expect.objectContaining({ code });

describe('positional updates', () => {
  test('$ means the same element in every operator', async () => {
    await things().insertOne({ _id: 1, a: [{ k: 1 }, { k: 1 }] });
    await things().updateOne({ 'a.k': 1 }, { $set: { 'a.$.k': 2, 'a.$.v': 9 } });
    expect(await things().findOne()).toEqual({ _id: 1, a: [{ k: 2, v: 9 }, { k: 1 }] });
  });

  test('$[name] is resolved before the update changes the array', async () => {
    await things().insertOne({ _id: 1, a: [{ s: 'run' }, { s: 'new' }] });
    await things().updateOne(
      { _id: 1 },
      { $set: { 'a.$[x].s': 'done', 'a.$[x].at': 5 } },
      { arrayFilters: [{ 'x.s': 'run' }] },
    );
    expect(await things().findOne()).toEqual({ _id: 1, a: [{ s: 'done', at: 5 }, { s: 'new' }] });
  });
});

describe('indexes', () => {
  test('a partial TTL index removes only the documents of its filter', async () => {
    const at = new Date(0);
    await things().createIndex(
      { at: 1 },
      { expireAfterSeconds: 1, partialFilterExpression: { done: true } },
    );
    await things().insertMany([
      { _id: 1, at, done: false },
      { _id: 2, at, done: true },
    ]);
    const ids = async () => (await things().find().toArray()).map(({ _id }) => _id);
    await expect.poll(() => ids()).toEqual([1]);
  });

  test.each([
    ['of two fields', { at: 1, b: 1 }, 1],
    ['that is negative', { at: 1 }, -1],
    ['that is no number', { at: 1 }, '1'],
    ['beyond 32 bits', { at: 1 }, 2 ** 31],
    ['on _id', { _id: 1 }, 1],
  ])('a TTL index %s is refused', async (_what, key, expireAfterSeconds) => {
    const command = {
      createIndexes: things().collectionName,
      indexes: [{ key, name: 'ttl', expireAfterSeconds }],
    };
    await expect(things().conn.db?.command(command)).rejects.toEqual(refused(67));
  });

  test('unique: 1 is unique, sparse: 1 is sparse, and text is neither', async () => {
    const create = (options: object) =>
      things().conn.db?.command({
        createIndexes: things().collectionName,
        indexes: [{ key: { a: 1 }, name: 'a', ...options }],
      });
    await create({ unique: 1, sparse: 1 });
    await things().insertMany([{ _id: 1, a: 1 }, { _id: 2 }, { _id: 3 }]);
    await expect(things().insertOne({ _id: 4, a: 1 })).rejects.toEqual(refused(11_000));
    await expect(create({ unique: 'yes', name: 'b' })).rejects.toEqual(refused(14));
  });

  test('a hint at an index that may lack documents is refused; any other hint is followed', async () => {
    await things().insertMany([{ _id: 1, a: 1 }, { _id: 2 }]);
    await things().createIndex({ a: 1 }, { name: 'some', partialFilterExpression: { a: 1 } });
    await things().createIndex({ b: 1 }, { name: 'all' });
    await expect(things().find({}, { hint: 'some' }).toArray()).rejects.toEqual(refused(291));
    expect(await things().find({}, { hint: 'all' }).toArray()).toHaveLength(2);
    expect(await things().find({ a: 1 }, { hint: 'some' }).toArray()).toHaveLength(1);
  });
});

describe('projections', () => {
  test('a nested projection selects fields and creates no values', async () => {
    await things().insertOne({ _id: 1, a: { b: 7, c: 2 }, d: 1 });
    const projected = (projection: object) => things().findOne({}, { projection });
    expect(await projected({ a: { b: 1 } })).toEqual({ _id: 1, a: { b: 7 } });
    expect(await projected({ a: { b: 0 } })).toEqual({ _id: 1, a: { c: 2 }, d: 1 });
    await expect(projected({ a: {} })).rejects.toEqual(refused(51_270));
  });
});

describe('what an upsert takes from its filter', () => {
  test.each([
    ['no regular expression', { a: /x/ }, {}],
    ['the only branch of $or', { $or: [{ a: 1 }] }, { a: 1 }],
    ['no branch of several', { $or: [{ a: 1 }, { a: 2 }] }, {}],
    ['the only value of $all', { a: { $all: [1] } }, { a: 1 }],
    ['none of several values', { a: { $all: [1, 2] } }, {}],
  ])('%s', async (_what, filter, taken) => {
    await things().updateOne({ _id: 1, ...filter }, { $set: { b: 1 } }, { upsert: true });
    expect(await things().findOne()).toEqual({ _id: 1, ...taken, b: 1 });
  });

  test.each([
    ['two values of one path', { a: 1, $and: [{ a: 2 }] }],
    ['a path and a path inside it', { a: {}, $and: [{ 'a.b': 2 }] }],
  ])('%s are refused', async (_what, filter) => {
    const upsert = things().updateOne(filter, { $set: { b: 1 } }, { upsert: true });
    await expect(upsert).rejects.toEqual(refused(54));
    expect(await things().countDocuments()).toBe(0);
  });
});

describe('regular expressions', () => {
  test('a pattern with exponential backtracking is answered at once', async () => {
    await things().insertOne({ _id: 1, s: `${'a'.repeat(40)}b` });
    for (const a of [/^(a+)+$/, /^(a|a)*$/, /(a*)*c/, /^(a?){40}a{41}$/])
      expect(await things().countDocuments({ s: a })).toBe(0);
    expect(await things().countDocuments({ s: /^(A+)+b$/i })).toBe(1);
  });

  test.each([
    ['look-ahead', 'a(?=b)'],
    ['a back reference', String.raw`(a)\1`],
    ['a back reference in a class of its own', String.raw`[a]\1`],
    ['an open group', '(a'],
  ])('%s is refused', async (_what, pattern) => {
    await things().insertOne({ _id: 1 });
    await expect(
      things()
        .find({ s: { $regex: pattern } })
        .toArray(),
    ).rejects.toEqual(refused(51_091));
  });

  test.each([
    ['^a.c$', '', 'abc', 'abd'],
    ['^Ä', 'i', 'äb', 'b'],
    ['^b', 'm', 'a\nb', 'ab'],
    ['a.b', 's', 'a\nb', 'ab'],
    [String.raw`\$\d\.[a-c]`, '', '$1.b', '$1xb'],
    ['a{2,3}b', '', 'aab', 'ab'],
    ['^(?:x|y)+$', '', 'xyx', 'xz'],
  ])('/%s/%s matches %j and not %j', (pattern, options, yes, no) => {
    const matches = compileFilter({ s: new BSONRegExp(pattern, options) });
    expect([matches({ s: yes }), matches({ s: no })]).toEqual([true, false]);
  });
});

describe('limits', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

  test('a document of more than 100 levels is refused, by an insert and by an update', async () => {
    await things().insertOne({ _id: 1, a: nested(98) });
    await expect(things().insertOne({ _id: 2, a: nested(100) })).rejects.toEqual(refused(15));
    await expect(things().insertOne({ _id: 2, a: nested(4_000) })).rejects.toEqual(refused(15));
    const update = things().updateOne({ _id: 1 }, { $set: { b: nested(100) } });
    await expect(update).rejects.toEqual(refused(15));
    expect(await things().find().toArray()).toHaveLength(1);
  });

  test('a sort over 100 MB is refused, one with a limit is not', async () => {
    const text = 'x'.repeat(5_000_000);
    for (let i = 0; i < 22; i++) await things().insertOne({ _id: i, n: 22 - i, text });
    const sorted = (limit: number) =>
      things()
        .find({}, { projection: { n: 1 } })
        .sort({ n: 1 })
        .limit(limit)
        .toArray();
    await expect(sorted(0)).rejects.toEqual(refused(292));
    expect((await sorted(3)).map(({ n }) => n)).toEqual([1, 2, 3]);
  });
});

describe('values', () => {
  test('$elemMatch compares elements as a whole', () => {
    const matches = (filter: object, a: unknown) => compileFilter(filter)({ a });
    const above5 = { a: { $elemMatch: { $gt: new Double(5) } } };
    const six = new Double(6);
    expect([matches(above5, [[six]]), matches(above5, [six])]).toEqual([false, true]);
    const in6 = { a: { $elemMatch: { $in: [six] } } };
    expect([matches(in6, [[six]]), matches(in6, [six])]).toEqual([false, true]);
  });

  test('a decimal equals a double only if it is exactly the same number', () => {
    const is = (a: unknown, b: unknown) => compileFilter({ n: b })({ n: a });
    expect(is(Decimal128.fromString('0.1'), new Double(0.1))).toBe(false);
    expect(is(Decimal128.fromString('0.5'), new Double(0.5))).toBe(true);
    const above = compileFilter({ n: { $lt: new Double(Infinity) } });
    expect(above({ n: Decimal128.fromString('1E400') })).toBe(true);
  });

  test('$inc beyond 64 bits is refused', async () => {
    await things().insertOne({ _id: 1, n: Long.MAX_VALUE });
    const update = things().updateOne({ _id: 1 }, { $inc: { n: 1 } } as object);
    await expect(update).rejects.toEqual(refused(2));
  });
});

describe('an update that matches nothing is refused like any other', () => {
  test.each([
    [14, { $inc: { a: 'x' } }],
    [9, { $pop: { a: 2 } }],
    [2, { $pullAll: { a: 1 } }],
    [2, { $push: { a: { $each: 1 } } }],
    [2, { $push: { a: { $each: [1], $slice: 'x' } } }],
    [2, { $pull: { a: { $gtt: 1 } } }],
    [2, { $rename: { a: 'a' } }],
    [2, { $set: { 'a.$[x]': 1 } }],
    [40, { $set: { 'a.b': 1 }, $inc: { a: 1 } }],
    [56, { $set: { 'a..b': 1 } }],
  ])('%i: %j', async (code, wrong) => {
    const update = wrong as object;
    await expect(things().updateOne({ _id: 0 }, update)).rejects.toEqual(refused(code));
    await expect(things().findOneAndUpdate({ _id: 0 }, update)).rejects.toEqual(refused(code));
  });

  test('an unused array filter', async () => {
    const options = { arrayFilters: [{ x: 1 }] };
    const update = things().updateOne({ _id: 0 }, { $set: { a: 1 } }, options);
    await expect(update).rejects.toEqual(refused(9));
  });
});
