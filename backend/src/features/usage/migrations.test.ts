import { expect, it } from 'vitest';
import { migrate } from '../../db/migrate.ts';
import type { Connection } from '../../db/mongo.ts';
import { usageMigrations } from './migrations.ts';
import { actsOf } from './test/acts.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

let connection: Connection;
let book: Book;

const { demoOf } = actsOf(() => book);

withBook((opened, connected) => {
  [book, connection] = [opened, connected];
});

it('keeps what a guest has used, and charges the reply that was running once', async () => {
  const [guest, replyId] = [newObjectId(), newObjectId()];
  await connection.collection<{ _id: string; [field: string]: unknown }>('usage').insertOne({
    _id: `${guest}:demo`,
    ownerId: connection.base.Types.ObjectId.createFromHexString(guest),
    messages: 5,
    spent: 1_200,
    holds: [{ replyId, tokens: 200 }],
  });
  await migrate(connection, usageMigrations);
  for (const { run } of usageMigrations) await run(connection);
  expect(await demoOf(guest)).toMatchObject({
    messagesLeft: 16,
    tokensLeft: 19_000,
  });
  await book.usage.settle(
    guest,
    { replyId, attempt: 1 },
    { promptTokens: 50, completionTokens: 50 },
  );
  expect(await demoOf(guest)).toMatchObject({
    messagesLeft: 15,
    tokensLeft: 18_900,
  });
  expect(await connection.collection('usage').countDocuments({})).toBe(0);
});
