import { expect, it } from 'vitest';
import { GUEST_TOKEN_LIMIT } from '../../contract/limits.ts';
import { migrate } from '../../db/migrate.ts';
import type { Connection } from '../../db/mongo.ts';
import { usageMigrations } from './migrations.ts';
import { actsOf, first, used } from './test/acts.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

let connection: Connection;
let book: Book;

const { demoOf, reserve } = actsOf(() => book);

withBook((opened, connected) => {
  [book, connection] = [opened, connected];
});

type Former = { _id: string; [field: string]: unknown };

const objectId = (id: string) => connection.base.Types.ObjectId.createFromHexString(id);
/** Twice, as after a crash. */
const migrateTwice = async () => {
  await migrate(connection, usageMigrations);
  for (const { run } of usageMigrations) await run(connection);
};
const expectRight = async (ownerId: string) => {
  const { stored, derived } = await book.audit(ownerId);
  expect(stored).toEqual(derived);
};

it('keeps what a guest has used, and charges the reply that was running once', async () => {
  const [guest, replyId] = [newObjectId(), newObjectId()];
  await connection.collection<Former>('usage').insertOne({
    _id: `${guest}:demo`,
    ownerId: objectId(guest),
    messages: 5,
    spent: 1_200,
    holds: [{ replyId, tokens: 200 }],
  });
  await migrateTwice();
  expect(await demoOf(guest)).toMatchObject({
    messagesLeft: 16,
    tokensLeft: GUEST_TOKEN_LIMIT - 1_000,
  });
  await expectRight(guest);
  await book.usage.settle(guest, { replyId, attempt: 1 }, used(50, 50));
  expect(await demoOf(guest)).toMatchObject({
    messagesLeft: 15,
    tokensLeft: GUEST_TOKEN_LIMIT - 1_100,
  });
  expect(await connection.collection('usage').countDocuments({})).toBe(0);
});

it('sums periods by day and kind, and completes entries and reservations', async () => {
  const guest = newObjectId();
  const usageId = `${guest}:demo`;
  const [charged, released, open, unwritten] = [first(), first(), first(), first()];
  const reservation = (key: { replyId: string }, more: object) => ({
    id: newObjectId(),
    replyId: key.replyId,
    attempt: 1,
    tokens: 500,
    replyTokens: 400,
    messages: 1,
    touchedAt: new Date('2026-11-21T23:59:00Z'),
    ...more,
  });
  await connection.collection<Former>('usage_periods').insertOne({
    _id: usageId,
    ownerId: objectId(guest),
    messages: 4,
    settledTokens: 1_000 + 120 + 30,
    committedTokens: 1_000 + 120 + 30 + 500,
    running: 1,
    reservations: [
      reservation(open, { state: 'reserved' }),
      reservation(unwritten, {
        state: 'settled',
        used: { promptTokens: 20, completionTokens: 10 },
      }),
    ],
  });
  const entry = (key: { replyId: string }, state: string, promptTokens: number) => ({
    _id: `${key.replyId}:1`,
    ownerId: objectId(guest),
    usageId,
    kind: 'reply',
    state,
    promptTokens,
    completionTokens: 0,
    replyTokens: 400,
    messages: 1,
    closedAt: new Date('2026-11-20T12:00:00Z'),
  });
  await connection
    .collection<Former>('usage_ledger')
    .insertMany([entry(charged, 'settled', 120), entry(released, 'released', 0)]);
  for (const { run } of usageMigrations) {
    await run(connection);
    await run(connection);
  }
  await expectRight(guest);
  expect((await book.audit(guest)).stored).toMatchObject({
    settled: 1_150,
    committed: 1_650,
    messages: 4,
    days: { '2026-11-20': 1_120, '2026-11-21': 30 },
    committedDays: { '2026-11-20': 1_120, '2026-11-21': 530 },
    kinds: { reply: 1_150 },
  });
  expect(await book.usage.readReplyUsage(guest, charged.replyId)).toMatchObject({
    tokens: 120,
    entries: [{ attempt: 1, kind: 'reply', model: null, at: '2026-11-20T12:00:00.000Z' }],
  });
  // What is open can be settled, and what is charged is not charged again.
  await book.usage.settle(guest, open, used(90, 30));
  for (const key of [charged, unwritten]) await book.usage.settle(guest, key, used(9, 9));
  await reserve(guest, released);
  await book.usage.settle(guest, released, used(1, 1));
  await expectRight(guest);
  expect((await book.audit(guest)).stored).toMatchObject({ settled: 1_272, messages: 5 });
});
