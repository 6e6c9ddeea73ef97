import type { ReplyError } from '../../../contract/errors.ts';
import type { MessageMetadata, ReplyPart, ReplyStatus } from '../../../contract/messages.ts';
import {
  type MessageDocument,
  type MessageModel,
  type ReplyRecord,
  type TokenUsage,
  toReply,
} from '../messages/index.ts';
import { cutParts, partsOf, type StoredText, storedText } from './parts.ts';

const ENDED_BADLY = ['failed', 'stopped', 'interrupted'] satisfies ReplyStatus[];

/** What the coming or running attempt may use, in tokens. */
export interface Reserved {
  promptTokens: number;
  replyTokens: number;
}

/** What an attempt is to be charged; `release`: nothing, as if it had never been asked for. */
export interface Charge extends TokenUsage {
  attempt: number;
  release?: boolean;
}

/** A reply with everything that generating it needs. */
export interface GeneratedReply extends ReplyRecord {
  /** Code units, over all parts, of what the attempt continues. */
  keptLength: number;
  /** Attempts above the one that wrote the text: they took it over and were lost themselves. */
  lostAttempts: number;
  /** Absent when the next attempt has no reservation yet. */
  reserved?: Reserved;
  heartbeatAt: Date;
  sweptAt?: Date;
}

export interface ReplyEnd {
  status: Exclude<ReplyStatus, 'queued' | 'streaming'>;
  parts: ReplyPart[];
  charge: Charge;
  error?: ReplyError | undefined;
}

/** A charge that is not in the usage ledger yet. */
export interface OpenCharge extends Charge {
  replyId: string;
  ownerId: string;
}

interface AttemptKey {
  id: string;
  attempt: number;
}

function toGenerated(doc: MessageDocument): GeneratedReply {
  const { promptTokens, replyTokens } = doc.reserved ?? {};
  const hasReserved = promptTokens != null && replyTokens != null;
  return {
    ...toReply(doc),
    parts: partsOf({ content: doc.content, parts: doc.parts as StoredText['parts'] }),
    keptLength: doc.keptLength ?? 0,
    lostAttempts: doc.lostAttempts ?? 0,
    ...(hasReserved && { reserved: { promptTokens, replyTokens } }),
    heartbeatAt: doc.heartbeatAt ?? new Date(0),
    ...(doc.sweptAt && { sweptAt: doc.sweptAt }),
  };
}

const reply = (doc: MessageDocument | null) => (doc ? toGenerated(doc) : null);

/** The update that stores `parts`. */
function textUpdate(parts: ReplyPart[]) {
  const stored = storedText(parts);
  return { stored, dropped: stored.parts ? {} : { parts: 1 as const } };
}

/**
 * The states of a reply: queued → streaming → complete, failed, stopped or interrupted. Every change is one update
 * filtered on the state it expects; `null` or `false` means that another process was first, which is normal.
 */
export type ReplyStore = ReturnType<typeof createReplyStore>;

export const createReplyStore = (model: MessageModel) => ({
  ...readingStore(model),
  ...attemptStore(model),
  ...ownerStore(model),
  ...sweepStore(model),
});

function readingStore(model: MessageModel) {
  return {
    find: async (id: string): Promise<GeneratedReply | null> =>
      reply(await model.findOne({ _id: id, role: 'assistant' }).lean<MessageDocument>()),

    findOwn: async (id: string, ownerId: string): Promise<GeneratedReply | null> =>
      reply(await model.findOne({ _id: id, ownerId, role: 'assistant' }).lean<MessageDocument>()),

    /** The ids of one user's replies, those that are active or all of them; for their removal. */
    idsOf: async (ownerId: string, { active }: { active: boolean }): Promise<string[]> => {
      const filter = { ownerId, role: 'assistant' as const, ...(active && { active: true }) };
      const docs = await model.find(filter, { _id: 1 }).lean();
      return docs.map(({ _id }) => String(_id));
    },
  };
}

