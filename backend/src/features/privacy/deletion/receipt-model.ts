import { type Connection, Schema, type Types } from 'mongoose';
import type { DeletionStore } from '../../../contract/deletion.ts';
import { upsert } from '../../../db/mongo.ts';

const schema = new Schema(
  {
    /** Random: whoever knows it may read the receipt. */
    _id: { type: String, required: true },
    /** Only until the deletion is done: afterwards a receipt names no user. */
    accountId: Schema.Types.ObjectId,
    state: { type: String, required: true },
    passes: { type: Number, required: true },
    found: { type: Schema.Types.Mixed, required: true },
    left: Schema.Types.Mixed,
    requestedAt: { type: Date, required: true },
    /** When the next pass is due. */
    nextAt: Date,
    finishedAt: Date,
    expiresAt: Date,
  },
  { versionKey: false, minimize: false },
);
schema.index({ accountId: 1 }, { unique: true, sparse: true });
schema.index({ nextAt: 1 }, { sparse: true });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const defineReceiptModel = (connection: Connection) =>
  connection.model('DeletionReceipt', schema, 'deletion_receipts');

export type Counts = Partial<Record<DeletionStore, number>>;

export interface ReceiptRecord {
  id: string;
  /** Null once the deletion is done. */
  accountId: string | null;
  state: 'running' | 'done';
  /** How often the stores were erased and checked. */
  passes: number;
  found: Counts;
  left: Counts | null;
  requestedAt: Date;
  finishedAt: Date | null;
  expiresAt: Date | null;
}

type ReceiptDocument = Omit<ReceiptRecord, 'id' | 'accountId'> & {
  _id: string;
  accountId?: Types.ObjectId;
};

const toRecord = ({ _id, accountId, left, ...rest }: ReceiptDocument): ReceiptRecord => ({
  ...rest,
  id: _id,
  accountId: accountId ? String(accountId) : null,
  left: left ?? null,
  finishedAt: rest.finishedAt ?? null,
  expiresAt: rest.expiresAt ?? null,
});

/** Receipts of deletions. A running one is also the record that its job works on. */
export type ReceiptStore = ReturnType<typeof createReceiptStore>;

export function createReceiptStore(model: ReturnType<typeof defineReceiptModel>) {
  const running = (id: string) => ({ _id: id, state: 'running' });

  return {
    /** The running receipt of an account; begins one under `id` when there is none. */
    open: async (accountId: string, { id, now }: { id: string; now: Date }): Promise<string> => {
      const begun = { _id: id, state: 'running', passes: 0, found: {}, requestedAt: now };
      const doc = await upsert(() =>
        model
          .findOneAndUpdate(
            { accountId },
            { $setOnInsert: { ...begun, nextAt: now } },
            { upsert: true, returnDocument: 'after' },
          )
          .lean<ReceiptDocument>()
          .exec(),
      );
      return doc?._id ?? id;
    },

    find: async (id: string): Promise<ReceiptRecord | null> => {
      const doc = await model.findById(id).lean<ReceiptDocument>();
      return doc && toRecord(doc);
    },

    /** Notes what is there. The most that was found at once is kept, so that a repeated pass hides nothing. */
    noteFound: async (id: string, counts: Counts): Promise<void> => {
      const found = Object.entries(counts).map(([store, count]) => [`found.${store}`, count]);
      await model.updateOne(running(id), { $max: Object.fromEntries(found) });
    },

    /** Ends a pass that has left something. */
    noteLeft: async (id: string, left: Counts, nextAt: Date): Promise<void> => {
      await model.updateOne(running(id), { $set: { left, nextAt }, $inc: { passes: 1 } });
    },

    /** Ends the deletion and forgets whose it was, in one write. */
    finish: async (
      id: string,
      { left, now, expiresAt }: { left: Counts; now: Date; expiresAt: Date },
    ): Promise<void> => {
      await model.updateOne(running(id), {
        $set: { state: 'done', left, finishedAt: now, expiresAt },
        $inc: { passes: 1 },
        $unset: { accountId: 1, nextAt: 1 },
      });
    },

    /** Running receipts whose next pass should have begun by then, those first that are late by most. */
    findLate: async (before: Date): Promise<string[]> => {
      const late = await model
        .find({ nextAt: { $lt: before } }, { _id: 1 })
        .sort({ nextAt: 1 })
        .limit(100)
        .lean<{ _id: string }[]>();
      return late.map(({ _id }) => _id);
    },

    /** Puts a late receipt behind all others. */
    putOff: async (id: string, { before, now }: { before: Date; now: Date }): Promise<void> => {
      await model.updateOne({ ...running(id), nextAt: { $lt: before } }, { $set: { nextAt: now } });
    },
  };
}
