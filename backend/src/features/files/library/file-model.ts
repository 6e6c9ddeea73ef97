import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import type { FileKind, FileState, Unread, UnreadKind } from '../../../contract/files.ts';
import { recordsBy } from '../../../db/records.ts';
import { taskFields } from '../../../jobs/durable-model.ts';
import { grantsField, onlyShared, toGrants } from '../../record-grants-model.ts';
import type { FileRecord } from './file-record.ts';

const { ObjectId } = Schema.Types;

const schema = new Schema(
  {
    ownerId: { type: ObjectId, required: true },
    name: { type: String, required: true },
    type: { type: String, required: true },
    kind: { type: String, required: true },
    size: { type: Number, required: true },
    sha256: { type: String, required: true },
    state: { type: String, required: true },
    problem: new Schema({ code: String, message: String }, { _id: false }),
    progress: new Schema({ done: Number, total: Number }, { _id: false }),
    pages: Number,
    textBytes: Number,
    truncated: Boolean,
    /** What of its pages was not read. */
    unread: {
      type: [new Schema({ kind: String, count: Number, pages: [Number] }, { _id: false })],
      default: undefined,
    },
    /** The pages whose recognition its stored text contains, and those of the text before. */
    recognised: Number,
    replaced: Number,
    hasThumbnail: Boolean,
    inLibrary: Boolean,
    conversationIds: [ObjectId],
    /** Earlier owners, and the conversations that used it then: it opens there as before. */
    formerOwners: { type: [ObjectId], default: undefined },
    formerUses: { type: [ObjectId], default: undefined },
    createdAt: { type: Date, required: true },
    grants: grantsField,
    /** When it was last attached for a message, or released by a conversation, without a send since. */
    unusedSince: Date,
    /** The source of its content; absent once it is stored. */
    upload: new Schema({ key: String, etag: String }, { _id: false }),
    /** When the current step of storing began; absent once it is stored. */
    storingSince: Date,
    /** The state of its reading as a task: `tries` are attempts, `faults` failures. `again`: it was read again on request. */
    reading: new Schema(
      {
        tries: Number,
        faults: Number,
        again: Boolean,
        lost: taskFields.lost,
        heartbeatAt: taskFields.heartbeatAt,
        dueAt: taskFields.dueAt,
      },
      { _id: false },
    ),
    /** The recognition of text in its pictures, a task. `total` and `done` count pages. */
    recognition: new Schema(
      { isPending: Boolean, done: Number, total: Number, ...taskFields },
      { _id: false },
    ),
  },
  { versionKey: false, minimize: false },
);

// A user's content is stored once.
schema.index({ ownerId: 1, sha256: 1 }, { unique: true });
schema.index({ ownerId: 1, createdAt: -1, _id: -1 });
schema.index({ ownerId: 1, conversationIds: 1 });
// What is shared with one principal, newest first.
schema.index({ 'grants.principal': 1, createdAt: -1, _id: -1 }, onlyShared);
schema.index({ storingSince: 1 }, { sparse: true });
schema.index({ unusedSince: 1 }, { sparse: true });
// Files whose reading is overdue.
schema.index({ state: 1, 'reading.dueAt': 1 });
schema.index({ 'recognition.isPending': 1, 'recognition.dueAt': 1 }, { sparse: true });

export type FileDocument = InferSchemaType<typeof schema> & { _id: Types.ObjectId };

export const defineFileModel = (connection: Connection) =>
  connection.model('File', schema, 'files');
export type FileModel = ReturnType<typeof defineFileModel>;

export function toFileRecord(doc: FileDocument): FileRecord {
  const { problem, progress, pages, textBytes, unread, recognition, recognised } = doc;
  return {
    id: String(doc._id),
    ownerId: String(doc.ownerId),
    name: doc.name,
    type: doc.type,
    kind: doc.kind as FileKind,
    size: doc.size,
    sha256: doc.sha256,
    state: doc.state as FileState,
    ...(problem && { problem: problem as FileRecord['problem'] & object }),
    ...(progress && { progress: progress as FileRecord['progress'] & object }),
    ...(pages != null && { pages }),
    ...(textBytes != null && { textBytes }),
    truncated: doc.truncated ?? false,
    ...(unread && { unread: unread.map(toUnread) }),
    ...(recognition?.isPending && {
      recognition: { done: recognition.done ?? 0, total: recognition.total ?? 0 },
    }),
    ...(recognised && { recognised }),
    ...(doc.replaced != null && { replaced: doc.replaced }),
    hasThumbnail: doc.hasThumbnail ?? false,
    inLibrary: doc.inLibrary ?? false,
    conversationIds: doc.conversationIds.map(String),
    formerOwners: (doc.formerOwners ?? []).map(String),
    formerUses: (doc.formerUses ?? []).map(String),
    grants: toGrants(doc.grants),
    createdAt: doc.createdAt,
  };
}

export const filesIn = recordsBy(toFileRecord);

const toUnread = ({ kind, count, pages }: NonNullable<FileDocument['unread']>[number]): Unread => ({
  kind: kind as UnreadKind,
  count: count ?? pages.length,
  pages,
});
