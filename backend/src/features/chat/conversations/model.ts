import { type Connection, Schema, type Types } from 'mongoose';

const schema = new Schema(
  {
    ownerId: { type: Schema.Types.ObjectId, required: true },
    title: { type: String, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false },
);
schema.index({ ownerId: 1, updatedAt: -1 });

interface ConversationDocument {
  _id: Types.ObjectId;
  ownerId: Types.ObjectId;
  title: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface ConversationRecord {
  id: string;
  title: string;
  createdAt: Date;
  updatedAt: Date;
}

const toRecord = ({ _id, title, createdAt, updatedAt }: ConversationDocument) => ({
  id: String(_id),
  title,
  createdAt,
  updatedAt,
});

export const defineConversationModel = (connection: Connection) =>
  connection.model('Conversation', schema, 'conversations');

/** Conversations, each only for its owner. */
export type ConversationStore = ReturnType<typeof createConversationStore>;

export function createConversationStore(model: ReturnType<typeof defineConversationModel>) {
  return {
    insert: async (ownerId: string, title: string, now: Date): Promise<ConversationRecord> => {
      const doc = await model.create({ ownerId, title, createdAt: now, updatedAt: now });
      return toRecord(doc.toObject());
    },

    /** The owner's conversations, the last used first. */
    list: async (ownerId: string): Promise<ConversationRecord[]> => {
      const docs = await model
        .find({ ownerId })
        .sort({ updatedAt: -1 })
        .lean<ConversationDocument[]>();
      return docs.map(toRecord);
    },

    findOwn: async (id: string, ownerId: string): Promise<ConversationRecord | null> => {
      const doc = await model.findOne({ _id: id, ownerId }).lean<ConversationDocument>();
      return doc && toRecord(doc);
    },

    /** Moves a conversation to the top of its owner's list. */
    touch: async (id: string, ownerId: string, now: Date): Promise<ConversationRecord | null> => {
      const doc = await model
        .findOneAndUpdate(
          { _id: id, ownerId },
          { $set: { updatedAt: now } },
          { returnDocument: 'after' },
        )
        .lean<ConversationDocument>();
      return doc && toRecord(doc);
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteMany({ ownerId });
    },
  };
}
