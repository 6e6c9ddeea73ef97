import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AnyBulkWriteOperation, type Connection, Schema } from 'mongoose';
import { entryText, textSearch } from './entry-text.ts';
import type { MessageMatch, MessageSearch, SearchableMessage } from './port.ts';
import { searchWords } from './words.ts';

// A separate collection, so that the writes of running replies every 2 s do not touch the index.
const schema = new Schema(
  {
    /** The message's id. */
    _id: { type: Schema.Types.ObjectId, required: true },
    ownerId: { type: Schema.Types.ObjectId, required: true },
    conversationId: { type: Schema.Types.ObjectId, required: true },
    role: { type: String, enum: ['user', 'assistant'], required: true },
    createdAt: { type: Date, required: true },
    /** See `entryText`. */
    words: { type: String, required: true },
  },
  { versionKey: false },
);
// The words are folded before they are stored; no stemming and stop words of a language.
schema.index({ ownerId: 1, words: 'text' }, { default_language: 'none' });
schema.index({ ownerId: 1, createdAt: -1, _id: -1 });
schema.index({ conversationId: 1 });

export const defineSearchModel = (connection: Connection) =>
  connection.model('SearchEntry', schema, 'searchentries');
export type SearchModel = ReturnType<typeof defineSearchModel>;

/** Message search in a text index of MongoDB. */
export function createMongoMessageSearch(model: SearchModel): MessageSearch {
  return {
    put: async (messages) => {
      const writes: AnyBulkWriteOperation[] = [];
      for (const message of messages) {
        writes.push(writeOf(message));
        // The words of one long message take up to 50 ms.
        await nextTurn();
      }
      await model.bulkWrite(writes, { ordered: false });
    },

    find: async ({ ownerId, conversationIds, q, before, limit }) => {
      const words = searchWords(q);
      if (words.length === 0) return [];
      const docs = await model
        .find(
          {
            ownerId,
            ...(conversationIds && { conversationId: { $in: conversationIds } }),
            $text: { $search: textSearch(words) },
            ...(before && {
              createdAt: { $lte: before.createdAt },
              $or: [{ createdAt: { $lt: before.createdAt } }, { _id: { $lt: before.messageId } }],
            }),
          },
          { words: 0 },
        )
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .lean();
      return docs.map(
        ({ _id, conversationId, role, createdAt }): MessageMatch => ({
          messageId: String(_id),
          conversationId: String(conversationId),
          role,
          createdAt,
          words,
        }),
      );
    },

    remove: async ({ ownerId, conversationId, messageId }) => {
      await model.deleteMany({
        ownerId,
        ...(conversationId && { conversationId }),
        ...(messageId && { _id: messageId }),
      });
    },
  };
}

function writeOf({ id, content, ...message }: SearchableMessage): AnyBulkWriteOperation {
  const { ownerId, conversationId, role, createdAt } = message;
  const filter = { _id: id, ownerId };
  const words = entryText(content);
  if (!words) return { deleteOne: { filter } };
  const entry = { conversationId, role, createdAt, words };
  return { updateOne: { filter, update: { $set: entry }, upsert: true } };
}
