import { type Connection, Schema } from 'mongoose';
import { isDuplicateKey } from '../../db/mongo.ts';

/** One attempt at a reply: what is reserved and charged once. */
export interface AttemptKey {
  replyId: string;
  attempt: number;
}

/** How a reservation ended. */
export type ClosedState = 'settled' | 'released' | 'expired';

/** Tokens of a prompt and of the reply to it. */
export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
}

export interface Reservation extends AttemptKey {
  /** Unique per reservation: the same attempt may be reserved again after its reservation was released. */
  id: string;
  state: 'reserved' | ClosedState;
  /** Reserved in all: the prompt and the longest reply. */
  tokens: number;
  replyTokens: number;
  /** Sent messages that it counts as. */
  messages: 0 | 1;
  /** The hour of the guests' budget that it was taken from. */
  budgetHour?: string;
  /** When it was made, closed, or last seen to belong to an active reply. */
  touchedAt: Date;
  used?: TokenUsage;
}

/** The sums of one user and usage period. */
export interface UsageSums {
  /** Sent messages, those whose replies are running included. */
  messages: number;
  /** Charged for good. */
  settledTokens: number;
  /** Charged for good or reserved. */
  committedTokens: number;
  /** Open reservations. */
  running: number;
}

/** One document. A closed reservation stays until it stands in the ledger, so every crash between the two can be repaired. */
export interface UsageRecord extends UsageSums {
  id: string;
  ownerId: string;
  reservations: Reservation[];
}

export interface ReservationLimits {
  tokens: number;
  messages?: number;
  running: number;
}

const schema = new Schema(
  {
    _id: { type: String, required: true },
    ownerId: { type: Schema.Types.ObjectId, required: true, index: true },
    messages: Number,
    settledTokens: Number,
    committedTokens: Number,
    running: Number,
    reservations: {
      type: [
        {
          _id: false,
          id: String,
          replyId: String,
          attempt: Number,
          state: String,
          tokens: Number,
          replyTokens: Number,
          messages: Number,
          budgetHour: String,
          touchedAt: Date,
          used: { _id: false, type: { promptTokens: Number, completionTokens: Number } },
        },
      ],
      default: undefined,
    },
  },
  { versionKey: false },
);
schema.index({ 'reservations.touchedAt': 1 }, { sparse: true });

interface UsageDocument extends Omit<UsageRecord, 'id' | 'ownerId'> {
  _id: string;
  ownerId: unknown;
}

export const tokensOf = (used: TokenUsage | undefined): number =>
  used ? used.promptTokens + used.completionTokens : 0;

export const isSameAttempt = (a: AttemptKey, b: AttemptKey): boolean =>
  a.replyId === b.replyId && a.attempt === b.attempt;

export const defineUsageModel = (connection: Connection) =>
  connection.model('UsagePeriod', schema, 'usage_periods');

export type UsageStore = ReturnType<typeof createUsageStore>;

