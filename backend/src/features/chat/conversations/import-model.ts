import { Types } from 'mongoose';
import { matchesOne } from '../../../db/mongo.ts';
import {
  type ConversationDocument,
  type ConversationModel,
  type ConversationRecord,
  conversationIdOf,
  conversationsIn,
  insertUnlessStored,
  toRecord,
} from './model.ts';

/** A conversation that an import is storing. Every import has its own `importId`. */
export interface ImportKey {
  id: string;
  ownerId: string;
  importId: string;
}

interface NewImport extends Omit<ImportKey, 'id'> {
  clientConversationId: string;
  title: string;
  createdAt: Date;
  now: Date;
}

/**
 * Conversations that are being imported. Until all messages are stored they count as deleted: no read finds them, and the remains of a
 * crashed import are erased like a deleted conversation.
 */
export const createConversationImportStore = (model: ConversationModel) => ({
  ...beginningStore(model),
  ...endingStore(model),
});

const own = ({ id, ownerId, importId }: ImportKey) => ({ _id: id, ownerId, importId });

function beginningStore(model: ConversationModel) {
  return {
    /** Begins an import, or finds the conversation that was already created with this `clientConversationId`. */
    begin: async ({
      ownerId,
      importId,
      clientConversationId,
      title,
      createdAt,
      now,
    }: NewImport): Promise<
      { begun: ImportKey } | { found: ConversationRecord; isImporting: boolean }
    > => {
      const id = conversationIdOf(ownerId, clientConversationId);
      const document: ConversationDocument = {
        _id: Types.ObjectId.createFromHexString(id),
        ownerId: Types.ObjectId.createFromHexString(ownerId),
        title,
        createdAt,
        updatedAt: now,
        deletedAt: now,
        importId,
      };
      const found = await insertUnlessStored(model, document);
      return found
        ? { found: toRecord(found), isImporting: found.importId != null }
        : { begun: { id, ownerId, importId } };
    },
  };
}

function endingStore(model: ConversationModel) {
  return {
    /**
     * Extends the lease, so that the conversation is not erased.
     * @returns false when it is being erased, or gone
     */
    renew: (key: ImportKey, now: Date): Promise<boolean> =>
      matchesOne(model.updateOne({ ...own(key), isErasing: null }, { $set: { deletedAt: now } })),

    /**
     * Turns it into an ordinary conversation.
     * @returns null when it is being erased, or gone
     */
    complete: (
      key: ImportKey,
      { activeLeafId, updatedAt }: { activeLeafId: string | null; updatedAt: Date },
    ): Promise<ConversationRecord | null> =>
      conversationsIn(model).update(
        { ...own(key), isErasing: null },
        {
          $set: { updatedAt, ...(activeLeafId && { activeLeafId }) },
          $unset: { deletedAt: 1, importId: 1 },
        },
      ),

    /** Removes the conversation of an import that failed. */
    abandon: async (key: ImportKey): Promise<void> => {
      await model.deleteOne(own(key));
    },
  };
}
