import { describe, expect, test } from 'vitest';
import { setUpServer } from './server.fixture.ts';

const things = setUpServer();
const refused = (code: number) => expect.objectContaining({ code });
const search = async (text: string, filter: object = {}) => {
  const found = await things()
    .find({ $text: { $search: text }, ...filter })
    .toArray();
  return found.map(({ _id }) => _id).toSorted((a, b) => a - b);
};

describe('a text index', () => {
  test('finds words in any case, with and without accents, by their stem', async () => {
    await things().insertMany([
      { _id: 1, s: 'The quick brown fox' },
      { _id: 2, s: 'Lazy dogs are sleeping in Zürich' },
      { _id: 3, s: ['quick', 'dog'] },
      { _id: 4, s: 7 },
    ]);
    await things().createIndex({ s: 'text' });
    expect(await search('QUICK')).toEqual([1, 3]);
    expect(await search('zurich')).toEqual([2]);
    expect(await search('dog')).toEqual([2, 3]);
    expect(await search('sleeps')).toEqual([2]);
    expect(await search('fox dogs')).toEqual([1, 2, 3]);
    expect(await search('the')).toEqual([]);
    expect(await search('')).toEqual([]);
  });

  test('supports phrases and exclusions', async () => {
    await things().createIndex({ s: 'text' });
    await things().insertMany([
      { _id: 1, s: 'ssl certificate expired' },
      { _id: 2, s: 'certificate of ssl' },
      { _id: 3, s: 'ssl certificates, well-known' },
    ]);
    expect(await search('"ssl certificate"')).toEqual([1, 3]);
    expect(await search('"ssl certificate" authority')).toEqual([1, 3]);
    expect(await search('"ssl certificate e"')).toEqual([1]);
    expect(await search('certificate -expired')).toEqual([2, 3]);
    expect(await search('ssl -"certificate expired"')).toEqual([2, 3]);
    expect(await search('well-known')).toEqual([3]);
    expect(await search('-ssl')).toEqual([]);
  });

  test.each(['"', 'a AND', '(', '*', 'NEAR(a b)', 'c0 : ssl', '^ssl', "';--", '-', '"" -""'])(
    'takes %j as text',
    async (text) => {
      await things().createIndex({ s: 'text' });
      await things().insertOne({ _id: 1, s: 'ssl' });
      expect(await search(`${text} nothing`)).toEqual(text.includes('ssl') ? [1] : []);
    },
  );

  test('follows updates, deletions and refused writes', async () => {
    await things().createIndex({ s: 'text' });
    await things().createIndex({ u: 1 }, { unique: true });
    await things().insertMany([
      { _id: 1, u: 1, s: 'apple' },
      { _id: 2, u: 2, s: 'banana' },
    ]);
    await things().updateOne({ _id: 1 }, { $set: { s: 'cherry' } });
    expect([await search('apple'), await search('cherry')]).toEqual([[], [1]]);
    await expect(things().updateOne({ _id: 1 }, { $set: { s: 'plum', u: 2 } })).rejects.toEqual(
      refused(11_000),
    );
    await expect(things().insertOne({ _id: 3, u: 2, s: 'plum' })).rejects.toEqual(refused(11_000));
    expect([await search('plum'), await search('cherry')]).toEqual([[], [1]]);
    await things().updateOne({ _id: 1 }, { $unset: { s: 1 } });
    await things().deleteOne({ _id: 2 });
    expect([await search('cherry'), await search('banana')]).toEqual([[], []]);
    await things().updateOne({ _id: 1 }, { $set: { s: 'cherry' } });
    expect(await search('cherry')).toEqual([1]);
  });

  test('orders by score and returns it', async () => {
    await things().createIndex({ title: 'text', s: 'text' }, { weights: { title: 10 } });
    await things().insertMany([
      { _id: 1, title: 'other', s: 'needle in a very long hay stack of words' },
      { _id: 2, title: 'needle', s: 'short' },
      { _id: 3, title: 'other', s: 'nothing' },
    ]);
    const score = { $meta: 'textScore' } as const;
    const found = await things()
      .find({ $text: { $search: 'needle' } }, { projection: { s: 0, score } })
      .sort({ score })
      .toArray();
    expect(found).toEqual([
      { _id: 2, title: 'needle', score: expect.any(Number) },
      { _id: 1, title: 'other', score: expect.any(Number) },
    ]);
    const summed = await things()
      .aggregate([
        { $match: { $text: { $search: 'needle' } } },
        { $sort: { score } },
        { $project: { score } },
      ])
      .toArray();
    expect(summed.map(({ _id }) => _id)).toEqual([2, 1]);
    expect(await things().countDocuments({ $text: { $search: 'needle' } })).toBe(2);
    expect(await search('needle', { _id: { $gt: 1 } })).toEqual([2]);
  });

  test('with a prefix searches the documents of one owner, which the query must name', async () => {
    await things().createIndex({ ownerId: 1, s: 'text' }, { default_language: 'none' });
    await things().insertMany([
      { _id: 1, ownerId: 'a', s: 'the shared words' },
      { _id: 2, ownerId: 'b', s: 'the shared words' },
      { _id: 3, s: 'the shared words' },
    ]);
    expect(await search('shared', { ownerId: 'a' })).toEqual([1]);
    expect(await search('shared', { ownerId: { $eq: 'b' } })).toEqual([2]);
    expect(await search('shared', { $and: [{ ownerId: 'a' }] })).toEqual([1]);
    expect(await search('the', { ownerId: 'a' })).toEqual([1]);
    expect(await search('word', { ownerId: 'a' })).toEqual([]);
    for (const ownerId of [{ $in: ['a'] }, { $gt: '' }, /a/])
      await expect(search('shared', { ownerId })).rejects.toEqual(refused(291));
    await expect(search('shared')).rejects.toEqual(refused(291));
  });

  test('is created once and listed as MongoDB lists it', async () => {
    const create = (key: Record<string, 1 | 'text'>) => things().createIndex(key);
    await create({ ownerId: 1, s: 'text' });
    await create({ ownerId: 1, s: 'text' });
    await expect(create({ t: 'text' })).rejects.toEqual(refused(85));
    expect((await things().indexes())[1]).toEqual({
      v: 2,
      key: { ownerId: 1, _fts: 'text', _ftsx: 1 },
      name: 'ownerId_1_s_text',
      weights: { s: 1 },
      default_language: 'english',
      language_override: 'language',
      textIndexVersion: 3,
    });
    await things().dropIndex('ownerId_1_s_text');
    await expect(search('x')).rejects.toEqual(refused(27));
  });

  test.each([
    [67, { '$**': 'text' }, {}],
    [67, { s: 'text', at: 1 }, {}],
    [67, { s: 'text' }, { unique: true }],
    [67, { s: 'text' }, { expireAfterSeconds: 1 }],
    [67, { s: 'text' }, { weights: { s: 0 } }],
    [17_262, { s: 'text' }, { default_language: 'klingon' }],
  ])('is refused with %i: %j %j', async (code, key, options) => {
    const create = things().createIndex(key as Record<string, 1 | 'text'>, options);
    await expect(create).rejects.toEqual(refused(code));
  });

  test.each([
    [27, { $text: { $search: 'x' } }, false],
    [14, { $text: { $search: 1 } }, true],
    [2, { $text: { $search: 'x', $caseSensitive: true } }, true],
    [2, { $text: { $search: 'x', $language: 'german' } }, true],
    [2, { $or: [{ $text: { $search: 'x' } }, { a: 1 }] }, true],
  ])('a query is refused with %i: %j', async (code, wrong, indexed) => {
    const filter = wrong as object;
    if (indexed) await things().createIndex({ s: 'text' });
    else await things().insertOne({ _id: 1 });
    await expect(things().find(filter).toArray()).rejects.toEqual(refused(code));
  });

  test('there is no score without a search', async () => {
    await things().insertOne({ _id: 1 });
    const score = { $meta: 'textScore' } as const;
    const projected = things().find({}, { projection: { score } }).toArray();
    await expect(projected).rejects.toEqual(refused(40_218));
    const sorted = things().find().sort({ score }).toArray();
    await expect(sorted).rejects.toEqual(refused(40_218));
  });
});