/** The sums per user and usage period with their reservations; each change of a reservation changes the sums with it. */
export function createUsageStore(model: ReturnType<typeof defineUsageModel>) {
  const add = async (filter: object, ownerId: string, reservation: Reservation) => {
    const { tokens, messages } = reservation;
    const { upsertedCount, modifiedCount } = await model
      .updateOne(
        filter,
        {
          $push: { reservations: reservation },
          $inc: { committedTokens: tokens, settledTokens: 0, messages, running: 1 },
          $setOnInsert: { ownerId },
        },
        { upsert: true },
      )
      // The document exists and does not match the filter.
      .catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return { upsertedCount: 0, modifiedCount: 0 };
      });
    return upsertedCount + modifiedCount === 1;
  };

  const without = ({ replyId, attempt }: AttemptKey) => ({
    $not: { $elemMatch: { replyId, attempt } },
  });

  return {
    find: async (id: string): Promise<UsageRecord | null> =>
      toRecord(await model.findById(id).lean<UsageDocument>()),

    /** The owner's documents that hold a reservation of the attempt, open or closed. */
    findWith: async (ownerId: string, { replyId, attempt }: AttemptKey): Promise<UsageRecord[]> => {
      const docs = await model
        .find({ ownerId, reservations: { $elemMatch: { replyId, attempt } } })
        .sort({ _id: 1 })
        .lean<UsageDocument[]>();
      return docs.flatMap((doc) => toRecord(doc) ?? []);
    },

    /** Whether an attempt at the reply, open or charged, counts the message. */
    countsMessage: async (ownerId: string, replyId: string): Promise<boolean> => {
      const counting = { replyId, messages: 1, state: { $in: ['reserved', 'settled'] } };
      return (await model.exists({ ownerId, reservations: { $elemMatch: counting } })) !== null;
    },

    /**
     * Adds an open reservation within the limits; false when one of them, or a reservation of the same attempt, is in
     * the way. The reservation alone must fit the limits: a new document is not compared with them.
     */
    reserve: (
      { id, ownerId }: Pick<UsageRecord, 'id' | 'ownerId'>,
      reservation: Reservation,
      limits: ReservationLimits,
    ): Promise<boolean> =>
      add(
        {
          _id: id,
          committedTokens: { $lte: limits.tokens - reservation.tokens },
          running: { $lt: limits.running },
          ...(limits.messages !== undefined && {
            messages: { $lte: limits.messages - reservation.messages },
          }),
          reservations: without(reservation),
        },
        ownerId,
        reservation,
      ),

    /** Adds an open reservation without limits, for a provider call that was already made. */
    force: (
      { id, ownerId }: Pick<UsageRecord, 'id' | 'ownerId'>,
      reservation: Reservation,
    ): Promise<boolean> =>
      add({ _id: id, reservations: without(reservation) }, ownerId, reservation),

    /**
     * Replaces an open reservation by its closed self, and in the sums by what was used; false when it is not open any
     * more. Only a settled one still counts as a message.
     */
    close: async (
      id: string,
      reservation: Reservation,
      closed: Reservation & { state: ClosedState },
    ): Promise<boolean> => {
      const tokens = tokensOf(closed.used);
      const { modifiedCount } = await model.updateOne(
        { _id: id, reservations: { $elemMatch: { id: reservation.id, state: 'reserved' } } },
        {
          $set: { 'reservations.$': closed },
          $inc: {
            settledTokens: tokens,
            committedTokens: tokens - reservation.tokens,
            messages: closed.state === 'settled' ? 0 : -reservation.messages,
            running: -1,
          },
        },
      );
      return modifiedCount === 1;
    },

    /** Removes a closed reservation, which stands in the ledger by now. */
    forget: async (id: string, reservation: Reservation): Promise<void> => {
      await model.updateOne({ _id: id }, { $pull: { reservations: { id: reservation.id } } });
    },

    /** Moves a reservation to the end of the sweep's queue. */
    touch: async (id: string, reservation: Reservation, now: Date): Promise<void> => {
      await model.updateOne(
        { _id: id, reservations: { $elemMatch: { id: reservation.id } } },
        { $set: { 'reservations.$.touchedAt': now } },
      );
    },

    /** Documents with reservations that nothing has touched since `before`, up to `limit`. */
    findStale: async ({ before, limit }: { before: Date; limit: number }) => {
      const docs = await model
        .find({ 'reservations.touchedAt': { $lt: before } })
        .sort({ 'reservations.touchedAt': 1 })
        .limit(limit)
        .lean<UsageDocument[]>();
      return docs.flatMap((doc) => toRecord(doc) ?? []);
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteMany({ ownerId });
    },
  };
}

function toRecord(doc: UsageDocument | null): UsageRecord | null {
  if (!doc) return null;
  const { _id, ownerId, messages, settledTokens, committedTokens, running } = doc;
  const reservations = doc.reservations ?? [];
  const sums = { messages, settledTokens, committedTokens, running };
  return { id: _id, ownerId: String(ownerId), ...sums, reservations };
}
