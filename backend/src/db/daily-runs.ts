import { type Connection, type Model, Schema } from 'mongoose';
import { unlessDuplicate } from './mongo.ts';

const KEPT_SECONDS = 400 * 24 * 60 * 60;

// One document per day. The counts of a run are stored beside these fields.
const schema = () =>
  new Schema(
    {
      /** The day, YYYY-MM-DD. */
      _id: { type: String, required: true },
      startedAt: { type: Date, required: true },
      leasedAt: { type: Date, required: true },
      finishedAt: Date,
    },
    { versionKey: false, strict: false },
  ).index({ startedAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

/** The right to do the work of a day. Every new lease or renewal differs. */
export interface DailyLease {
  day: string;
  startedAt: Date;
  leasedAt: Date;
}

export type DailyRun<Counts> = Counts & {
  startedAt: Date;
  /** Null while it runs, and after its worker was lost. */
  finishedAt: Date | null;
};

export type DailyRunModel = Model<Record<string, unknown>>;

/** Runs of a kind of work, one per day over all workers. */
export const defineDailyRunModel = (
  connection: Connection,
  { name, collection }: { name: string; collection: string },
): DailyRunModel => connection.model<Record<string, unknown>>(name, schema(), collection);

/** Lets one worker per day do a kind of work. When it is lost, another one starts again. */
export interface DailyRuns<Counts extends object> {
  /** @returns null when the work of the day is done, or another worker has renewed its lease after `staleBefore` */
  lease: (day: string, at: { now: Date; staleBefore: Date }) => Promise<DailyLease | null>;
  /** @returns the renewed lease; null when another worker has it */
  renew: (lease: DailyLease, now: Date) => Promise<DailyLease | null>;
  /** @returns false when another worker has the lease */
  finish: (lease: DailyLease, counts: Counts, now: Date) => Promise<boolean>;
  /** The last run that was started. */
  lastStarted: () => Promise<DailyRun<Counts> | null>;
  /** The last run that has finished. */
  lastFinished: () => Promise<(DailyRun<Counts> & { finishedAt: Date }) | null>;
}

export function createDailyRuns<Counts extends object>(model: DailyRunModel): DailyRuns<Counts> {
  const held = ({ day, leasedAt }: DailyLease) => ({ _id: day, leasedAt, finishedAt: null });

  const last = async <Run>(filter: object): Promise<Run | null> => {
    const found = await model.findOne(filter, { _id: 0, leasedAt: 0 }).sort({ _id: -1 }).lean();
    return found && ({ finishedAt: null, ...found } as Run);
  };

  return {
    lease: async (day, { now, staleBefore }) => {
      const stale = { _id: day, finishedAt: null, leasedAt: { $lt: staleBefore } };
      const update = { $set: { leasedAt: now, startedAt: now } };
      const leased = await unlessDuplicate(model.updateOne(stale, update, { upsert: true }));
      // Null when the work is done, or leased.
      const isLeased = leased !== null && leased.upsertedCount + leased.modifiedCount === 1;
      return isLeased ? { day, startedAt: now, leasedAt: now } : null;
    },

    renew: async (lease, now) => {
      const { matchedCount } = await model.updateOne(held(lease), { $set: { leasedAt: now } });
      return matchedCount === 1 ? { ...lease, leasedAt: now } : null;
    },

    finish: async (lease, counts, now) => {
      const update = { $set: { ...counts, finishedAt: now } };
      return (await model.updateOne(held(lease), update)).modifiedCount === 1;
    },

    lastStarted: () => last({}),
    lastFinished: () => last({ finishedAt: { $ne: null } }),
  };
}
