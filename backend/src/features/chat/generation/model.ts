import { Types } from 'mongoose';
import type { ReplyFeedback, ReplyStatus } from '../../../contract/messages.ts';
import type { ReplySettings } from '../../context.ts';
import type { Payer } from '../../payer.ts';
import type { Lane } from '../../usage/index.ts';
import {
  type MessageDocument,
  type MessageModel,
  type ReservedTokens,
  type Scope,
  storedPayer,
  storedSettings,
  toPayer,
} from '../messages/index.ts';
import { attemptStore } from './attempt-model.ts';
import {
  type AttemptKey,
  type GeneratedReply,
  generatedIn,
  type OpenCharge,
  type QueuedReply,
  type ReplyKey,
  type StoredCharge,
  toCharge,
} from './reply-record.ts';

const ENDED_BADLY = ['failed', 'stopped', 'interrupted'] satisfies ReplyStatus[];
/** A complete reply can be continued only when it ended at its maximum length. */
const CONTINUABLE = {
  $or: [{ status: { $in: ENDED_BADLY } }, { status: 'complete', ending: 'length' }],
};
const ENDED = ['complete', ...ENDED_BADLY] satisfies ReplyStatus[];

/**
 * The states of a reply: queued → streaming → complete, failed, stopped or interrupted. Every change is one update filtered on the expected
 * state. `null` or `false` means that another process was first, which is normal.
 */
export type ReplyStore = ReturnType<typeof createReplyStore>;

export const createReplyStore = (model: MessageModel) => ({
  ...readingStore(model),
  ...attemptStore(model),
  ...ownerStore(model),
  ...continuingStore(model),
  ...sweepStore(model),
  ...waitingStore(model),
});

function readingStore(model: MessageModel) {
  return {
    find: ({ id, conversationId }: ReplyKey): Promise<GeneratedReply | null> =>
      generatedIn(model).findOne({ _id: id, conversationId, role: 'assistant' }),

    /** A reply of any conversation: who may see it is decided by that. */
    findById: (id: string): Promise<GeneratedReply | null> =>
      generatedIn(model).findOne({ _id: id, role: 'assistant' }),

    findOwn: (id: string, ownerId: string): Promise<GeneratedReply | null> =>
      generatedIn(model).findOne({ _id: id, ownerId, role: 'assistant' }),

    /** The replies of one conversation. With `open`, only those that are active or not charged yet. */
    keysIn: async (
      { conversationId, ownerId }: Scope,
      { open }: { open: boolean },
    ): Promise<ReplyKey[]> => {
      const filter = { conversationId, ownerId, role: 'assistant' as const, ...(open && IS_OPEN) };
      return keys(await model.find(filter, { conversationId: 1 }).lean<MessageDocument[]>());
    },

    /** The given replies that are active or not charged yet. */
    stillOpen: async (ids: string[]): Promise<string[]> => {
      const docs = await model.find({ _id: { $in: ids }, ...IS_OPEN }, { _id: 1 }).lean();
      return docs.map(({ _id }) => String(_id));
    },

    /** The given replies that are queued or running. */
    activeAmong: async (ids: string[]): Promise<ReadonlySet<string>> => {
      const docs = await model.find({ _id: { $in: ids }, active: true }, { _id: 1 }).lean();
      return new Set(docs.map(({ _id }) => String(_id)));
    },

    /** One user's replies, for their removal. With `open`, only those that are active or not charged yet. */
    keysOf: async (ownerId: string, { open }: { open: boolean }): Promise<ReplyKey[]> => {
      const filter = { ownerId, role: 'assistant' as const, ...(open && IS_OPEN) };
      return keys(await model.find(filter, { conversationId: 1 }).lean<MessageDocument[]>());
    },
  };
}

const keys = (docs: readonly Pick<MessageDocument, '_id' | 'conversationId'>[]): ReplyKey[] =>
  docs.map(({ _id, conversationId }) => ({
    id: String(_id),
    conversationId: String(conversationId),
  }));

