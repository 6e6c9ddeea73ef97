import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';

const { ObjectId } = Schema.Types;

const schema = new Schema(
  {
    ownerId: { type: ObjectId, required: true },
    key: { type: String, required: true },
    /** The store's id of an upload in parts. */
    uploadId: String,
    purpose: { type: String, required: true },
    /** What the client said of the file. */
    name: String,
    type: String,
    size: Number,
    /** The file that was made of the object. */
    fileId: ObjectId,
    createdAt: { type: Date, required: true },
    /** Until then the object can be uploaded and attached. */
    expiresAt: { type: Date, required: true },
    /** When the object, and then the grant, are removed; later while a worker does so. */
    sweepAt: { type: Date, required: true },
  },
  { collection: 'uploads', versionKey: false },
);

schema.index({ key: 1 }, { unique: true });
schema.index({ ownerId: 1, createdAt: 1 });
schema.index({ sweepAt: 1 });

export const defineUploadModel = (connection: Connection) => connection.model('Upload', schema);
export type UploadModel = ReturnType<typeof defineUploadModel>;

/** The permission of a user to upload one object, under a key that the server made. */
export interface UploadGrant {
  ownerId: string;
  key: string;
  uploadId?: string;
  purpose: 'chat' | 'library';
  name?: string;
  type?: string;
  /** Bytes, as declared; 0 for a grant of an earlier version that says none. */
  size: number;
  fileId?: string;
  createdAt: Date;
  expiresAt: Date;
  sweepAt: Date;
}

type Key = Pick<UploadGrant, 'ownerId' | 'key'>;

/** A grant that a worker has leased to remove it. */
export interface LeasedGrant {
  key: string;
  /** The end of the lease. */
  sweepAt: Date;
}

/** Grants. Nothing is found, changed or removed for another user than its owner. */
export const createUploadStore = (model: UploadModel, now: () => Date) => ({
  ...findCalls(model, now),
  ...changeCalls(model, now),
});

const findCalls = (model: UploadModel, now: () => Date) => ({
  /** How many grants of a user, made since then, have neither become a file nor ended. */
  countOpen: (ownerId: string, since: Date) =>
    model.countDocuments({
      ownerId,
      fileId: null,
      createdAt: { $gt: since },
      expiresAt: { $gt: now() },
    }),

  /** What the uploads of a user may take in the store that have not become a file, those that were given up included. */
  declaredBytes: async (ownerId: string): Promise<number> => {
    const [sum] = await model.aggregate<{ bytes: number }>([
      { $match: { ownerId: new Types.ObjectId(ownerId), fileId: null, sweepAt: { $gt: now() } } },
      { $group: { _id: null, bytes: { $sum: '$size' } } },
    ]);
    return sum?.bytes ?? 0;
  },

  /** The grant of a key; null when there is none, it belongs to another user, or it has ended. */
  find: async ({ ownerId, key }: Key): Promise<UploadGrant | null> => {
    const found = await model.findOne({ ownerId, key, expiresAt: { $gt: now() } }).lean();
    return found && toGrant(found);
  },
});

const changeCalls = (model: UploadModel, now: () => Date) => ({
  insert: async (grant: UploadGrant): Promise<void> => {
    await model.create(grant);
  },

  /** Notes the store's id of an upload in parts. */
  begin: async ({ ownerId, key }: Key, uploadId: string): Promise<void> => {
    await model.updateOne({ ownerId, key }, { $set: { uploadId } });
  },

  /**
   * Notes the file that was made of the upload; again with the same file does no harm.
   * @returns false when there is no such grant, or it has become another file
   */
  attach: async ({ ownerId, key, fileId }: Key & { fileId: string }): Promise<boolean> => {
    const filter = { ownerId, key, $or: [{ fileId: null }, { fileId }] };
    const { matchedCount } = await model.updateOne(filter, { $set: { fileId } });
    return matchedCount === 1;
  },

  /** Ends a grant that has not become a file: it is not found any more, and swept at `sweepAt`. */
  end: async ({ ownerId, key }: Key, { sweepAt }: { sweepAt: Date }): Promise<void> => {
    const expiresAt = now();
    const open = { ownerId, key, fileId: null, expiresAt: { $gt: expiresAt } };
    await model.updateOne(open, { $set: { expiresAt, sweepAt } });
  },

  /**
   * Ends all grants of a user and forgets what they say of files. They stay until `sweepAt` at most, because a signed
   * address lets its holder write until it expires.
   */
  endAll: async (ownerId: string, { sweepAt }: { sweepAt: Date }): Promise<void> => {
    const forget = { uploadId: 1, name: 1, type: 1, size: 1, fileId: 1 };
    const end = { $set: { expiresAt: now() }, $min: { sweepAt }, $unset: forget };
    await model.updateMany({ ownerId }, end);
  },

  /** Leases one grant that is due; null when none is. Each is leased by one worker at a time. */
  leaseDue: async (until: Date): Promise<LeasedGrant | null> => {
    const due = { sweepAt: { $lte: now() } };
    const lease = { $set: { sweepAt: until } };
    const found = await model.findOneAndUpdate(due, lease, { sort: { sweepAt: 1 } }).lean();
    return found && { key: found.key, sweepAt: until };
  },

  /** Removes a leased grant, unless the lease has passed to another worker. */
  drop: async ({ key, sweepAt }: LeasedGrant): Promise<void> => {
    await model.deleteOne({ key, sweepAt });
  },
});

function toGrant(doc: InferSchemaType<typeof schema>): UploadGrant {
  const { key, uploadId, name, type, size, fileId } = doc;
  const { createdAt, expiresAt, sweepAt } = doc;
  return {
    ownerId: String(doc.ownerId),
    key,
    purpose: doc.purpose === 'library' ? 'library' : 'chat',
    size: size ?? 0,
    createdAt,
    expiresAt,
    sweepAt,
    ...(uploadId != null && { uploadId }),
    ...(name != null && { name }),
    ...(type != null && { type }),
    ...(fileId && { fileId: String(fileId) }),
  };
}
