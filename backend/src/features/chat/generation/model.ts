import type { ReplyError } from '../../../contract/errors.ts';
import type { ReplyStatus } from '../../../contract/messages.ts';
import {
  type MessageDocument,
  type MessageModel,
  type ReplyRecord,
  type TokenUsage,
  toReply,
} from '../messages/index.ts';

const ENDED_BADLY = ['failed', 'stopped', 'interrupted'] satisfies ReplyStatus[];

export interface ReplyEnd {
  status: Exclude<ReplyStatus, 'queued' | 'streaming'>;
  content: string;
  usage: TokenUsage;
  error?: ReplyError;
}

/**
 * The states of a reply: queued → streaming → complete, failed, stopped or interrupted. Every change is one update
 * filtered on the state it expects; `null` or `false` means that somebody else was first, which is normal.
 */
export type ReplyStore = ReturnType<typeof createReplyStore>;

export function createReplyStore(model: MessageModel) {
  const reply = (doc: MessageDocument | null) => (doc ? toReply(doc) : null);

  return {
    find: async (id: string): Promise<ReplyRecord | null> =>
      reply(await model.findOne({ _id: id, role: 'assistant' }).lean<MessageDocument>()),

    findOwn: async (id: string, ownerId: string): Promise<ReplyRecord | null> =>
      reply(await model.findOne({ _id: id, ownerId, role: 'assistant' }).lean<MessageDocument>()),

    /** Begins a new attempt at a queued reply. */
    claim: async (id: string, now: Date): Promise<ReplyRecord | null> =>
      reply(
        await model
          .findOneAndUpdate(
            { _id: id, active: true, status: 'queued' },
            {
              $inc: { attempt: 1 },
              $set: { status: 'streaming', heartbeatAt: now },
              $unset: { outbox: 1 },
            },
            { returnDocument: 'after' },
          )
          .lean<MessageDocument>(),
      ),

    /** Begins a new attempt at a reply whose worker was lost in the middle; the older one is fenced off. */
    takeOver: async (id: string, now: Date): Promise<ReplyRecord | null> =>
      reply(
        await model
          .findOneAndUpdate(
            { _id: id, active: true, status: 'streaming' },
            { $inc: { attempt: 1, takeovers: 1 }, $set: { heartbeatAt: now } },
            { returnDocument: 'after' },
          )
          .lean<MessageDocument>(),
      ),

    /**
     * Writes down how far the attempt has come and that its worker lives.
     * @returns whether a stop was asked for, or null when a later attempt has the reply.
     */
    checkpoint: async ({
      id,
      attempt,
      content,
      now,
    }: {
      id: string;
      attempt: number;
      content: string;
      now: Date;
    }): Promise<{ stopRequested: boolean } | null> => {
      const doc = await model
        .findOneAndUpdate(
          { _id: id, active: true, attempt },
          { $set: { content, heartbeatAt: now } },
          { projection: { stopRequested: 1 } },
        )
        .lean<MessageDocument>();
      return doc && { stopRequested: doc.stopRequested ?? false };
    },

    /** Ends the attempt with its whole text. False when a later attempt has the reply or it has ended. */
    finish: async ({
      id,
      attempt,
      end,
      now,
    }: {
      id: string;
      attempt: number;
      end: ReplyEnd;
      now: Date;
    }): Promise<boolean> => {
      const { status, content, usage, error } = end;
      const { matchedCount } = await model.updateOne(
        { _id: id, active: true, attempt },
        {
          $set: {
            status,
            content,
            usage,
            heartbeatAt: now,
            unsettled: true,
            ...(error && { error }),
          },
          $unset: {
            active: 1,
            keepText: 1,
            stopRequested: 1,
            outbox: 1,
            ...(!error && { error: 1 }),
          },
        },
      );
      return matchedCount === 1;
    },

    /** Gives an attempt that has shown nothing back to the queue, under a new job. */
    release: async ({
      id,
      attempt,
      jobId,
      now,
    }: {
      id: string;
      attempt: number;
      jobId: string;
      now: Date;
    }): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: id, active: true, attempt, status: 'streaming' },
        { $set: { status: 'queued', jobId, heartbeatAt: now } },
      );
      return matchedCount === 1;
    },

    /** Leaves word that the reply is to stop; the worker that has it, or the next one, sees it. */
    requestStop: async (id: string, ownerId: string): Promise<ReplyRecord | null> =>
      reply(
        await model
          .findOneAndUpdate(
            { _id: id, ownerId, active: true },
            { $set: { stopRequested: true } },
            { returnDocument: 'after' },
          )
          .lean<MessageDocument>(),
      ),

    /**
     * Queues a reply again that did not end well, under a new job. Throws the database's duplicate key error
     * when another reply of the conversation is active.
     */
    requeue: async ({
      id,
      ownerId,
      attempt,
      jobId,
      keepText,
      now,
    }: {
      id: string;
      ownerId: string;
      attempt: number;
      jobId: string;
      keepText: boolean;
      now: Date;
    }): Promise<ReplyRecord | null> =>
      reply(
        await model
          .findOneAndUpdate(
            {
              _id: id,
              ownerId,
              attempt,
              status: { $in: ENDED_BADLY },
              unsettled: { $exists: false },
            },
            {
              $set: {
                status: 'queued',
                active: true,
                jobId,
                keepText,
                takeovers: 0,
                heartbeatAt: now,
                ...(!keepText && { content: '' }),
              },
              $unset: { error: 1, stopRequested: 1, usage: 1 },
            },
            { returnDocument: 'after' },
          )
          .lean<MessageDocument>(),
      ),

    /** Active replies that nobody has touched since `before`, the longest first. */
    stale: async ({ before, limit }: { before: Date; limit: number }): Promise<ReplyRecord[]> => {
      const docs = await model
        .find({ active: true, heartbeatAt: { $lt: before } })
        .sort({ heartbeatAt: 1 })
        .limit(limit)
        .lean<MessageDocument[]>();
      return docs.map(toReply);
    },

    /** Puts a stale reply at the end of the sweeper's line. */
    touch: async (id: string, now: Date): Promise<void> => {
      await model.updateOne({ _id: id, active: true }, { $set: { heartbeatAt: now } });
    },

    /** Replies that ended before the given moment and whose usage was not settled: their worker died in between. */
    unsettled: async ({
      before,
      limit,
    }: {
      before: Date;
      limit: number;
    }): Promise<ReplyRecord[]> => {
      const docs = await model
        .find({ unsettled: true, heartbeatAt: { $lt: before } })
        .limit(limit)
        .lean<MessageDocument[]>();
      return docs.map(toReply);
    },

    /** The ids of one person's replies, those that are active or all of them; for their removal. */
    idsOf: async (ownerId: string, { active }: { active: boolean }): Promise<string[]> => {
      const filter = { ownerId, role: 'assistant' as const, ...(active && { active: true }) };
      const docs = await model.find(filter, { _id: 1 }).lean();
      return docs.map(({ _id }) => String(_id));
    },

    markSettled: async (id: string): Promise<void> => {
      await model.updateOne({ _id: id }, { $unset: { unsettled: 1 } });
    },
  };
}