/** What workers do. */
function attemptStore(model: MessageModel) {
  return {
    /** Starts an attempt at a queued reply. */
    startAttempt: async (id: string, now: Date): Promise<GeneratedReply | null> =>
      reply(
        await model
          .findOneAndUpdate(
            { _id: id, active: true, status: 'queued' },
            {
              $inc: { attempt: 1 },
              $set: { status: 'streaming', heartbeatAt: now },
              $unset: { lostAttempts: 1 },
            },
            { returnDocument: 'after' },
          )
          .lean<MessageDocument>(),
      ),

    /** Takes over a reply whose worker has not written its heartbeat since `staleBefore`; its attempt is fenced off. */
    takeOver: async (
      id: string,
      { now, staleBefore }: { now: Date; staleBefore: Date },
    ): Promise<GeneratedReply | null> =>
      reply(
        await model
          .findOneAndUpdate(
            { _id: id, active: true, status: 'streaming', heartbeatAt: { $lt: staleBefore } },
            { $inc: { attempt: 1, takeovers: 1, lostAttempts: 1 }, $set: { heartbeatAt: now } },
            { returnDocument: 'after' },
          )
          .lean<MessageDocument>(),
      ),

    /** Notes that an attempt has its reservation and calls the provider: from here on the text is its own. */
    beginStream: async ({
      id,
      attempt,
      reserved,
    }: AttemptKey & { reserved: Reserved }): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: id, active: true, attempt, status: 'streaming' },
        { $set: { reserved }, $unset: { lostAttempts: 1 } },
      );
      return matchedCount === 1;
    },

    /**
     * Writes the heartbeat, and the text as far as the attempt has come.
     * @returns whether a stop was requested, or null when a later attempt has the reply.
     */
    checkpoint: async ({
      id,
      attempt,
      parts,
      now,
    }: AttemptKey & { parts?: ReplyPart[] | undefined; now: Date }): Promise<{
      stopRequested: boolean;
    } | null> => {
      const text = parts && textUpdate(parts);
      const doc = await model
        .findOneAndUpdate(
          { _id: id, active: true, attempt, status: 'streaming' },
          {
            $set: { ...text?.stored, heartbeatAt: now },
            ...(text?.dropped.parts && { $unset: text.dropped }),
          },
          { projection: { stopRequested: 1 } },
        )
        .lean<MessageDocument>();
      return doc && { stopRequested: doc.stopRequested ?? false };
    },

    /**
     * Ends an attempt with its whole text and what is to be charged. The end of a queued reply uses up the attempt that
     * was to come. True also when this very end was stored before and only the answer was lost; false when a later
     * attempt has the reply.
     */
    finish: async ({
      id,
      attempt,
      from,
      end: { status, parts, charge, error },
      pathLength,
      now,
    }: AttemptKey & {
      from: 'queued' | 'streaming';
      end: ReplyEnd;
      pathLength?: number | undefined;
      now: Date;
    }): Promise<boolean> => {
      const { stored, dropped } = textUpdate(parts);
      const { promptTokens, completionTokens } = charge;
      const { matchedCount } = await model.updateOne(
        { _id: id, active: true, attempt: from === 'queued' ? attempt - 1 : attempt, status: from },
        {
          $set: {
            ...stored,
            attempt,
            status,
            usage: { promptTokens, completionTokens },
            heartbeatAt: now,
            ...(pathLength !== undefined && { pathLength }),
            ...(error && { error }),
          },
          $unset: {
            ...dropped,
            active: 1,
            keptLength: 1,
            lostAttempts: 1,
            reserved: 1,
            stopRequested: 1,
            sweptAt: 1,
            outbox: 1,
            ...(!error && { error: 1 }),
          },
          $push: { charges: { ...charge, at: now } },
        },
      );
      if (matchedCount === 1) return true;
      return (await model.exists({ _id: id, attempt, status })) !== null;
    },

    /** Gives an attempt that has published nothing back to the queue under a new job; its reservation ends. */
    requeueLost: async ({
      id,
      attempt,
      jobId,
      now,
    }: AttemptKey & { jobId: string; now: Date }): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: id, active: true, attempt, status: 'streaming' },
        {
          $set: { status: 'queued', jobId, heartbeatAt: now },
          $unset: { reserved: 1 },
          $push: {
            charges: { attempt, promptTokens: 0, completionTokens: 0, release: true, at: now },
          },
        },
      );
      return matchedCount === 1;
    },

    /** Takes a charge off the reply once it is in the usage ledger. */
    markSettled: async ({ id, attempt }: AttemptKey): Promise<void> => {
      await model.updateOne({ _id: id }, { $pull: { charges: { attempt } } });
    },

    /** Stores what is known only after a reply's end. Null when it was continued or removed meanwhile. */
    addMetadata: async ({
      id,
      attempt,
      metadata,
    }: AttemptKey & { metadata: MessageMetadata }): Promise<GeneratedReply | null> => {
      const fields = Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value]);
      return reply(
        await model
          .findOneAndUpdate(
            { _id: id, attempt, status: 'complete' },
            { $set: Object.fromEntries(fields) as Record<string, unknown> },
            { returnDocument: 'after' },
          )
          .lean<MessageDocument>(),
      );
    },
  };
}

