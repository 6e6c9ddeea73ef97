import { type Connection, Schema } from 'mongoose';
import { isDuplicateKey } from '../../db/mongo.ts';

// One document per day (UTC).
const schema = new Schema(
  {
    _id: { type: String, required: true },
    startedAt: { type: Date, required: true },
    leasedAt: { type: Date, required: true },
    finishedAt: Date,
    compared: Number,
    repaired: Number,
    busy: Number,
    repairedTokens: Number,
  },
  { versionKey: false },
);

/** What a nightly comparison has found. */
export interface AuditCounts {
  /** Documents of sums that have changed since the comparison before. */
  compared: number;
  /** Documents whose sums differed from the ledger and were corrected. */
  repaired: number;
  /** Documents that changed at every try; the next night compares them. */
  busy: number;
  /** By how many charged tokens the sums differed, regardless of the sign. */
  repairedTokens: number;
}

export interface UsageAudit extends AuditCounts {
  startedAt: Date;
  finishedAt: Date;
}

/** The right to compare; whoever has renewed it since has it. */
export interface AuditLease {
  day: string;
  startedAt: Date;
  leasedAt: Date;
}

export const defineAuditModel = (connection: Connection) =>
  connection.model('UsageAudit', schema, 'usage_audits');

export type AuditStore = ReturnType<typeof createAuditStore>;

export function createAuditStore(model: ReturnType<typeof defineAuditModel>) {
  const held = ({ day, leasedAt }: AuditLease) => ({ _id: day, leasedAt, finishedAt: null });

  return {
    /** Leases the comparison of a day: null when it is done, or another worker has leased it after `staleBefore`. */
    lease: async (
      day: string,
      { now, staleBefore }: { now: Date; staleBefore: Date },
    ): Promise<AuditLease | null> => {
      const stale = { _id: day, finishedAt: null, leasedAt: { $lt: staleBefore } };
      const update = { $set: { leasedAt: now, startedAt: now } };
      const { upsertedCount, modifiedCount } = await model
        .updateOne(stale, update, { upsert: true })
        // It is done, or leased.
        .catch((error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
          return { upsertedCount: 0, modifiedCount: 0 };
        });
      return upsertedCount + modifiedCount === 1 ? { day, startedAt: now, leasedAt: now } : null;
    },

    /** Null when another worker has the lease by now. */
    renew: async (lease: AuditLease, now: Date): Promise<AuditLease | null> => {
      const { matchedCount } = await model.updateOne(held(lease), { $set: { leasedAt: now } });
      return matchedCount === 1 ? { ...lease, leasedAt: now } : null;
    },

    finish: async (lease: AuditLease, counts: AuditCounts, now: Date): Promise<boolean> => {
      const update = { $set: { ...counts, finishedAt: now } };
      return (await model.updateOne(held(lease), update)).modifiedCount === 1;
    },

    /** The last comparison that has ended; null before the first. */
    last: async (): Promise<UsageAudit | null> =>
      model
        .findOne({ finishedAt: { $ne: null } }, { _id: 0, leasedAt: 0 })
        .sort({ _id: -1 })
        .lean<UsageAudit>(),
  };
}
