import { expect, it } from 'vitest';
import { ownDatabase } from '../../../../test/processes.ts';
import { connectMongo, createIndexes } from '../../../db/mongo.ts';
import { createReceiptStore, defineReceiptModel, doneReceipt } from './receipt-model.ts';

it('a receipt of a finished deletion keeps its counts when an earlier attempt reports late', async () => {
  const connection = await connectMongo(ownDatabase());
  const receipts = createReceiptStore(defineReceiptModel(connection));
  await createIndexes(connection);
  const now = new Date('2026-11-22T10:00:00Z');
  const receiptId = await receipts.open('a'.repeat(24), { id: 'receipt', now, dueAt: now });
  const attempt = await receipts.tasks.start(
    { receiptId },
    { now, lostBefore: new Date(0), dueAt: now },
    {},
  );
  await receipts.note(receiptId, { found: { chat: 2 } });
  if (attempt) {
    await receipts.tasks.end(attempt, doneReceipt({ left: {}, finishedAt: now, expiresAt: now }));
  }
  await receipts.note(receiptId, { found: { chat: 5 } });
  expect(await receipts.find(receiptId)).toMatchObject({ state: 'done', found: { chat: 2 } });
  await connection.close();
});
