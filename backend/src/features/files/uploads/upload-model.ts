import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';

const { ObjectId } = Schema.Types;

const schema = new Schema(
  {
    /** The key of the object: names the owner, and is unique. */
    _id: { type: String, required: true },
    ownerId: { type: ObjectId, required: true },
    /** The store's id of a multipart upload. */
    uploadId: String,
    purpose: { type: String, required: true },
    /** The client's statements about the file. */
    name: String,
    type: String,
    size: Number,
    /** The attached file. */
    fileId: ObjectId,
    createdAt: { type: Date, required: true },
    /** The end of the time to upload and attach the object. */
    expiresAt: { type: Date, required: true },
    /** When the object, and then the grant, are removed; later while a worker removes them. */
    sweepAt: { type: Date, required: true },
  },
  { collection: 'uploads', versionKey: false },
);

schema.index({ ownerId: 1, createdAt: 1 });
schema.index({ sweepAt: 1 });

export const defineUploadModel = (connection: Connection) => connection.model('Upload', schema);
export type UploadModel = ReturnType<typeof defineUploadModel>;

/** The grant that lets a user upload one object, under a key that the server made. */
export interface UploadGrant {
  ownerId: string;
  key: string;
  uploadId?: string;
  purpose: 'chat' | 'library';
  name?: string;
  type?: string;
  /** Bytes, as declared; 0 for a grant of an earlier version without a size. */
  size: number;
  fileId?: string;
  createdAt: Date;
  expiresAt: Date;
  sweepAt: Date;
}

type Key = Pick<UploadGrant, 'ownerId' | 'key'>;

/** A grant that a worker has leased in order to remove it. */
export interface LeasedGrant extends Key {
  /** The end of the lease. */
  sweepAt: Date;
}

/** Grants. Every query filters by owner. */
export const createUploadStore = (model: UploadModel, now: () => Date) => ({
  ...findCalls(model, now),
  ...changeCalls(model, now),
});

const findCalls = (model: UploadModel, now: () => Date) => ({
  /** The number of a user's grants created since then that have neither become a file nor ended. */
  countOpen: (ownerId: string, since: Date) =>
    model.countDocuments({
      ownerId,
      fileId: null,
      createdAt: { $gt: since },
      expiresAt: { $gt: now() },
    }),

  /** Maximum bytes in the store of a user's uploads that have not become a file, ended ones included. */
  declaredBytes: async (ownerId: string): Promise<number> => {
    const [sum] = await model.aggregate<{ bytes: number }>([
      { $match: { ownerId: new Types.ObjectId(ownerId), fileId: null, sweepAt: { $gt: now() } } },
      { $group: { _id: null, bytes: { $sum: '$size' } } },
    ]);
    return sum?.bytes ?? 0;
  },

  /** The grant of a key; null when there is none, it belongs to another user, or it has ended. */
  find: async ({ ownerId, key }: Key): Promise<UploadGrant | null> => {
    const found = await model.findOne({ _id: key, ownerId, expiresAt: { $gt: now() } }).lean();
    return found && toGrant(found);
  },
});

const changeCalls = (model: UploadModel, now: () => Date) => ({
  insert: async ({ key, ...grant }: UploadGrant): Promise<void> => {
    await model.create({ ...grant, _id: key });
  },

  /** Stores the store's id of a multipart upload. */
  begin: async ({ ownerId, key }: Key, uploadId: string): Promise<void> => {
    await model.updateOne({ _id: key, ownerId }, { $set: { uploadId } });
  },

  /**
   * Stores the file of the upload; repeating it with the same file does no harm.
   * @returns false when there is no such grant, or it has become another file
   */
  attach: async ({ ownerId, key, fileId }: Key & { fileId: string }): Promise<boolean> => {
    const filter = { _id: key, ownerId, $or: [{ fileId: null }, { fileId }] };
    const { matchedCount } = await model.updateOne(filter, { $set: { fileId } });
    return matchedCount === 1;
  },

  /** Ends a grant that has not become a file: reads no longer find it, and it is swept at `sweepAt`. */
  end: async ({ ownerId, key }: Key, { sweepAt }: { sweepAt: Date }): Promise<void> => {
    const expiresAt = now();
    const open = { _id: key, ownerId, fileId: null, expiresAt: { $gt: expiresAt } };
    await model.updateOne(open, { $set: { expiresAt, sweepAt } });
  },

  /**
   * Ends all grants of a user and removes their data about files. They stay until `sweepAt` at most, because a signed URL lets its holder
   * write until it expires.
   */
  endAll: async (ownerId: string, { sweepAt }: { sweepAt: Date }): Promise<void> => {
    const forget = { uploadId: 1, name: 1, type: 1, size: 1, fileId: 1 };
    const end = { $set: { expiresAt: now() }, $min: { sweepAt }, $unset: forget };
    await model.updateMany({ ownerId }, end);
  },

  /** Leases one due grant; null when none is due. Each is leased by one worker at a time. */
  leaseDue: async (until: Date): Promise<LeasedGrant | null> => {
    const due = { sweepAt: { $lte: now() } };
    const lease = { $set: { sweepAt: until } };
    const found = await model.findOneAndUpdate(due, lease, { sort: { sweepAt: 1 } }).lean();
    return found && { key: found._id, ownerId: String(found.ownerId), sweepAt: until };
  },

  /** Removes a leased grant, unless another worker has leased it since. */
  drop: async ({ key, ownerId, sweepAt }: LeasedGrant): Promise<void> => {
    await model.deleteOne({ _id: key, ownerId, sweepAt });
  },
});

function toGrant(doc: InferSchemaType<typeof schema>): UploadGrant {
  const { _id: key, uploadId, name, type, size, fileId } = doc;
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
