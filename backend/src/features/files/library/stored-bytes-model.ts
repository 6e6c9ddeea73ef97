import { type Connection, Schema, type Types } from 'mongoose';
import { unlessDuplicate } from '../../../db/mongo.ts';

const schema = new Schema(
  {
    _id: Schema.Types.ObjectId,
    /** Bytes of the owner's files, including reserved ones. */
    used: { type: Number, required: true },
    /** Raised by every change, so that a recount detects it. */
    version: { type: Number, required: true },
    /** Reserved bytes of files whose records may not exist yet. */
    pending: [{ _id: false, fileId: Schema.Types.ObjectId, bytes: Number, at: Date }],
  },
  { versionKey: false },
);
schema.index({ 'pending.at': 1 }, { sparse: true });

export const defineStorageModel = (connection: Connection) =>
  connection.model('FileStorage', schema, 'file_storage');
export type StorageModel = ReturnType<typeof defineStorageModel>;

interface StorageDocument {
  _id: Types.ObjectId;
  used: number;
  version: number;
  pending: { fileId: Types.ObjectId; bytes: number; at: Date }[];
}

/** The reservation of bytes for a file before its record is inserted. */
export interface StorageReservation {
  fileId: string;
  bytes: number;
  at: Date;
}

export interface StorageRecord {
  used: number;
  version: number;
  pending: StorageReservation[];
}

/** One counter of stored bytes per owner; every change is a single update. */
export const createStoredBytesStore = (model: StorageModel) => ({
  ...counterCalls(model),
  ...reservationCalls(model),
});

const counterCalls = (model: StorageModel) => ({
  find: async (ownerId: string): Promise<StorageRecord> => {
    const doc = await model.findById(ownerId).lean<StorageDocument>();
    if (!doc) return { used: 0, version: 0, pending: [] };
    const pending = doc.pending.map(({ fileId, bytes, at }) => ({
      fileId: String(fileId),
      bytes,
      at,
    }));
    return { used: doc.used, version: doc.version, pending };
  },

  /** Stores a new count. @returns false when the counter has changed since `version` */
  correct: async (ownerId: string, { version, ...count }: StorageRecord): Promise<boolean> => {
    const { matchedCount } = await model.updateOne(
      { _id: ownerId, version },
      { $set: count, $inc: { version: 1 } },
    );
    return matchedCount === 1;
  },

  removeOf: async (ownerId: string): Promise<void> => {
    await model.deleteOne({ _id: ownerId });
  },
});

const reservationCalls = (model: StorageModel) => ({
  /** @returns false when `limit` leaves no room for these bytes */
  reserve: async (
    ownerId: string,
    reservation: StorageReservation,
    limit: number,
  ): Promise<boolean> => {
    const room = limit - reservation.bytes;
    if (room < 0) return false;
    const add = (options: { upsert: boolean }) =>
      model.updateOne(
        { _id: ownerId, used: { $lte: room } },
        { $inc: { used: reservation.bytes, version: 1 }, $push: { pending: reservation } },
        options,
      );
    if (await unlessDuplicate(add({ upsert: true }))) return true;
    // The counter exists: there is no room, or another upload has just created it.
    return (await add({ upsert: false })).matchedCount === 1;
  },

  /** The file's record exists and is counted from now on. */
  settle: async (ownerId: string, fileId: string): Promise<void> => {
    await model.updateOne(
      { _id: ownerId },
      { $pull: { pending: { fileId } }, $inc: { version: 1 } },
    );
  },

  /** The file's record will not be inserted. */
  release: async (
    ownerId: string,
    { fileId, bytes }: Pick<StorageReservation, 'fileId' | 'bytes'>,
  ): Promise<void> => {
    await model.updateOne(
      { _id: ownerId, 'pending.fileId': fileId },
      { $pull: { pending: { fileId } }, $inc: { used: -bytes, version: 1 } },
    );
  },

  /** Owners with a reservation that is older than `before`. */
  withReservationsBefore: async ({
    before,
    limit,
  }: {
    before: Date;
    limit: number;
  }): Promise<string[]> => {
    const docs = await model
      .find({ 'pending.at': { $lt: before } }, { _id: 1 })
      .limit(limit)
      .lean<StorageDocument[]>();
    return docs.map(({ _id }) => String(_id));
  },
});
