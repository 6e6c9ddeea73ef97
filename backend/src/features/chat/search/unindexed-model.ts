import { recordsBy } from '../../../db/records.ts';
import { inPartitions } from '../../../jobs/partitions.ts';
import type { SearchableMessage } from '../../../search/index.ts';
import type { MessageDocument, MessageModel } from '../messages/model.ts';

/** A message that the search has not indexed yet. */
export interface UnindexedMessage extends SearchableMessage {
  /** The attempt that wrote the text; 0 for a user message, 1 once it is erased. */
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

/** Waiting messages that are read for their partitions. */
const PROBED = 200;

/**
 * The partitions of the messages: first and last digit of ranges of the first hexadecimal digit of a conversation's id, which is a hash.
 * There are few, because each one with a waiting message costs three database commands a second.
 */
const PARTITIONS = ['03', '47', '8b', 'cf'];

const partitionOf = (conversationId: string): string =>
  PARTITIONS.find(([, last = '']) => conversationId.slice(0, 1) <= last) ?? '';

const inPartition = ([first = '', last = '']: string) => ({
  $gte: first.padEnd(24, '0'),
  $lte: last.padEnd(24, 'f'),
});

/** Ids of messages to leave out. */
interface Except {
  except: string[];
}

/** Reads of messages for the search, and marks of the indexed ones. */
export const createUnindexedStore = (model: MessageModel) => ({
  ...waitingStore(model),
  ...existingStore(model),
});

function waitingStore(model: MessageModel) {
  return {
    /** Partitions with waiting messages, in random order, so that workers begin with different ones. */
    partitions: async ({ except }: Except): Promise<string[]> => {
      const docs = await model
        .find({ unindexed: { $gte: 0 }, _id: { $nin: except } }, { conversationId: 1 })
        .limit(PROBED)
        .lean<MessageDocument[]>();
      const ids = docs.map(({ conversationId }) => String(conversationId));
      return inPartitions(ids, partitionOf).map(([partition]) => partition);
    },

    find: ({
      partition,
      except,
      limit,
    }: Except & { partition: string; limit: number }): Promise<UnindexedMessage[]> =>
      recordsBy(toMessage)(model).find(
        {
          conversationId: inPartition(partition),
          unindexed: { $gte: 0 },
          _id: { $nin: except },
        },
        { projection: FIELDS, limit },
      ),

    /** @returns false when one of them is gone, or a later attempt has written another text */
    markIndexed: async (messages: readonly UnindexedMessage[]): Promise<boolean> => {
      const { matchedCount } = await model.bulkWrite(
        messages.map(({ id, conversationId, ownerId, version }) => ({
          updateOne: {
            filter: { _id: id, conversationId, ownerId, unindexed: version },
            update: { $unset: { unindexed: 1 } },
          },
        })),
        { ordered: false },
      );
      return matchedCount === messages.length;
    },

    /** Marks those messages that have no mark, so that they are indexed once more. */
    markAgain: async (messages: readonly UnindexedMessage[]): Promise<void> => {
      await model.bulkWrite(
        messages.map(({ id, conversationId, ownerId, version }) => ({
          updateOne: {
            filter: { _id: id, conversationId, ownerId, unindexed: null },
            update: { $set: { unindexed: version } },
          },
        })),
        { ordered: false },
      );
    },
  };
}

function existingStore(model: MessageModel) {
  return {
    /** The ids of those messages that exist. */
    existing: async (messages: readonly UnindexedMessage[]): Promise<Set<string>> => {
      const docs = await model
        .find(
          {
            conversationId: { $in: messages.map(({ conversationId }) => conversationId) },
            ownerId: { $in: messages.map(({ ownerId }) => ownerId) },
            _id: { $in: messages.map(({ id }) => id) },
          },
          { _id: 1 },
        )
        .lean<Pick<MessageDocument, '_id'>[]>();
      return new Set(docs.map(({ _id }) => String(_id)));
    },

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
