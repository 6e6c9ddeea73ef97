import { type Connection, Schema, type Types } from 'mongoose';
import type { FileDocument, FileModel } from './file-model.ts';
import type { FileKey } from './records-model.ts';

const schema = new Schema(
  {
    /** Absent in notes of earlier builds, whose `_id` is the id of the file. */
    fileId: Schema.Types.ObjectId,
    ownerId: { type: Schema.Types.ObjectId, required: true },
    at: { type: Date, required: true },
  },
  { versionKey: false },
);
schema.index({ at: 1 });
schema.index({ ownerId: 1, fileId: 1 });

export const defineDeletedFileModel = (connection: Connection) =>
  connection.model('DeletedFile', schema, 'deleted_files');

interface DeletedFileDocument {
  _id: Types.ObjectId;
  fileId?: Types.ObjectId;
  ownerId: Types.ObjectId;
}

/**
 * Deletes the records of files. A note is stored before: a note without a record means that objects of the file may remain, a note with a
 * record that the deletion did not happen.
 */
export function createDeletionStore(
  files: FileModel,
  notes: ReturnType<typeof defineDeletedFileModel>,
) {
  const remove = async ({ id, ownerId }: FileKey, condition: object): Promise<boolean> =>
    (await files.deleteOne({ _id: id, ownerId, ...condition })).deletedCount === 1;

  return {
    note: async ({ id, ownerId }: FileKey, now: Date): Promise<void> => {
      const key = { ownerId, fileId: id };
      await notes.updateOne(key, { $set: { at: now } }, { upsert: true });
    },

    /** Drops a note, unless another deletion has noted the file since `before`. */
    forget: async ({ id, ownerId }: FileKey, { before }: { before: Date }): Promise<void> => {
      const ids = { $or: [{ fileId: id }, { _id: id }] };
      await notes.deleteMany({ ownerId, ...ids, at: { $lt: before } });
    },

    /** Files that were noted before `before`, oldest note first. */
    noted: async ({ before, limit }: { before: Date; limit: number }): Promise<FileKey[]> =>
      keys(
        await notes
          .find({ at: { $lt: before } })
          .sort({ at: 1 })
          .limit(limit)
          .lean<DeletedFileDocument[]>(),
      ),

    /** @returns false when the owner has no such file */
    remove: (file: FileKey): Promise<boolean> => remove(file, {}),

    /** Removes a file that only this conversation uses: it is not in the library, and was not attached again for an unsent message. */
    removeOnlyUsedBy: (file: FileKey, conversationId: string): Promise<boolean> =>
      remove(file, {
        conversationIds: { $size: 1, $all: [conversationId] },
        inLibrary: { $ne: true },
        unusedSince: null,
      }),

    /** Removes a file that `unused` found, if it is still unused. */
    removeUnused: (file: FileKey, { before }: { before: Date }): Promise<boolean> =>
      remove(file, unused(before)),

    /** Removes a file whose content never arrived. */
    removeStoring: (file: FileKey): Promise<boolean> => remove(file, { state: 'storing' }),

    /** Files that no conversation uses, that are not in the library, and that have been unused since `before`. */
    unused: async ({ before, limit }: { before: Date; limit: number }): Promise<FileKey[]> =>
      keys(await files.find(unused(before), { ownerId: 1 }).limit(limit).lean<FileDocument[]>()),

    removeAllOf: async (ownerId: string): Promise<void> => {
      await files.deleteMany({ ownerId });
      await notes.deleteMany({ ownerId });
    },
  };
}

const keys = (docs: DeletedFileDocument[]): FileKey[] =>
  docs.map(({ _id, fileId = _id, ownerId }) => ({ id: String(fileId), ownerId: String(ownerId) }));

const unused = (before: Date) => ({
  unusedSince: { $lt: before },
  conversationIds: { $size: 0 },
  inLibrary: { $ne: true },
});
