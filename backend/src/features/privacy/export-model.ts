import { type Connection, Schema, type Types } from 'mongoose';
import type { DataExportState } from '../../contract/privacy.ts';
import { unlessDuplicate } from '../../db/mongo.ts';
import { recordsBy } from '../../db/records.ts';
import { createTaskStore, taskFields } from '../../jobs/durable-model.ts';

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
    requestedAt: { type: Date, required: true },
    expiresAt: Date,
    ...taskFields,
  },
  { versionKey: false },
);
schema.index({ state: 1, dueAt: 1 });
schema.index({ expiresAt: 1 });

export const defineExportModel = (connection: Connection) =>
  connection.model('DataExport', schema, 'data_exports');

/** One export of one user. */
export interface ExportKey {
  ownerId: string;
  exportId: string;
}

export interface ExportRecord extends ExportKey {
  state: DataExportState;
  done: number;
  total: number;
  size?: number | null;
  requestedAt: Date;
  expiresAt?: Date | null;
}
type ExportDocument = Omit<ExportRecord, 'ownerId'> & { _id: Types.ObjectId };

const toRecord = ({ _id, ...fields }: ExportDocument): ExportRecord => ({
  ownerId: String(_id),
  ...fields,
});
const exportsIn = recordsBy(toRecord);
const UNDERWAY = { $in: ['queued', 'running'] };

/** The exports of users. Every change filters by the expected export. */
export type ExportStore = ReturnType<typeof createExportStore>;

export function createExportStore(model: ReturnType<typeof defineExportModel>) {
  return {
    tasks: createTaskStore<ExportKey, ExportDocument, ExportRecord>(model, {
      path: '',
      key: ({ ownerId, exportId }) => ({ _id: ownerId, exportId }),
      pending: { state: UNDERWAY },
      keysOf: ({ _id, exportId }) => [{ ownerId: String(_id), exportId }],
      toDoc: toRecord,
    }),

    find: (ownerId: string): Promise<ExportRecord | null> =>
      exportsIn(model).findOne({ _id: ownerId }),

    /**
     * Begins an export that replaces the former one, whose object has been removed.
     * @returns null while one is under way, or when another one than `formerId` is there
     */
    begin: (
      { ownerId, exportId }: ExportKey,
      {
        formerId = null,
        now,
        dueAt,
      }: { formerId?: string | null | undefined; now: Date; dueAt: Date },
    ): Promise<ExportRecord | null> => {
      const fresh = { exportId, state: 'queued', done: 0, total: 0, requestedAt: now, dueAt };
      const former = { size: 1, expiresAt: 1, attempt: 1, lost: 1, failures: 1 };
      return unlessDuplicate(
        exportsIn(model).update(
          { _id: ownerId, exportId: formerId, state: { $nin: UNDERWAY.$in } },
          { $set: fresh, $unset: former },
          { upsert: true },
        ),
      );
    },

    /** Exports under way have no expiry. */
    findExpired: (now: Date): Promise<ExportRecord[]> =>
      exportsIn(model).find({ expiresAt: { $lte: now } }, { limit: 100 }),

    remove: async ({ ownerId, exportId }: ExportKey): Promise<void> => {
      await model.deleteOne({ _id: ownerId, exportId });
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteOne({ _id: ownerId });
    },
  };
}
