import { type Connection, type InferSchemaType, Schema } from 'mongoose';
import { isDuplicateKey } from '../../../db/mongo.ts';

const KEPT_SECONDS = 90 * 24 * 60 * 60;

// One document per night: whoever inserts it compares.
const schema = new Schema(
  {
    /** The day (UTC). */
    _id: String,
    holder: { type: String, required: true },
    leasedUntil: { type: Date, required: true },
    startedAt: { type: Date, required: true },
    finishedAt: Date,
    compared: { type: Number, default: 0 },
    repaired: { type: Number, default: 0 },
    failed: { type: Number, default: 0 },
  },
  { versionKey: false },
);
schema.index({ startedAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

/** What a comparison has counted. */
export interface ComparisonCounts {
  /** Subscriptions that were looked at, on both sides. */
  compared: number;
  /** Users whose stored subscription was different and is right now. */
  repaired: number;
  /** Users whose subscription could not be compared or repaired; the log has the reasons. */
  failed: number;
}

export interface Comparison extends ComparisonCounts {
  startedAt: Date;
  /** Null while it runs. */
  finishedAt: Date | null;
}

export const defineComparisonModel = (connection: Connection) =>
  connection.model('PaymentComparison', schema, 'payment_comparisons');

export type ComparisonStore = ReturnType<typeof createComparisonStore>;

interface Lease {
  day: string;
  holder: string;
  now: Date;
  until: Date;
}

export function createComparisonStore(model: ReturnType<typeof defineComparisonModel>) {
  return {
    /** Leases the comparison of a day; false when it is done, or another worker is at it. */
    lease: async ({ day, holder, now, until }: Lease): Promise<boolean> => {
      const lease = { holder, leasedUntil: until, startedAt: now };
      try {
        await model.create({ _id: day, ...lease });
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      // A worker that died left it unfinished.
      const left = { _id: day, finishedAt: null, leasedUntil: { $lt: now } };
      const { modifiedCount } = await model.updateOne(left, { $set: lease });
      return modifiedCount === 1;
    },

    /** Prolongs a lease; false when another worker has it. */
    renew: async ({ day, holder, until }: Omit<Lease, 'now'>): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: day, holder, finishedAt: null },
        { $set: { leasedUntil: until } },
      );
      return matchedCount === 1;
    },

    finish: async (
      { day, holder, now }: Omit<Lease, 'until'>,
      counts: ComparisonCounts,
    ): Promise<void> => {
      await model.updateOne({ _id: day, holder }, { $set: { ...counts, finishedAt: now } });
    },

    /** The last one that was begun. */
    last: async (): Promise<Comparison | null> => {
      const found = await model.findOne().sort({ _id: -1 }).lean<InferSchemaType<typeof schema>>();
      return (
        found && {
          startedAt: found.startedAt,
          finishedAt: found.finishedAt ?? null,
          compared: found.compared,
          repaired: found.repaired,
          failed: found.failed,
        }
      );
    },
  };
}
