import type { SearchableMessage } from '../../../search/index.ts';
import type { MessageDocument, MessageModel } from '../messages/model.ts';

/** A message that the search has not indexed yet. */
export interface UnindexedMessage extends SearchableMessage {
  /** The attempt that wrote the text; 0 for a user message. */
  version: number;
}

const FIELDS = {
  ownerId: 1,
  conversationId: 1,
  role: 1,
  content: 1,
  createdAt: 1,
  unindexed: 1,
} as const;

const toMessage = (doc: MessageDocument): UnindexedMessage => ({
  id: String(doc._id),
  ownerId: String(doc.ownerId),
  conversationId: String(doc.conversationId),
  role: doc.role,
  content: doc.content,
  createdAt: doc.createdAt,
  version: doc.unindexed ?? 0,
});

/** Reads of messages for the search, and marks of the indexed ones. */
export function createUnindexedStore(model: MessageModel) {
  return {
    find: async ({
      except,
      limit,
    }: {
      /** Ids of messages to leave out. */
      except: string[];
      limit: number;
    }): Promise<UnindexedMessage[]> => {
      const docs = await model
        .find({ unindexed: { $gte: 0 }, _id: { $nin: except } }, FIELDS)
        .limit(limit)
        .lean<MessageDocument[]>();
      return docs.map(toMessage);
    },

    /** @returns false when the message is gone, or a later attempt has written another text */
    markIndexed: async ({
      id,
      conversationId,
      ownerId,
      version,
    }: UnindexedMessage): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: id, conversationId, ownerId, unindexed: version },
        { $unset: { unindexed: 1 } },
      );
      return matchedCount === 1;
    },

    exists: async ({
      id,
      conversationId,
      ownerId,
    }: Pick<UnindexedMessage, 'id' | 'conversationId' | 'ownerId'>): Promise<boolean> =>
      (await model.exists({ _id: id, conversationId, ownerId })) !== null,

    /** The texts of those messages that exist, by id. */
    texts: async (
      matches: readonly { messageId: string; conversationId: string }[],
      ownerId: string,
    ): Promise<Map<string, string>> => {
      const docs = await model
        .find(
          {
            conversationId: { $in: [...new Set(matches.map((match) => match.conversationId))] },
            _id: { $in: matches.map((match) => match.messageId) },
            ownerId,
          },
          { content: 1 },
        )
        .lean<MessageDocument[]>();
      return new Map(docs.map(({ _id, content }) => [String(_id), content]));
    },
  };
}
