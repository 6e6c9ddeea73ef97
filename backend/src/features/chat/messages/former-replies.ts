import type { Migration } from '../../../db/migrate.ts';
import { isMissingIndex, type ObjectId } from '../../../db/mongo.ts';

/** What a reply was while it was charged as a whole and not by attempt. */
interface FormerReply {
  _id: ObjectId;
  ownerId: ObjectId;
  content?: string;
  attempt?: number;
  usage?: { promptTokens?: number; completionTokens?: number };
  heartbeatAt?: Date;
  active?: boolean;
  /** The next attempt continues the text. */
  keepText?: boolean;
  /** Ended, but not charged as far as is known. */
  unsettled?: boolean;
}

interface FormerUsage {
  _id: string;
  ownerId: ObjectId;
  holds: { replyId: unknown }[];
}

const FORMER_INDEX = 'unsettled_1';

/** A charge that usage has not seen. An attempt that never started is charged nothing. */
const chargeOf = ({ attempt = 0, usage, heartbeatAt = new Date(0) }: FormerReply) => ({
  attempt,
  promptTokens: usage?.promptTokens ?? 0,
  completionTokens: usage?.completionTokens ?? 0,
  at: heartbeatAt,
  ...(attempt === 0 && { release: true }),
});

/**
 * Replies whose worker was lost before it charged them get their charge, and replies that were to be continued the length
 * of the text that they continue. The former usage held tokens for a reply until it was charged: a reply without them was
 * charged already. Hence this runs before the migration of usage, which drops them.
 */
export const formerRepliesMigration: Migration = {
  id: '0004-unsettled-replies',
  run: async (connection) => {
    const messages = connection.collection<FormerReply>('messages');
    const usage = connection.collection<FormerUsage>('usage');

    const isHeld = async ({ _id, ownerId }: FormerReply): Promise<boolean> => {
      const documents = await usage.find({ ownerId }).toArray();
      return documents.some(({ holds }) =>
        holds.some(({ replyId }) => String(replyId) === String(_id)),
      );
    };

    for await (const reply of messages.find({ unsettled: true }))
      await messages.updateOne(
        { _id: reply._id, unsettled: true },
        {
          $unset: { unsettled: 1 },
          ...((await isHeld(reply)) && { $set: { charges: [chargeOf(reply)] } }),
        },
      );
    for await (const { _id, content = '' } of messages.find({ keepText: true, active: true }))
      await messages.updateOne(
        { _id, keepText: true },
        { $set: { keptLength: content.length }, $unset: { keepText: 1 } },
      );
    await messages.updateMany({ keepText: { $exists: true } }, { $unset: { keepText: 1 } });
    await connection
      .collection('messages')
      .dropIndex(FORMER_INDEX)
      .catch((error: unknown) => {
        if (!isMissingIndex(error)) throw error;
      });
  },
};
