import { type Connection, Schema, type Types } from 'mongoose';
import type { MemoryState } from '../../contract/memory.ts';
import { unlessDuplicate } from '../../db/mongo.ts';
import { recordsBy } from '../../db/records.ts';
import {
  type EventRecord,
  eventId,
  type MemoryRecord,
  type NewMemory,
  type ScopeOf,
  snapshotOf,
} from './record.ts';

const { ObjectId, Mixed } = Schema.Types;

const schema = new Schema(
  {
    ownerId: { type: ObjectId, required: true },
    scope: { type: String, enum: ['user', 'persona', 'project'], required: true },
    scopeId: { type: String, default: null },
    kind: { type: String, required: true },
    text: { type: String, default: '' },
    state: { type: String, enum: ['active', 'pending', 'superseded', 'deleted'], required: true },
    isPinned: { type: Boolean, required: true },
    version: { type: Number, required: true },
    reason: { type: String, default: null },
    supersedes: { type: ObjectId, default: null },
    source: { type: Mixed, default: null },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    lastEvent: { type: Mixed, required: true },
    /** Its text has been removed here; the texts in its events follow. */
    isErasing: Boolean,
  },
  { versionKey: false, minimize: false },
);
schema.index({ ownerId: 1, state: 1, updatedAt: -1 });
schema.index({ ownerId: 1, 'lastEvent.replyId': 1 });
schema.index({ isErasing: 1 }, { sparse: true });

export const defineMemoryModel = (connection: Connection) =>
  connection.model('Memory', schema, 'memories');

export type MemoryModel = ReturnType<typeof defineMemoryModel>;

interface Stored extends Omit<MemoryRecord, 'id' | 'ownerId' | 'supersedes'> {
  _id: unknown;
  ownerId: Types.ObjectId;
  supersedes: Types.ObjectId | null;
  isErasing?: boolean;
}

const toRecord = ({ _id, isErasing: _isErasing, ...doc }: Stored): MemoryRecord => ({
  ...doc,
  id: String(_id),
  ownerId: String(doc.ownerId),
  supersedes: doc.supersedes ? String(doc.supersedes) : null,
});

/** The changed fields of a memory. */
export type Changes = Partial<
  Pick<MemoryRecord, 'text' | 'kind' | 'state' | 'isPinned' | 'reason' | 'source'>
>;

export type Cause = Pick<EventRecord, 'op' | 'actor' | 'replyId' | 'at'>;

const LISTED = 1_000;
const PRESENT: readonly MemoryState[] = ['active', 'pending'];

/** Memories. Every query filters by owner. */
export const createMemoryStore = (model: MemoryModel) => ({
  ...readCalls(model),
  ...insertCalls(model),
  ...updateCalls(model),
});

const recordsIn = recordsBy(toRecord);
const LAST_CHANGED_FIRST = { updatedAt: -1, _id: -1 } as const;

function readCalls(model: MemoryModel) {
  return {
    find: (id: string, ownerId: string): Promise<MemoryRecord | null> =>
      recordsIn(model).findOne({ _id: id, ownerId }),

    findMany: (ids: string[], ownerId: string): Promise<MemoryRecord[]> =>
      recordsIn(model).find({ _id: { $in: ids }, ownerId }),

    /** Memories in one of the states, active and pending by default, last changed first; optionally only of `scopes`. */
    list: (
      ownerId: string,
      {
        states = PRESENT,
        scopes,
      }: { states?: readonly MemoryState[] | undefined; scopes?: ScopeOf[] } = {},
    ): Promise<MemoryRecord[]> => {
      const filter = {
        ownerId,
        state: { $in: states },
        ...(scopes && { $or: scopes.map(({ scope, scopeId }) => ({ scope, scopeId })) }),
      };
      return recordsIn(model).find(filter, { sort: LAST_CHANGED_FIRST, limit: LISTED });
    },

    /** All memories that are not deleted, last changed first. */
    all: (ownerId: string): Promise<MemoryRecord[]> =>
      recordsIn(model).find({ ownerId, state: { $ne: 'deleted' } }, { sort: LAST_CHANGED_FIRST }),

    /** Deleted memories that were saved from a message. */
    deletedOf: (messageId: string, ownerId: string): Promise<MemoryRecord[]> =>
      recordsIn(model).find({ ownerId, state: 'deleted', 'source.messageId': messageId }),

    count: (ownerId: string): Promise<number> =>
      model.countDocuments({ ownerId, state: { $in: PRESENT } }),

    /** Memories whose last change a reply caused. */
    changedBy: (replyId: string, ownerId: string): Promise<MemoryRecord[]> =>
      recordsIn(model).find({ ownerId, 'lastEvent.replyId': replyId }),

    /** Deleted memories whose events still have texts. */
    erasing: (limit: number): Promise<MemoryRecord[]> =>
      recordsIn(model).find({ isErasing: true }, { limit }),
  };
}

const insertCalls = (model: MemoryModel) => ({
  /** @returns null when a memory with this id exists, even a deleted one */
  insert: async (memory: NewMemory, cause: Cause): Promise<MemoryRecord | null> => {
    const { id: memoryId, ownerId } = memory;
    const { at } = cause;
    const whole = { ...memory, version: 1, isPinned: false, createdAt: at, updatedAt: at };
    const of = { id: eventId(memoryId, 1), memoryId, ownerId };
    const lastEvent = { ...cause, ...of, before: null, after: snapshotOf(whole) };
    const { id: _id, ...fields } = { ...whole, lastEvent };
    const inserted = await unlessDuplicate(model.create({ ...fields, _id }));
    return inserted && { ...whole, lastEvent };
  },
});

const updateCalls = (model: MemoryModel) => ({
  /**
   * Changes this version of a memory.
   * @returns null when it has another version
   */
  change: (memory: MemoryRecord, changes: Changes, cause: Cause): Promise<MemoryRecord | null> => {
    const { id, ownerId, version } = memory;
    const next = { ...memory, ...changes, version: version + 1 };
    const isErased = next.state === 'deleted';
    const lastEvent = {
      ...cause,
      id: eventId(id, next.version),
      memoryId: id,
      ownerId,
      before: { ...snapshotOf(memory), ...(isErased && { text: '' }) },
      after: snapshotOf(next),
    };
    const set = { ...changes, version: next.version, updatedAt: cause.at, lastEvent };
    return recordsIn(model).update(
      { _id: id, ownerId, version },
      { $set: { ...set, ...(isErased && { isErasing: true }) } },
    );
  },

  markErased: async (ids: string[], ownerId: string): Promise<void> => {
    await model.updateMany({ _id: { $in: ids }, ownerId }, { $unset: { isErasing: 1 } });
  },

  removeAllOf: async (ownerId: string): Promise<void> => {
    await model.deleteMany({ ownerId });
  },
});
