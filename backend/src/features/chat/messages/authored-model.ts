import type { MessagesElsewhere } from '../../../contract/privacy.ts';
import type { MessageDocument, MessageModel } from './model.ts';
import { type ReplyRecord, toReply } from './record.ts';

const ERASED = '(erased)';

/** What a user has in conversations of others. */
export const createAuthoredStore = (model: MessageModel) => ({
  count: async (authorId: string): Promise<MessagesElsewhere> => {
    const [all, erased] = await Promise.all([
      model.countDocuments({ authorId }),
      model.countDocuments({ authorId, 'metadata.erased': true }),
    ]);
    return { kept: all - erased, erased };
  },

  /** Erases the texts. The messages stay in their places, because the replies to them belong to others. */
  erase: async (authorId: string): Promise<void> => {
    await model.updateMany(
      { authorId, 'metadata.erased': null },
      { $set: { content: ERASED, metadata: { erased: true }, unindexed: 0 } },
    );
  },

  /** The replies that the user has rated there. */
  countRatings: (userId: string): Promise<number> =>
    model.countDocuments({ 'ratings.userId': userId }),

  removeRatings: async (userId: string): Promise<void> => {
    await model.updateMany({ 'ratings.userId': userId }, { $pull: { ratings: { userId } } });
  },

  /** The replies that the user has rated, also in conversations of their own. */
  rated: async (userId: string): Promise<ReplyRecord[]> => {
    const isRated = {
      $or: [{ 'ratings.userId': userId }, { ownerId: userId, feedback: { $ne: null } }],
    };
    const found = model.find(isRated, { conversationId: 1, ownerId: 1, feedback: 1, ratings: 1 });
    return (await found.lean<MessageDocument[]>()).map(toReply);
  },

  /** The queued and running replies for a user in conversations of others. */
  activeReplies: async (userId: string): Promise<ReplyRecord[]> => {
    const found = model.find({ active: true, 'payer.userId': userId, ownerId: { $ne: userId } });
    return (await found.lean<MessageDocument[]>()).map(toReply);
  },
});
