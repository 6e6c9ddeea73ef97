import { type Connection, Schema, type Types } from 'mongoose';
import type { DataExportState } from '../../contract/privacy.ts';
import { isDuplicateKey } from '../../db/mongo.ts';

// At most one document per user.
const schema = new Schema(
  {
    /** Id of the user. */
    _id: { type: Schema.Types.ObjectId, required: true },
    exportId: { type: String, required: true },
    state: { type: String, required: true },
    done: { type: Number, required: true },
    total: { type: Number, required: true },
    size: Number,
    /** How many runs a worker has begun. */
    runs: Number,
    requestedAt: { type: Date, required: true },
    /** When a worker has last shown that it goes on, or the export was asked for. */
    touchedAt: { type: Date, required: true },
    expiresAt: Date,
  },
  { versionKey: false },
);
schema.index({ touchedAt: 1 });
schema.index({ expiresAt: 1 });

export const defineExportModel = (connection: Connection) =>
  connection.model('DataExport', schema, 'data_exports');

export interface ExportRecord {
  ownerId: string;
  exportId: string;
  state: DataExportState;
  done: number;
  total: number;
  size?: number | null;
  runs?: number | null;
  requestedAt: Date;
  touchedAt: Date;
  expiresAt?: Date | null;
}
type ExportDocument = Omit<ExportRecord, 'ownerId'> & { _id: Types.ObjectId };

/** One export of one user. */
export interface ExportKey {
  ownerId: string;
  exportId: string;
}

const toRecord = ({ _id, ...fields }: ExportDocument): ExportRecord => ({
  ownerId: String(_id),
  ...fields,
});
const UNDERWAY = { $in: ['queued', 'running'] };

/** The exports of users. Every change names the export that it expects. */
export type ExportStore = ReturnType<typeof createExportStore>;

export function createExportStore(model: ReturnType<typeof defineExportModel>) {
  const underway = ({ ownerId, exportId }: ExportKey) => ({
    _id: ownerId,
    exportId,
    state: UNDERWAY,
  });

  const find = async (ownerId: string): Promise<ExportRecord | null> => {
    const doc = await model.findById(ownerId).lean<ExportDocument>();
    return doc && toRecord(doc);
  };

  return {
    find,

    /** Begins an export in the place of the former one. @returns null while one is underway */
    begin: async ({ ownerId, exportId }: ExportKey, now: Date): Promise<ExportRecord | null> => {
      const fresh = {
        exportId,
        state: 'queued',
        done: 0,
        total: 0,
        requestedAt: now,
        touchedAt: now,
      };
      try {
        const doc = await model
          .findOneAndUpdate(
            { _id: ownerId, state: { $nin: UNDERWAY.$in } },
            { $set: fresh, $unset: { size: 1, runs: 1, expiresAt: 1 } },
            { upsert: true, returnDocument: 'after' },
          )
          .lean<ExportDocument>();
        return doc && toRecord(doc);
      } catch (error) {
        if (isDuplicateKey(error)) return null;
        throw error;
      }
    },

    /** Counts a run. @returns null when the export has ended, another one has followed, or the account is gone */
    beginRun: async (key: ExportKey, now: Date): Promise<ExportRecord | null> => {
      const doc = await model
        .findOneAndUpdate(
          underway(key),
          { $inc: { runs: 1 }, $set: { touchedAt: now } },
          { returnDocument: 'after' },
        )
        .lean<ExportDocument>();
      return doc && toRecord(doc);
    },

    /** Notes progress. @returns null when another export has followed, or the account is gone */
    progress: async (
      key: ExportKey,
      { done, total, now }: { done: number; total: number; now: Date },
    ): Promise<ExportRecord | null> => {
      const doc = await model
        .findOneAndUpdate(
          underway(key),
          { $set: { state: 'running', done, total, touchedAt: now } },
          { returnDocument: 'after' },
        )
        .lean<ExportDocument>();
      return doc && toRecord(doc);
    },

    /** Ends an export. @returns null when another one has followed, or the account is gone */
    end: async (
      key: ExportKey,
      end: { expiresAt: Date } & ({ state: 'ready'; size: number } | { state: 'failed' }),
    ): Promise<ExportRecord | null> => {
      const doc = await model
        .findOneAndUpdate(underway(key), { $set: end }, { returnDocument: 'after' })
        .lean<ExportDocument>();
      return doc && toRecord(doc);
    },

    /** Exports whose worker has shown nothing since. */
    findLost: async (touchedBefore: Date): Promise<ExportRecord[]> =>
      (
        await model
          .find({ state: UNDERWAY, touchedAt: { $lt: touchedBefore } })
          .limit(100)
          .lean<ExportDocument[]>()
      ).map(toRecord),

    findExpired: async (now: Date): Promise<ExportRecord[]> =>
      (
        await model
          .find({ state: { $nin: UNDERWAY.$in }, expiresAt: { $lte: now } })
          .limit(100)
          .lean<ExportDocument[]>()
      ).map(toRecord),

    remove: async ({ ownerId, exportId }: ExportKey): Promise<void> => {
      await model.deleteOne({ _id: ownerId, exportId });
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteOne({ _id: ownerId });
    },
  };
}