/** Active, or not charged yet. */
const IS_OPEN = { $or: [{ active: true }, { 'charges.0': { $exists: true } }] };

const HAS_MEMORIES = { 'metadata.memoryReceipt.written.0': { $exists: true } };

/** Only the newest ratings of others are kept, so that a reply does not grow without end. */
const MAX_RATINGS = 100;

/** The changes that store a rating; the first one that finds the reply is the one. */
function changesOf(
  { userId, ownerId }: { userId: string; ownerId: string },
  feedback: ReplyFeedback | null,
): { filter: object; change: object }[] {
  const withoutOwn = { $pull: { ratings: { userId } } };
  if (userId === ownerId) {
    const own = feedback ? { $set: { feedback } } : { $unset: { feedback: 1 } };
    return [{ filter: {}, change: { ...own, ...withoutOwn } }];
  }
  if (!feedback) return [{ filter: {}, change: withoutOwn }];
  const rating = { ...feedback, userId: Types.ObjectId.createFromHexString(userId) };
  const replaced = {
    filter: { 'ratings.userId': userId },
    change: { $set: { 'ratings.$': rating } },
  };
  const added = {
    filter: { 'ratings.userId': { $ne: userId } },
    change: { $push: { ratings: { $each: [rating], $slice: -MAX_RATINGS } } },
  };
  // Again: another tab of the same user may have added it meanwhile.
  return [replaced, added, replaced];
}

/** Changes that a user requests. */
function ownerStore(model: MessageModel) {
  return {
    /** Stores that the reply is to stop, for its current or next worker. */
    requestStop: (
      { id, conversationId }: ReplyKey,
      ownerId: string,
      stoppedBy?: string,
    ): Promise<GeneratedReply | null> =>
      generatedIn(model).update(
        { _id: id, conversationId, ownerId, active: true },
        { $set: { stopRequested: true, ...(stoppedBy && { stoppedBy }) } },
      ),

    /**
     * Stores a user's rating of an ended reply; null removes it. The caller decides access.
     * @returns null for a reply that has not ended
     */
    setFeedback: async (
      { id, conversationId, ownerId }: ReplyKey & { ownerId: string },
      userId: string,
      feedback: ReplyFeedback | null,
    ): Promise<GeneratedReply | null> => {
      const ended = { _id: id, conversationId, ownerId, status: { $in: ENDED } };
      for (const { filter, change } of changesOf({ userId, ownerId }, feedback)) {
        const reply = await generatedIn(model).update({ ...ended, ...filter }, change);
        if (reply) return reply;
      }
      return null;
    },

    /**
     * Stores that the user undid the memories of a reply.
     * @returns null when it saved none
     */
    setMemoriesUndone: (
      { id, conversationId }: ReplyKey,
      ownerId: string,
    ): Promise<GeneratedReply | null> =>
      generatedIn(model).update(
        { _id: id, conversationId, ownerId, ...HAS_MEMORIES },
        { $set: { 'metadata.memoryReceipt.isUndone': true } },
      ),
  };
}

function continuingStore(model: MessageModel) {
  return {
    /**
     * Queues an ended reply again under a new job; the next attempt continues its text. Throws the database's duplicate key error when
     * another reply of the conversation is active.
     */
    requeueToContinue: ({
      id,
      conversationId,
      ownerId,
      attempt,
      ...queued
    }: AttemptKey & Continuing): Promise<GeneratedReply | null> =>
      generatedIn(model).update(
        {
          _id: id,
          conversationId,
          ownerId,
          attempt,
          ...CONTINUABLE,
          content: { $ne: '' },
          ...(queued.isOtherPayer && { 'charges.0': { $exists: false } }),
        },
        changeToContinue({ ownerId, ...queued }),
      ),
  };
}

interface Continuing {
  ownerId: string;
  jobId: string;
  keptLength: number;
  reserved: ReservedTokens;
  payer: Payer;
  /** Charges of the former payer have to be in the ledger. */
  isOtherPayer: boolean;
  lane: Lane;
  settings: ReplySettings;
  now: Date;
}

