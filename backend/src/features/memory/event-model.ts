import { type Connection, Schema, type Types } from 'mongoose';
import { recordsBy } from '../../db/records.ts';
import type { EventRecord } from './record.ts';

const { ObjectId } = Schema.Types;

const snapshot = new Schema(
  { text: String, kind: String, state: String, isPinned: Boolean, version: Number },
  { _id: false },
);

// Append-only. Erasing empties the texts of an event; nothing else changes it.
const schema = new Schema(
  {
    _id: { type: String, required: true },
    ownerId: { type: ObjectId, required: true },
    memoryId: { type: ObjectId, required: true },
    op: { type: String, required: true },
    before: { type: snapshot, default: null },
    after: { type: snapshot, required: true },
    actor: { type: String, required: true },
    replyId: { type: ObjectId, default: null },
    at: { type: Date, required: true },
  },
  { versionKey: false },
);
schema.index({ memoryId: 1, 'after.version': 1 });
schema.index({ ownerId: 1, replyId: 1 });

export const defineEventModel = (connection: Connection) =>
  connection.model('MemoryEvent', schema, 'memory_events');

type Stored = Omit<EventRecord, 'id' | 'memoryId' | 'ownerId' | 'replyId'> & {
  _id: string;
  memoryId: Types.ObjectId;
  ownerId: Types.ObjectId;
  replyId: Types.ObjectId | null;
};

const toEvent = ({ _id: id, memoryId, ownerId, replyId, ...rest }: Stored): EventRecord => ({
  ...rest,
  id,
  memoryId: String(memoryId),
  ownerId: String(ownerId),
  replyId: replyId ? String(replyId) : null,
});

const eventsIn = recordsBy(toEvent);

/** The changes of memories, as events. */
export const createEventStore = (model: ReturnType<typeof defineEventModel>) => ({
  /** Adds an event; an existing one stays unchanged. */
  append: async ({ id, ownerId, ...event }: EventRecord): Promise<void> => {
    await model.updateOne({ _id: id, ownerId }, { $setOnInsert: event }, { upsert: true });
  },

  /** Oldest first. */
  ofMemory: (memoryId: string, ownerId: string): Promise<EventRecord[]> =>
    eventsIn(model).find({ memoryId, ownerId }, { sort: { 'after.version': 1 } }),

  ofReply: (replyId: string, ownerId: string): Promise<EventRecord[]> =>
    eventsIn(model).find({ ownerId, replyId }),

  /** All of a user, oldest first. */
  all: (ownerId: string): Promise<EventRecord[]> =>
    eventsIn(model).find({ ownerId }, { sort: { at: 1, _id: 1 } }),

  /** Empties the texts of all events of these memories. */
  blank: async (memoryIds: string[], ownerId: string): Promise<void> => {
    const these = { memoryId: { $in: memoryIds }, ownerId };
    await model.updateMany(these, { $set: { 'after.text': '' } });
    await model.updateMany({ ...these, before: { $ne: null } }, { $set: { 'before.text': '' } });
  },

  removeAllOf: async (ownerId: string): Promise<void> => {
    await model.deleteMany({ ownerId });
  },
});
