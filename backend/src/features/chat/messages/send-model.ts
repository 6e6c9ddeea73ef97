import { createHash } from 'node:crypto';
import { isDuplicateKey } from '../../../db/mongo.ts';
import type { Lane } from '../../usage/index.ts';
import {
  type MessageDocument,
  type MessageModel,
  type ReplyRecord,
  type ReservedTokens,
  toRecord,
  toReply,
  type UserMessageRecord,
} from './model.ts';

/** A user message and the reply to it. */
export interface SentMessageRecord {
  message: UserMessageRecord;
  reply: ReplyRecord;
}

export interface SentMessageIds {
  messageId: string;
  replyId: string;
}

/** The conversation of a record and its owner: every query names both. */
export interface Scope {
  conversationId: string;
  ownerId: string;
}

interface NewReply extends Scope {
  /** How many messages stand above the reply. */
  depth: number;
  reserved: ReservedTokens;
  lane: Lane;
  /** The conversation's active leaf at this moment; the reply takes its place. */
  leafBefore: string | null;
  /** Greater than that of every other message of the conversation; not a clock's time. */
  createdAt: Date;
  now: Date;
}

interface NewSend extends NewReply {
  ids: SentMessageIds;
  clientMessageId: string;
  content: string;
  /** The reply that the message follows; null for a first message. */
  parentId: string | null;
  /** UTF-8 bytes down to the user message. */
  pathLength: number;
}

/**
 * The ids of a sent message are hashes of the conversation and the client's id. So a repeated send, even a parallel
 * one, collides at the primary key, and quota can be reserved for the reply before anything is stored.
 */
export function sentMessageIds(conversationId: string, clientMessageId: string): SentMessageIds {
  const digest = createHash('sha256').update(`${conversationId}:${clientMessageId}`).digest('hex');
  return { replyId: digest.slice(0, 24), messageId: digest.slice(24, 48) };
}

/** Creates messages and replies; a send that a crash interrupted can be completed. */
export type SendStore = ReturnType<typeof createSendStore>;

export function createSendStore(model: MessageModel) {
  /** Inserts what starts with a queued reply. Null when another reply is active or the ids exist already. */
  const insert = async <T>(documents: object[]): Promise<T[] | null> => {
    try {
      const inserted = await model.insertMany(documents, { ordered: true });
      return inserted.map((document) => toRecord(document.toObject()) as T);
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  };

  return {
    /** The sent message, if its reply is stored; a user message that a crash has lost comes from the outbox. */
    find: async (
      { messageId, replyId }: SentMessageIds,
      { conversationId, ownerId }: Scope,
    ): Promise<SentMessageRecord | null> => {
      const docs = await model
        .find({ _id: { $in: [messageId, replyId] }, conversationId, ownerId })
        .lean<MessageDocument[]>();
      const replyDoc = docs.find(({ role }) => role === 'assistant');
      if (!replyDoc) return null;
      const reply = toReply(replyDoc);
      const messageDoc = docs.find(({ role }) => role === 'user');
      const message = messageDoc ? toRecord(messageDoc) : messageInOutbox(reply);
      return message?.role === 'user' ? { message, reply } : null;
    },

    /**
     * Stores a user message and its queued reply. The reply goes first and carries the message in its outbox, so that
     * a crash between the two leaves a send that can be completed.
     * @returns null when this send is stored already, or another reply of the conversation is active.
     */
    insert: async (send: NewSend): Promise<SentMessageRecord | null> => {
      const { ids, conversationId, ownerId, clientMessageId, content, createdAt, pathLength } =
        send;
      const parent = send.parentId ? { parentId: send.parentId } : {};
      const message = { content, createdAt, pathLength, ...parent };
      const inserted = await insert<UserMessageRecord | ReplyRecord>([
        {
          ...queuedReply({ ...send, createdAt: new Date(createdAt.getTime() + 1) }),
          _id: ids.replyId,
          jobId: ids.replyId,
          parentId: ids.messageId,
          clientMessageId,
          outbox: { message, leafBefore: send.leafBefore },
        },
        {
          ...message,
          _id: ids.messageId,
          conversationId,
          ownerId,
          clientMessageId,
          role: 'user',
          depth: send.depth - 1,
        },
      ]);
      const [reply, stored] = inserted ?? [];
      return reply?.role === 'assistant' && stored?.role === 'user'
        ? { message: stored, reply }
        : null;
    },

    /**
     * Stores another queued reply to a user message.
     * @returns null when another reply of the conversation is active.
     */
    insertSibling: async (
      reply: NewReply & { id: string; parentId: string },
    ): Promise<ReplyRecord | null> => {
      const { id, parentId, leafBefore } = reply;
      const document = {
        ...queuedReply(reply),
        _id: id,
        jobId: id,
        parentId,
        outbox: { leafBefore },
      };
      const [inserted] = (await insert<ReplyRecord>([document])) ?? [];
      return inserted ?? null;
    },

    /** Stores the user message of a reply if a crash has lost it. @returns whether it was missing. */
    storeMessage: async (reply: ReplyRecord): Promise<boolean> => {
      const message = messageInOutbox(reply);
      if (!message) return false;
      const { id, parentId, ...fields } = message;
      try {
        const { upsertedCount } = await model.updateOne(
          { _id: id },
          { $setOnInsert: { ...fields, ...(parentId && { parentId }) } },
          { upsert: true },
        );
        return upsertedCount === 1;
      } catch (error) {
        // Another process completed the same send at the same moment.
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}

const queuedReply = ({
  conversationId,
  ownerId,
  depth,
  reserved,
  lane,
  createdAt,
  now,
}: NewReply): object => ({
  conversationId,
  ownerId,
  depth,
  reserved,
  lane,
  createdAt,
  heartbeatAt: now,
  role: 'assistant',
  status: 'queued',
  active: true,
  attempt: 0,
});

function messageInOutbox({
  outbox,
  parentId,
  conversationId,
  ownerId,
  clientMessageId,
  depth,
}: ReplyRecord): UserMessageRecord | null {
  if (!outbox?.message) return null;
  return {
    ...outbox.message,
    id: parentId,
    conversationId,
    ownerId,
    ...(clientMessageId && { clientMessageId }),
    role: 'user',
    depth: depth - 1,
  };
}
