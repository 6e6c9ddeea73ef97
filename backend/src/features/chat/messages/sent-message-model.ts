import { createHash } from 'node:crypto';
import { Types } from 'mongoose';
import type { MessageMetadata } from '../../../contract/messages.ts';
import { unlessDuplicate } from '../../../db/mongo.ts';
import type { ReplySettings } from '../../context.ts';
import type { Payer } from '../../payer.ts';
import type { Lane } from '../../usage/index.ts';
import { replyJobId } from './job-id.ts';
import type { MessageDocument, MessageModel } from './model.ts';
import type { Remembered } from './outbox-model.ts';
import {
  type MessageRecord,
  messagesIn,
  type ReplyRecord,
  type ReservedTokens,
  type Scope,
  storedPayer,
  toReply,
  toUserMessage,
  type UserMessageRecord,
} from './record.ts';
import { storedSettings } from './settings.ts';

/** A user message and the reply to it. */
export interface SentMessageRecord {
  message: UserMessageRecord;
  reply: ReplyRecord;
}

export interface SentMessageIds {
  messageId: string;
  replyId: string;
}

interface NewReply extends Scope {
  /** The number of messages above the reply. */
  depth: number;
  reserved: ReservedTokens;
  payer: Payer;
  lane: Lane;
  settings: ReplySettings;
  /** The leaf that the author sees, which the reply replaces. */
  leafBefore: string | null;
  /** Whether the conversation is shared. */
  isShared: boolean;
  /** Later than every other message of the conversation, independent of clocks. */
  createdAt: Date;
  now: Date;
}

interface NewSentMessage extends NewReply {
  ids: SentMessageIds;
  clientMessageId: string;
  content: string;
  /** The reply above the message; null for a first message. */
  parentId: string | null;
  /** UTF-8 bytes from the root to the user message. */
  pathLength: number;
  /** The files of the user message. */
  metadata?: MessageMetadata | undefined;
  /** The settings that the conversation remembers, if any. */
  remember?: Remembered | undefined;
}

/**
 * The ids of a sent message are hashes of the conversation and the client's id. So a repeated send, even a parallel one, collides at the
 * primary key, and quota can be reserved for the reply before anything is stored.
 */
export function sentMessageIds(conversationId: string, clientMessageId: string): SentMessageIds {
  const digest = createHash('sha256').update(`${conversationId}:${clientMessageId}`).digest('hex');
  return { replyId: digest.slice(0, 24), messageId: digest.slice(24, 48) };
}

/** The id of another reply to a message: a repeated request collides like a repeated send. */
export const siblingId = (messageId: string, clientReplyId: string): string =>
  sentMessageIds(messageId, clientReplyId).replyId;

/** Creates messages and replies; a send that a crash interrupted can be completed. */
export const createSentMessageStore = (model: MessageModel, replyQueues = 1) => ({
  ...readingStore(model),
  ...insertingStore(model, replyQueues),
  ...completingStore(model),
});

function readingStore(model: MessageModel) {
  return {
    /**
     * The sent message, if its reply is stored; a user message that a crash has lost comes from the outbox. `others` are the messages among
     * `otherIds` that exist in the conversation, read in the same query.
     */
    find: async (
      { messageId, replyId }: SentMessageIds,
      { conversationId }: Pick<Scope, 'conversationId'>,
      otherIds: string[] = [],
    ): Promise<{ sent: SentMessageRecord | null; others: MessageRecord[] }> => {
      const _id = { $in: [messageId, replyId, ...otherIds] };
      const records = await messagesIn(model).find({ _id, conversationId });
      const others = records.filter(({ id }) => otherIds.includes(id));
      const reply = records.find(({ id }) => id === replyId);
      if (reply?.role !== 'assistant') return { sent: null, others };
      const message = records.find(({ id }) => id === messageId) ?? messageInOutbox(reply);
      return { sent: message?.role === 'user' ? { message, reply } : null, others };
    },

    /** Resolves when the database can no longer lose the reply: a read may have found a write without a majority. */
    confirm: async ({ id, conversationId, ownerId }: ReplyRecord): Promise<void> => {
      // A write without changes also waits for the majority.
      await model.updateOne({ _id: id, conversationId, ownerId }, { $set: { ownerId } });
    },
  };
}

