import { type Connection, Schema, type Types } from 'mongoose';
import type { DeletionStore, HandedOver, MessagesElsewhere } from '../../../contract/privacy.ts';
import { upsert } from '../../../db/mongo.ts';
import { recordsBy } from '../../../db/records.ts';
import { type Change, createTaskStore, taskFields } from '../../../jobs/durable-model.ts';

const schema = new Schema(
  {
    /** Random: knowing it is the permission to read the receipt. */
    _id: { type: String, required: true },
    /** Removed when the deletion is done: a receipt then names no user. */
    accountId: Schema.Types.ObjectId,
    state: { type: String, required: true },
    /** The number of attempts. */
    passes: { type: Number, required: true },
    found: { type: Schema.Types.Mixed, required: true },
    left: Schema.Types.Mixed,
    /** The user's choice: messages in conversations of others are erased too. */
    eraseMessages: Boolean,
    elsewhere: { type: { _id: false, kept: Number, erased: Number }, default: undefined },
    handedOver: {
      type: { _id: false, conversations: Number, personas: Number, files: Number },
      default: undefined,
    },
    requestedAt: { type: Date, required: true },
    /** When a sweep checks whether the next attempt has a job. */
    nextAt: Date,
    lost: taskFields.lost,
    failures: taskFields.failures,
    heartbeatAt: taskFields.heartbeatAt,
    finishedAt: Date,
    expiresAt: Date,
  },
  { versionKey: false, minimize: false },
);
schema.index({ accountId: 1 }, { unique: true, sparse: true });
schema.index({ state: 1, nextAt: 1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const defineReceiptModel = (connection: Connection) =>
  connection.model('DeletionReceipt', schema, 'deletion_receipts');

export type Counts = Partial<Record<DeletionStore, number>>;

export interface ReceiptRecord {
  id: string;
  /** Null once the deletion is done. */
  accountId: string | null;
  state: 'running' | 'done';
  found: Counts;
  left: Counts | null;
  eraseMessages?: boolean;
  elsewhere?: MessagesElsewhere;
  handedOver?: HandedOver;
  requestedAt: Date;
  finishedAt: Date | null;
  expiresAt: Date | null;
}

type ReceiptDocument = Omit<ReceiptRecord, 'id' | 'accountId'> & {
  _id: string;
  accountId?: Types.ObjectId;
};

export interface ReceiptKey {
  receiptId: string;
}

const toRecord = ({ _id, accountId, left, ...rest }: ReceiptDocument): ReceiptRecord => ({
  ...rest,
  id: _id,
  accountId: accountId ? String(accountId) : null,
  left: left ?? null,
  finishedAt: rest.finishedAt ?? null,
  expiresAt: rest.expiresAt ?? null,
});

const receiptsIn = recordsBy(toRecord);

/** Receipts of deletions. The job of a running deletion works on its receipt. */
export function createReceiptStore(model: ReturnType<typeof defineReceiptModel>) {
  const running = (id: string) => ({ _id: id, state: 'running' });

  return {
    tasks: createTaskStore<ReceiptKey, ReceiptDocument, ReceiptRecord>(model, {
      path: '',
      names: { attempt: 'passes', dueAt: 'nextAt' },
      key: ({ receiptId }) => ({ _id: receiptId }),
      pending: { state: 'running' },
      keysOf: ({ _id }) => [{ receiptId: _id }],
      toDoc: toRecord,
    }),

    /** The running receipt of an account; begins one under `id` if there is none. */
    open: async (
      accountId: string,
      { id, now, dueAt }: { id: string; now: Date; dueAt: Date },
    ): Promise<string> => {
      const begun = { _id: id, state: 'running', passes: 0, found: {}, requestedAt: now };
      const change = { $setOnInsert: { ...begun, nextAt: dueAt } };
      const receipt = await upsert(() =>
        receiptsIn(model).update({ accountId }, change, { upsert: true }),
      );
      return receipt?.id ?? id;
    },

    find: (id: string): Promise<ReceiptRecord | null> => receiptsIn(model).findOne({ _id: id }),

    choose: async (id: string, choice: { eraseMessages: boolean }): Promise<void> => {
      await model.updateOne(running(id), { $set: choice });
    },

    noteElsewhere: async (id: string, elsewhere: MessagesElsewhere): Promise<void> => {
      await model.updateOne(running(id), { $set: { elsewhere } });
    },

    /** Records counts. The highest of each is kept, so that a repeated attempt hides nothing. */
    note: async (
      id: string,
      counted: { found: Counts } | { handedOver: HandedOver },
    ): Promise<void> => {
      const highest = Object.entries(counted).flatMap(([of, counts]) =>
        Object.entries(counts).map(([name, count]) => [`${of}.${name}`, count]),
      );
      await model.updateOne(running(id), { $max: Object.fromEntries(highest) });
    },
  };
}

/** Ends the deletion and removes the account's id, in one update. */
export const doneReceipt = (end: { left: Counts; finishedAt: Date; expiresAt: Date }): Change => ({
  $set: { state: 'done', ...end },
  $unset: { accountId: 1 },
});
