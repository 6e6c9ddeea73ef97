import { createHash } from 'node:crypto';
import { isDuplicateKey } from '../../../db/mongo.ts';
import {
  type MessageDocument,
  type MessageModel,
  type MessageRecord,
  type ReplyRecord,
  toRecord,
  toReply,
  type UserMessageRecord,
} from './model.ts';

/** A user message and the reply to it. */
export interface Turn {
  message: UserMessageRecord;
  reply: ReplyRecord;
}

export interface NewTurn {
  conversationId: string;
  ownerId: string;
  clientMessageId: string;
  content: string;
  now: Date;
}

/**
 * The ids of a turn follow from what makes a send the same send. So a repeated send, however parallel, meets
 * itself at the primary key, and the quota can be held for the reply before anything is stored.
 */
export function turnIds(conversationId: string, clientMessageId: string) {
  const digest = createHash('sha256').update(`${conversationId}:${clientMessageId}`).digest('hex');
  return { replyId: digest.slice(0, 24), messageId: digest.slice(24, 48) };
}

/** Turns: sending, and reading a conversation in order. */
export type TurnStore = ReturnType<typeof createTurnStore>;

export function createTurnStore(model: MessageModel) {
  const upsertMessage = async (reply: MessageDocument) => {
    if (!reply.outbox?.content || !reply.outbox.createdAt) return;
    const { conversationId, ownerId, clientMessageId } = reply;
    const { content, createdAt } = reply.outbox;
    await model
      .updateOne(
        { _id: reply.parentId },
        {
          $setOnInsert: {
            conversationId,
            ownerId,
            clientMessageId,
            content,
            createdAt,
            role: 'user',
          },
        },
        { upsert: true },
      )
      // Somebody else completed the same turn at the same moment.
      .catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
  };

  const find = async (replyId: string): Promise<Turn | null> => {
    const reply = await model.findById(replyId).lean<MessageDocument>();
    if (!reply) return null;
    await upsertMessage(reply);
    const message = await model.findById(reply.parentId).lean<MessageDocument>();
    if (!message) return null;
    return { message: toRecord(message) as UserMessageRecord, reply: toReply(reply) };
  };

  return {
    /** The turn of that reply, if it was stored; completes one whose second half was lost in a crash. */
    find,

    /**
     * Stores message and queued reply. The reply goes first and carries the message along, so that a crash
     * between the two leaves a turn that anybody who meets it completes.
     * @returns the stored turn (an earlier one when this send is a repetition), or 'busy' when another reply
     *   of the conversation is active.
     */
    insert: async (turn: NewTurn): Promise<Turn | 'busy'> => {
      const { conversationId, ownerId, clientMessageId, content, now } = turn;
      const { replyId, messageId } = turnIds(conversationId, clientMessageId);
      const shared = { conversationId, ownerId, clientMessageId };
      const reply = {
        ...shared,
        _id: replyId,
        role: 'assistant',
        // One millisecond later, so that the order of the two never depends on their ids.
        createdAt: new Date(now.getTime() + 1),
        parentId: messageId,
        status: 'queued',
        active: true,
        attempt: 0,
        reserved: { promptTokens: Math.ceil(content.length / 4), replyTokens: 4_000 },
        jobId: replyId,
        heartbeatAt: now,
        outbox: { content, createdAt: now },
      };
      const message = { ...shared, _id: messageId, role: 'user', content, createdAt: now };
      try {
        await model.insertMany([reply, message], { ordered: true });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return (await find(replyId)) ?? 'busy';
      }
      const stored = await find(replyId);
      if (!stored) throw new Error('The turn vanished right after it was stored.');
      return stored;
    },

    /** Makes sure that the reply's user message is stored. */
    complete: async (replyId: string): Promise<void> => {
      const reply = await model.findById(replyId).lean<MessageDocument>();
      if (reply) await upsertMessage(reply);
    },

    /** All messages of a conversation, oldest first. */
    list: async (conversationId: string): Promise<MessageRecord[]> => {
      const docs = await model
        .find({ conversationId })
        .select('-outbox')
        .sort({ createdAt: 1, _id: 1 })
        .lean<MessageDocument[]>();
      return docs.map(toRecord);
    },

    /** Up to `limit` messages before the given moment, oldest first: what a prompt is made of. */
    before: async (
      conversationId: string,
      { createdAt, limit }: { createdAt: Date; limit: number },
    ): Promise<MessageRecord[]> => {
      const docs = await model
        .find({ conversationId, createdAt: { $lt: createdAt } })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .lean<MessageDocument[]>();
      return docs.map(toRecord).toReversed();
    },

    /** The id of the newest message of a conversation. */
    lastId: async (conversationId: string): Promise<string | null> => {
      const [doc] = await model
        .find({ conversationId }, { _id: 1 })
        .sort({ createdAt: -1, _id: -1 })
        .limit(1)
        .lean<MessageDocument[]>();
      return doc ? String(doc._id) : null;
    },

    path: async ({
      conversationId,
      leafId,
      limit,
    }: {
      conversationId: string;
      leafId: string;
      limit: number;
    }): Promise<MessageRecord[]> => {
      const docs = await model
        .find({ conversationId })
        .select('-outbox')
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .lean<MessageDocument[]>();
      const records = docs.map(toRecord).toReversed();
      return records.slice(0, records.findIndex(({ id }) => id === leafId) + 1);
    },

    children: async (
      { conversationId, ownerId }: { conversationId: string; ownerId: string },
      { parentId }: { parentId: string | null; depth: number },
    ): Promise<{ id: string }[]> => {
      const docs = await model.find({ conversationId, ownerId, parentId }, { _id: 1 }).lean();
      return docs.map(({ _id }) => ({ id: String(_id) }));
    },

    completeSend: async ({ id }: ReplyRecord): Promise<boolean> => {
      const reply = await model.findById(id).lean<MessageDocument>();
      const before = await model.countDocuments({ _id: reply?.parentId });
      if (reply) await upsertMessage(reply);
      return before === 0;
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteMany({ ownerId });
    },
  };
}