/** What a reply's owner asks for. */
function ownerStore(model: MessageModel) {
  return {
    /** Stores that the reply is to stop; the worker that has it, or the next one, sees it. */
    requestStop: async (id: string, ownerId: string): Promise<GeneratedReply | null> =>
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
     * Queues a reply that ended badly again, under a new job; the next attempt continues its text. Throws the
     * database's duplicate key error when another reply of the conversation is active.
     */
    requeueToContinue: async ({
      id,
      ownerId,
      attempt,
      ...queued
    }: AttemptKey & {
      ownerId: string;
      jobId: string;
      keptLength: number;
      reserved: Reserved;
      now: Date;
    }): Promise<GeneratedReply | null> => {
      const { jobId, keptLength, reserved, now } = queued;
      return reply(
        await model
          .findOneAndUpdate(
            { _id: id, ownerId, attempt, status: { $in: ENDED_BADLY }, content: { $ne: '' } },
            {
              $set: {
                status: 'queued',
                active: true,
                jobId,
                keptLength,
                reserved,
                takeovers: 0,
                heartbeatAt: now,
              },
              $unset: { error: 1, stopRequested: 1, usage: 1, sweptAt: 1 },
            },
            { returnDocument: 'after' },
          )
          .lean<MessageDocument>(),
      );
    },
  };
}

/** What sweepers do. */
function sweepStore(model: MessageModel) {
  const sweptBeforeFilter = (sweptBefore: Date) => ({
    $or: [{ sweptAt: { $exists: false } }, { sweptAt: { $lt: sweptBefore } }],
  });

  return {
    /** Active replies without a heartbeat since `staleBefore` at which no sweeper has looked since `sweptBefore`. */
    findStale: async ({
      staleBefore,
      sweptBefore,
      limit,
    }: {
      staleBefore: Date;
      sweptBefore: Date;
      limit: number;
    }): Promise<string[]> => {
      const filter = {
        active: true,
        heartbeatAt: { $lt: staleBefore },
        ...sweptBeforeFilter(sweptBefore),
      };
      const docs = await model.find(filter, { _id: 1 }).limit(limit).lean();
      return docs.map(({ _id }) => String(_id));
    },

    /** Makes one of several sweepers the one that looks at a stale reply. */
    claimStale: async ({
      id,
      now,
      staleBefore,
      sweptBefore,
    }: {
      id: string;
      now: Date;
      staleBefore: Date;
      sweptBefore: Date;
    }): Promise<GeneratedReply | null> =>
      reply(
        await model
          .findOneAndUpdate(
            {
              _id: id,
              active: true,
              heartbeatAt: { $lt: staleBefore },
              ...sweptBeforeFilter(sweptBefore),
            },
            { $set: { sweptAt: now } },
            { returnDocument: 'after' },
          )
          .lean<MessageDocument>(),
      ),

    /** Charges since before the given moment: their worker was lost between the end of the reply and the ledger. */
    openCharges: async ({
      before,
      limit,
    }: {
      before: Date;
      limit: number;
    }): Promise<OpenCharge[]> => {
      const docs = await model
        .find({ 'charges.at': { $lt: before } }, { ownerId: 1, charges: 1 })
        .limit(limit)
        .lean<MessageDocument[]>();
      return docs.flatMap((doc) =>
        (doc.charges ?? []).map(({ attempt, promptTokens, completionTokens, release }) => ({
          replyId: String(doc._id),
          ownerId: String(doc.ownerId),
          attempt: attempt ?? 0,
          promptTokens: promptTokens ?? 0,
          completionTokens: completionTokens ?? 0,
          ...(release && { release }),
        })),
      );
    },
  };
}

/** What the attempt continues. */
export const keptParts = ({ parts, content, keptLength }: StoredText & { keptLength: number }) =>
  cutParts(partsOf({ content, parts }), keptLength);