function changeToContinue({
  ownerId,
  jobId,
  keptLength,
  reserved,
  payer,
  lane,
  settings,
  now,
}: Omit<Continuing, 'isOtherPayer'>) {
  const paid = storedPayer(payer, ownerId);
  const stored = storedSettings(settings);
  return {
    $set: {
      status: 'queued',
      active: true,
      jobId,
      keptLength,
      reserved,
      lane,
      ...paid,
      ...(stored && { settings: stored }),
      takeovers: 0,
      heartbeatAt: now,
    },
    $unset: {
      error: 1 as const,
      ending: 1 as const,
      // The steps of the next end follow.
      postSteps: 1 as const,
      stopRequested: 1 as const,
      stoppedBy: 1 as const,
      usage: 1 as const,
      sweptAt: 1 as const,
      ...(!stored && { settings: 1 as const }),
      ...(!paid.payer && { payer: 1 as const }),
    },
  };
}

const sweptBeforeFilter = (sweptBefore: Date) => ({
  $or: [{ sweptAt: { $exists: false } }, { sweptAt: { $lt: sweptBefore } }],
});

/** Replies without a worker. */
function sweepStore(model: MessageModel) {
  return {
    /**
     * Active replies without a heartbeat since `staleBefore` and unseen by sweeps since `sweptBefore`: never seen ones first, then by the
     * time of the last look. So every reply has its turn.
     */
    findStale: async ({
      staleBefore,
      sweptBefore,
      limit,
    }: {
      staleBefore: Date;
      sweptBefore: Date;
      limit: number;
    }): Promise<ReplyKey[]> => {
      const filter = {
        active: true,
        heartbeatAt: { $lt: staleBefore },
        ...sweptBeforeFilter(sweptBefore),
      };
      const docs = await model
        .find(filter, { conversationId: 1 })
        .sort({ sweptAt: 1 })
        .limit(limit)
        .lean<MessageDocument[]>();
      return keys(docs);
    },

    /** Leases a reply to one of several sweeps. */
    leaseStale: ({
      id,
      conversationId,
      now,
      staleBefore,
      sweptBefore,
    }: ReplyKey & {
      now: Date;
      staleBefore: Date;
      sweptBefore: Date;
    }): Promise<GeneratedReply | null> =>
      generatedIn(model).update(
        {
          _id: id,
          conversationId,
          active: true,
          heartbeatAt: { $lt: staleBefore },
          ...sweptBeforeFilter(sweptBefore),
        },
        { $set: { sweptAt: now } },
      ),
  };
}

/** Waiting replies and unsettled charges. */
function waitingStore(model: MessageModel) {
  return {
    /** The given replies that are queued. */
    findQueued: async (ids: string[]): Promise<QueuedReply[]> => {
      const fields = { ownerId: 1, conversationId: 1, jobId: 1, attempt: 1, keptLength: 1 };
      const docs = await model
        .find({ _id: { $in: ids }, active: true, status: 'queued' }, fields)
        .lean<MessageDocument[]>();
      return docs.map((doc) => ({
        id: String(doc._id),
        ownerId: String(doc.ownerId),
        conversationId: String(doc.conversationId),
        jobId: doc.jobId ?? '',
        attempt: doc.attempt ?? 0,
        keptLength: doc.keptLength ?? 0,
      }));
    },

    /** Charges older than the given time: the worker was lost between the end of the reply and the ledger. */
    openCharges: async ({
      before,
      limit,
    }: {
      before: Date;
      limit: number;
    }): Promise<OpenCharge[]> => {
      const docs = await model
        .find(
          { 'charges.at': { $lt: before } },
          { ownerId: 1, payer: 1, conversationId: 1, charges: 1 },
        )
        .limit(limit)
        .lean<MessageDocument[]>();
      return docs.flatMap((doc) =>
        ((doc.charges ?? []) as StoredCharge[]).map((charge) => ({
          replyId: String(doc._id),
          conversationId: String(doc.conversationId),
          payer: toPayer(doc),
          ...toCharge(charge),
        })),
      );
    },
  };
}
