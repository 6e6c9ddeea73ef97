import { Types } from 'mongoose';
import { userPrincipal } from '../../../access/index.ts';
import { unlessDuplicate } from '../../../db/mongo.ts';
import { createGrantStore } from '../../record-grants-model.ts';
import { type FileDocument, type FileModel, filesIn, toFileRecord } from './file-model.ts';
import type { FileRecord } from './file-record.ts';

/** A file and its owner. */
export interface FileKey {
  id: string;
  ownerId: string;
}

/** The uploaded object from which a file's content is copied. */
export interface UploadSource {
  key: string;
  etag: string;
}

/** The fields of a new file, whose state is `storing`. */
export type NewFile = Pick<
  FileRecord,
  'id' | 'ownerId' | 'name' | 'type' | 'kind' | 'size' | 'sha256' | 'inLibrary' | 'createdAt'
> & { upload: UploadSource };

/** A file whose content is not in its place yet. */
export type StoringFile = FileRecord & { upload: UploadSource };

export interface FilePlace {
  createdAt: Date;
  id: string;
}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Whose files: those of an owner, or those shared with a principal. */
export type Listed = { ownerId: string } | { principal: string };

/** The records of files. */
export const createFileStore = (model: FileModel) => ({
  ...createGrantStore<FileRecord>(model, toFileRecord),
  ...findCalls(model),
  ...pageCalls(model),
  ...storeCalls(model),
  ...storageCalls(model),
  ...handOverCalls(model),
});

const findCalls = (model: FileModel) => ({
  /** @returns null for a file of another owner */
  find: ({ id, ownerId }: FileKey): Promise<FileRecord | null> =>
    filesIn(model).findOne({ _id: id, ownerId }),

  /** Those files among `ids`, of anybody, that a conversation uses or that are shared. */
  findOfOthers: (ids: string[]): Promise<FileRecord[]> =>
    filesIn(model).find({
      _id: { $in: ids },
      $or: [
        { 'conversationIds.0': { $exists: true } },
        { 'formerUses.0': { $exists: true } },
        { 'grants.principal': { $exists: true } },
      ],
    }),

  /** Those files among `ids` that are shared with anybody. */
  findSharedAmong: (ids: string[]): Promise<FileRecord[]> =>
    filesIn(model).find({ _id: { $in: ids }, 'grants.principal': { $exists: true } }),

  /** The owner's files among `ids`, in no order; and those of earlier owners that this conversation of the owner uses. */
  findMany: async (
    ownerId: string,
    ids: string[],
    conversationId?: string,
  ): Promise<FileRecord[]> => {
    if (ids.length === 0) return [];
    const own = await filesIn(model).find({ _id: { $in: ids }, ownerId });
    if (!conversationId || own.length === ids.length) return own;
    const known = new Set(own.map(({ id }) => id));
    const missing = ids.filter((id) => !known.has(id));
    const used = await filesIn(model).find({
      _id: { $in: missing },
      $or: [{ conversationIds: conversationId }, { formerUses: conversationId }],
    });
    return [...own, ...used];
  },

  findByContent: (ownerId: string, sha256: string): Promise<FileRecord | null> =>
    filesIn(model).findOne({ ownerId, sha256 }),
});

const pageCalls = (model: FileModel) => ({
  /** A page of files, newest first. `q` is text that the name contains. */
  page: (
    of: Listed,
    {
      q,
      ids,
      before,
      limit,
    }: {
      q?: string | undefined;
      ids?: string[] | undefined;
      before?: FilePlace | undefined;
      limit: number;
    },
  ): Promise<FileRecord[]> =>
    filesIn(model).find(
      {
        ...('ownerId' in of ? of : { 'grants.principal': of.principal }),
        ...(ids && { _id: { $in: ids } }),
        ...(q && { name: { $regex: literally(q), $options: 'i' } }),
        ...(before && {
          createdAt: { $lte: before.createdAt },
          $or: [{ createdAt: { $lt: before.createdAt } }, { _id: { $lt: before.id } }],
        }),
      },
      { sort: { createdAt: -1, _id: -1 }, limit },
    ),
});

const storeCalls = (model: FileModel) => ({
  /** @returns false when the owner has a file with the same content */
  insert: async ({ id, ...file }: NewFile): Promise<boolean> => {
    const inserted = model.create({
      ...file,
      _id: id,
      state: 'storing',
      storingSince: file.createdAt,
      ...(!file.inLibrary && { unusedSince: file.createdAt }),
    });
    return (await unlessDuplicate(inserted)) !== null;
  },

  /**
   * Attached again: a library upload puts the file into the library, any other restarts its time without use.
   * @returns null when the file was deleted meanwhile
   */
  attachAgain: (
    { id, ownerId }: FileKey,
    { inLibrary, now }: { inLibrary: boolean; now: Date },
  ): Promise<FileRecord | null> =>
    filesIn(model).update(
      { _id: id, ownerId },
      { $set: inLibrary ? { inLibrary } : { unusedSince: now } },
    ),

  /**
   * Records that the content is in its place.
   * @returns null unless the file was `storing`
   */
  markStored: ({ id, ownerId }: FileKey): Promise<FileRecord | null> =>
    filesIn(model).update(
      { _id: id, ownerId, state: 'storing' },
      { $set: { state: 'waiting' }, $unset: { upload: 1, storingSince: 1 } },
    ),
});

const storageCalls = (model: FileModel) => ({
  /** Files in state `storing` since before `before`. */
  storing: async ({ before, limit }: { before: Date; limit: number }): Promise<StoringFile[]> => {
    const docs = await model
      .find({ storingSince: { $lt: before }, state: 'storing' })
      .limit(limit)
      .lean<FileDocument[]>();
    return docs.map((doc) => ({
      ...toFileRecord(doc),
      upload: { key: doc.upload?.key ?? '', etag: doc.upload?.etag ?? '' },
    }));
  },

  /** Bytes of the owner's files except those with these ids. */
  sumOf: async (ownerId: string, { except }: { except: string[] }): Promise<number> => {
    const others = { $nin: except.map((id) => new Types.ObjectId(id)) };
    const [sum] = await model.aggregate<{ bytes: number }>([
      { $match: { ownerId: new Types.ObjectId(ownerId), _id: others } },
      { $group: { _id: null, bytes: { $sum: '$size' } } },
    ]);
    return sum?.bytes ?? 0;
  },
});

/** The next owner of a file. */
const handOverCalls = (model: FileModel) => ({
  /**
   * Gives a file to another user, into the library.
   * @returns null when it has changed since it was read, and when the user has a file with the same content
   */
  giveTo: (
    { id, ownerId, state, recognised, conversationIds }: FileRecord,
    to: string,
  ): Promise<FileRecord | null> =>
    unlessDuplicate(
      filesIn(model).update(
        {
          _id: id,
          ownerId,
          state,
          recognised: recognised ?? { $exists: false },
          conversationIds: { $size: conversationIds.length },
        },
        {
          $set: { ownerId: to, inLibrary: true, conversationIds: [] },
          $addToSet: { formerOwners: ownerId, formerUses: { $each: conversationIds } },
          $pull: { grants: { principal: userPrincipal(to) } },
          $unset: { unusedSince: 1 },
        },
      ),
    ),
});