function insertingStore(model: MessageModel, replyQueues: number) {
  /**
   * Inserts documents that begin with a queued reply; false when another reply is active or the ids exist. The provider waits for this, so
   * it bypasses mongoose documents: callers set the values that those would cast or default.
   */
  const insert = async (documents: MessageDocument[]): Promise<boolean> => {
    const inserted = model.collection.insertMany(documents, { ordered: true });
    return (await unlessDuplicate(inserted)) !== null;
  };

  return {
    /**
     * Stores a user message and its queued reply. The reply is stored first, with the message in its outbox, so that a crash between the
     * two leaves a send that can be completed.
     * @returns null when this send is already stored, or another reply of the conversation is active
     */
    insert: async (sent: NewSentMessage): Promise<SentMessageRecord | null> => {
      const { ids, conversationId, ownerId, clientMessageId, content, createdAt } = sent;
      const author = storedAuthor({ authorId: sent.payer.userId, ownerId });
      const parent = sent.parentId ? { parentId: toId(sent.parentId) } : {};
      const { pathLength, metadata, remember } = sent;
      const message = { content, createdAt, pathLength, ...parent, ...(metadata && { metadata }) };
      const reply = {
        ...queuedReply({ ...sent, id: ids.replyId, parentId: ids.messageId }, replyQueues),
        createdAt: new Date(createdAt.getTime() + 1),
        clientMessageId,
        outbox: { message, ...seenBefore(sent), ...(remember && { remember }) },
      };
      const userMessage: MessageDocument = {
        ...message,
        ...author,
        _id: toId(ids.messageId),
        conversationId: toId(conversationId),
        ownerId: toId(ownerId),
        clientMessageId,
        role: 'user',
        depth: sent.depth - 1,
        unindexed: 0,
      };
      if (!(await insert([reply, userMessage]))) return null;
      return { message: toUserMessage(userMessage), reply: toReply(reply) };
    },

    /**
     * Stores another queued reply to a user message.
     * @returns null when another reply of the conversation is active.
     */
    insertSibling: async (
      reply: NewReply & { id: string; parentId: string },
    ): Promise<ReplyRecord | null> => {
      const document = { ...queuedReply(reply, replyQueues), outbox: seenBefore(reply) };
      return (await insert([document])) ? toReply(document) : null;
    },
  };
}

function completingStore(model: MessageModel) {
  return {
    remove: async (id: string, { conversationId, ownerId }: Scope): Promise<void> => {
      await model.deleteOne({ _id: id, conversationId, ownerId });
    },

    /**
     * Stores the user message of a reply if a crash has lost it.
     * @returns whether it was missing
     */
    storeMessage: async (reply: ReplyRecord): Promise<boolean> => {
      const message = messageInOutbox(reply);
      if (!message) return false;
      const { id, parentId, conversationId, authorId, ...fields } = message;
      const author = storedAuthor({ authorId, ownerId: message.ownerId });
      const stored = await unlessDuplicate(
        model.updateOne(
          { _id: id, conversationId },
          { $setOnInsert: { ...fields, ...author, unindexed: 0, ...(parentId && { parentId }) } },
          { upsert: true },
        ),
      );
      // Null when another process completed the same send at the same moment.
      return stored?.upsertedCount === 1;
    },
  };
}

/** The owner is not stored as the author. */
const storedAuthor = ({ authorId, ownerId }: Pick<UserMessageRecord, 'authorId' | 'ownerId'>) =>
  authorId === ownerId ? {} : { authorId: toId(authorId) };

const toId = (id: string) => Types.ObjectId.createFromHexString(id);

const seenBefore = ({ leafBefore: id, isShared }: Pick<NewReply, 'leafBefore' | 'isShared'>) => ({
  ...(id !== null && { leafBefore: toId(id) }),
  ...(isShared && { isShared }),
});

const queuedReply = (
  {
    id,
    parentId,
    conversationId,
    ownerId,
    depth,
    reserved,
    payer,
    lane,
    settings,
    createdAt,
    now,
  }: NewReply & { id: string; parentId: string },
  replyQueues: number,
): MessageDocument => ({
  _id: toId(id),
  jobId: replyJobId({ id, conversationId }, replyQueues),
  parentId: toId(parentId),
  conversationId: toId(conversationId),
  ownerId: toId(ownerId),
  content: '',
  depth,
  reserved,
  ...storedPayer(payer, ownerId),
  lane,
  createdAt,
  heartbeatAt: now,
  role: 'assistant',
  status: 'queued',
  active: true,
  attempt: 0,
  ...withSettings(settings),
});

const withSettings = (settings: ReplySettings) => {
  const stored = storedSettings(settings);
  return stored ? { settings: stored } : {};
};

function messageInOutbox({
  outbox,
  parentId,
  conversationId,
  ownerId,
  authorId,
  clientMessageId,
  depth,
}: ReplyRecord): UserMessageRecord | null {
  if (!outbox?.message) return null;
  return {
    ...outbox.message,
    id: parentId,
    conversationId,
    ownerId,
    authorId,
    ...(clientMessageId && { clientMessageId }),
    role: 'user',
    depth: depth - 1,
  };
}
