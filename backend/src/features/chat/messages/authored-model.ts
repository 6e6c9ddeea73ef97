import type { MessagesElsewhere } from '../../../contract/privacy.ts';
import type { MessageDocument, MessageModel } from './model.ts';
import {
  type ReplyRecord,
  repliesIn,
  type Scope,
  toUserMessage,
  type UserMessageRecord,
} from './record.ts';

const ERASED = '(erased)';

/** The messages of a user in one conversation, erased ones included. */
export interface AuthoredIn extends Scope {
  messageIds: string[];
}

/** What a user has in conversations of others. */
export const createAuthoredStore = (model: MessageModel) => ({
  ...writtenStore(model),
  ...ratedStore(model),
});

const writtenStore = (model: MessageModel) => ({
  count: async (authorId: string): Promise<MessagesElsewhere> => {
    const [all, erased] = await Promise.all([
      model.countDocuments({ authorId }),
      model.countDocuments({ authorId, 'metadata.erased': true }),
    ]);
    return { kept: all - erased, erased };
  },

  /** The conversations with messages of the user. */
  places: async (authorId: string): Promise<AuthoredIn[]> => {
    const ids = { conversationId: 1, ownerId: 1 };
    const places = new Map<string, AuthoredIn>();
    for (const doc of await model.find({ authorId }, ids).lean<MessageDocument[]>()) {
      const [conversationId, ownerId] = [String(doc.conversationId), String(doc.ownerId)];
      const place = places.get(conversationId) ?? { conversationId, ownerId, messageIds: [] };
      place.messageIds.push(String(doc._id));
      places.set(conversationId, place);
    }
    return [...places.values()];
  },

  /** The texts of the first messages of a conversation that are the user's and not erased. */
  firstTexts: async ({ conversationId, messageIds }: AuthoredIn): Promise<string[]> => {
    const first = { _id: { $in: messageIds }, parentId: null, 'metadata.erased': null };
    const found = model.find({ conversationId, ...first }, { content: 1 });
    return (await found.lean<MessageDocument[]>()).map(({ content }) => content ?? '');
  },

  /** Removes quotations of the messages from the checks of replies. */
  eraseQuotes: async ({ conversationId, messageIds }: AuthoredIn): Promise<void> => {
    const ofThese = { 'source.messageId': { $in: messageIds } };
    await model.updateMany(
      { conversationId, 'metadata.claims.claims.evidence.source.messageId': { $in: messageIds } },
      { $pull: { 'metadata.claims.claims.$[].evidence': ofThese } },
    );
  },

  /** The messages in conversations of others that are not erased. */
  async *written(authorId: string): AsyncGenerator<UserMessageRecord> {
    const found = model.find({ authorId, ownerId: { $ne: authorId }, 'metadata.erased': null });
    for await (const doc of found.lean<MessageDocument[]>().cursor()) yield toUserMessage(doc);
  },

  /** Erases the texts. The messages stay in their places, because the replies to them belong to others. */
  erase: async (authorId: string): Promise<void> => {
    await model.updateMany(
      { authorId, 'metadata.erased': null },
      // Not 0: a worker that has read the text for the search must not take this mark for its own.
      { $set: { content: ERASED, metadata: { erased: true }, unindexed: 1 } },
    );
  },

  /** The queued and running replies for a user in conversations of others. */
  activeReplies: (userId: string): Promise<ReplyRecord[]> =>
    repliesIn(model).find({ active: true, 'payer.userId': userId, ownerId: { $ne: userId } }),
});

const ratedStore = (model: MessageModel) => ({
  /** The replies that the user has rated there. */
  countRatings: (userId: string): Promise<number> =>
    model.countDocuments({ 'ratings.userId': userId }),

  removeRatings: async (userId: string): Promise<void> => {
    await model.updateMany({ 'ratings.userId': userId }, { $pull: { ratings: { userId } } });
  },

  /** The replies that the user has rated, also in conversations of their own. */
  rated: (userId: string): Promise<ReplyRecord[]> =>
    repliesIn(model).find(
      { $or: [{ 'ratings.userId': userId }, { ownerId: userId, feedback: { $ne: null } }] },
      { projection: { conversationId: 1, ownerId: 1, feedback: 1, ratings: 1 } },
    ),
});
