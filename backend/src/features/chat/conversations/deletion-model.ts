import { matchesOne } from '../../../db/mongo.ts';
import {
  type ConversationDocument,
  type ConversationModel,
  type ConversationRecord,
  conversationsIn,
} from './model.ts';

type ConversationKey = Pick<ConversationRecord, 'id' | 'ownerId'>;

/** A conversation to erase, with the files of its earlier owners. */
type Erased = Pick<ConversationRecord, 'id' | 'ownerId' | 'formerOwners'>;

/** Deleted conversations: no read finds them. They can be restored for a while and are erased afterwards. */
export const createConversationDeletionStore = (model: ConversationModel) => ({
  ...markingStore(model),
  ...erasingStore(model),
});

function markingStore(model: ConversationModel) {
  return {
    /** @returns null when the owner has no such conversation, or it is already deleted */
    markDeleted: (
      { id, ownerId }: ConversationKey,
      now: Date,
    ): Promise<ConversationRecord | null> =>
      conversationsIn(model).update(
        { _id: id, ownerId, deletedAt: null },
        { $set: { deletedAt: now } },
      ),

    /** @returns null when it was deleted before `since`, or is being erased or imported */
    restore: (
      { id, ownerId }: ConversationKey,
      { since }: { since: Date },
    ): Promise<ConversationRecord | null> =>
      conversationsIn(model).update(
        { _id: id, ownerId, deletedAt: { $gte: since }, isErasing: null, importId: null },
        { $unset: { deletedAt: 1 } },
      ),

    /** Deletes temporary conversations that were created before `before`; these cannot be restored. */
    markExpired: async ({ before, now }: { before: Date; now: Date }) => {
      const docs = await model
        .find({ temporary: true, createdAt: { $lt: before }, deletedAt: null }, { ownerId: 1 })
        .lean<ConversationDocument[]>();
      const ids = docs.map(({ _id }) => _id);
      const expired = { deletedAt: now, isErasing: true };
      await model.updateMany({ _id: { $in: ids }, deletedAt: null }, { $set: expired });
      return docs.map(
        ({ _id, ownerId }): ConversationKey => ({
          id: String(_id),
          ownerId: String(ownerId),
        }),
      );
    },
  };
}

function erasingStore(model: ConversationModel) {
  return {
    /** Conversations that were deleted before `before` and that no worker erases. */
    deleted: async ({
      before,
      now,
      limit,
    }: {
      before: Date;
      now: Date;
      limit: number;
    }): Promise<Erased[]> => {
      const docs = await model
        .find({ deletedAt: { $lt: before }, ...unleased(now) }, { ownerId: 1, formerOwners: 1 })
        .sort({ deletedAt: 1 })
        .limit(limit)
        .lean<ConversationDocument[]>();
      return docs.map(({ _id, ownerId, formerOwners }) => ({
        id: String(_id),
        ownerId: String(ownerId),
        formerOwners: (formerOwners ?? []).map(String),
      }));
    },

    /**
     * Marks a conversation as being erased: it cannot be restored, and until `leasedUntil` no other worker erases it.
     * @returns false when it was restored meanwhile, or another worker erases it
     */
    beginErasing: (
      { id, ownerId }: ConversationKey,
      { before, now, leasedUntil }: { before: Date; now: Date; leasedUntil: Date },
    ): Promise<boolean> =>
      matchesOne(
        model.updateOne(
          { _id: id, ownerId, deletedAt: { $lt: before }, handover: null, ...unleased(now) },
          { $set: { isErasing: true, leasedUntil } },
        ),
      ),

    /** Ends the lease when the conversation could not be erased yet. */
    release: async (
      { id, ownerId }: ConversationKey,
      { leasedUntil }: { leasedUntil: Date },
    ): Promise<void> => {
      await model.updateOne({ _id: id, ownerId, leasedUntil }, { $unset: { leasedUntil: 1 } });
    },

    /** Removes a conversation that is being erased. */
    remove: async ({ id, ownerId }: ConversationKey): Promise<void> => {
      await model.deleteOne({ _id: id, ownerId, isErasing: true });
    },
  };
}

const unleased = (now: Date) => ({ $or: [{ leasedUntil: null }, { leasedUntil: { $lte: now } }] });
