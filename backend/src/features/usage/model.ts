import { type Connection, Schema } from 'mongoose';
import { unlessDuplicate } from '../../db/mongo.ts';
import { recordsBy } from '../../db/records.ts';
import {
  type AttemptKey,
  type ClosedState,
  type DaySums,
  dayOf,
  kindOf,
  type MemberSums,
  memberKeyOf,
  NO_MEMBER,
  type Reservation,
  tokensOf,
  type UsageRecord,
  type UsageSums,
} from './records.ts';

export interface ReservationLimits {
  tokens: number;
  messages?: number;
  /** Open reservations of replies of the user who asks; background calls are not counted. */
  running: number;
  /** The limit of tokens for the day of the reservation. */
  tokensPerDay?: number;
  /** The limit of tokens for the member who asks. */
  memberTokens?: number;
}

const used = new Schema(
  {
    promptTokens: Number,
    cachedTokens: Number,
    discountTokens: Number,
    completionTokens: Number,
    reasoningTokens: Number,
    model: String,
  },
  { _id: false },
);

const schema = new Schema(
  {
    _id: { type: String, required: true },
    ownerId: { type: Schema.Types.ObjectId, required: true, index: true },
    messages: Number,
    settledTokens: Number,
    committedTokens: Number,
    running: Number,
    days: Schema.Types.Mixed,
    kinds: Schema.Types.Mixed,
    members: Schema.Types.Mixed,
    version: Number,
    changedAt: Date,
    reservations: {
      type: [
        {
          _id: false,
          id: String,
          replyId: String,
          attempt: Number,
          kind: String,
          run: Number,
          state: String,
          tokens: Number,
          replyTokens: Number,
          messages: Number,
          userId: String,
          workspaceId: String,
          conversationId: String,
          budgetHour: String,
          at: Date,
          touchedAt: Date,
          used,
        },
      ],
      default: undefined,
    },
  },
  { versionKey: false },
);
schema.index({ 'reservations.touchedAt': 1 }, { sparse: true });
// For the deletion of a member.
schema.index({ 'reservations.userId': 1 }, { sparse: true });

interface UsageDocument extends Partial<Omit<UsageRecord, 'id' | 'ownerId' | 'days' | 'members'>> {
  _id: string;
  ownerId: unknown;
  days?: Record<string, Partial<DaySums>>;
  members?: Record<string, Partial<MemberSums>>;
}

export const defineUsageModel = (connection: Connection) =>
  connection.model('UsagePeriod', schema, 'usage_periods');

export type UsageModel = ReturnType<typeof defineUsageModel>;

type Place = Pick<UsageRecord, 'id' | 'ownerId'>;

/** The sums per user and usage period with their reservations. Each change of a reservation also changes the sums. */
export const createUsageStore = (model: UsageModel) => ({
  ...findCalls(model),
  ...sweepCalls(model),
  ...reserveCalls(model),
  ...closeCalls(model),
  ...maintenanceCalls(model),
});

const reserveCalls = (model: UsageModel) => ({
  /**
   * Adds an open reservation within the limits; false when a limit or a reservation of the same attempt prevents it. The reservation alone
   * must fit the limits, because a new document is not compared with them.
   */
  reserve: (
    { id, ownerId }: Place,
    reservation: Reservation,
    limits: ReservationLimits,
  ): Promise<boolean> =>
    add(
      model,
      {
        _id: id,
        ownerId,
        committedTokens: { $lte: limits.tokens - reservation.tokens },
        ...memberFilter(reservation, limits),
        ...(limits.messages !== undefined && {
          messages: { $lte: limits.messages - reservation.messages },
        }),
        ...(limits.tokensPerDay !== undefined && {
          // Unlike $lte this matches a day that has no sums yet.
          [`days.${dayOf(reservation.at)}.committed`]: {
            $not: { $gt: limits.tokensPerDay - reservation.tokens },
          },
        }),
        reservations: without(reservation),
      },
      reservation,
    ),

  /** Adds an open reservation without limits, for a provider call that was already made. */
  force: ({ id, ownerId }: Place, reservation: Reservation): Promise<boolean> =>
    add(model, { _id: id, ownerId, reservations: without(reservation) }, reservation),
});

/** The limits of the user who asks: pool and member are compared in one update. */
function memberFilter(
  reservation: Reservation,
  { running, memberTokens }: ReservationLimits,
): object {
  const { kind, tokens } = reservation;
  const key = memberKeyOf(reservation);
  const isReply = kind === 'reply';
  if (!key) return isReply ? { running: { $lt: running } } : {};
  // Unlike $lt these match a member without sums.
  return {
    ...(isReply && { [`members.${key}.running`]: { $not: { $gte: running } } }),
    ...(memberTokens !== undefined && {
      [`members.${key}.committed`]: { $not: { $gt: memberTokens - tokens } },
    }),
  };
}

/** The field that counts the running replies of the user who asked. */
function runningField(reservation: Reservation): string {
  const key = memberKeyOf(reservation);
  return key ? `members.${key}.running` : 'running';
}

/** The change of the sums when a reservation is closed. */
function closedSums(
  reservation: Reservation,
  { used, state }: Reservation & { state: ClosedState },
): Record<string, number> {
  const { kind, messages, at, tokens: reserved } = reservation;
  const key = memberKeyOf(reservation);
  const day = `days.${dayOf(at)}`;
  const tokens = tokensOf(used);
  return {
    settledTokens: tokens,
    committedTokens: tokens - reserved,
    messages: state === 'settled' ? 0 : -messages,
    [runningField(reservation)]: -runningOf(kind),
    [`${day}.settled`]: tokens,
    [`${day}.committed`]: tokens - reserved,
    ...(key && {
      [`members.${key}.settled`]: tokens,
      [`members.${key}.committed`]: tokens - reserved,
    }),
    [`kinds.${kind}`]: tokens,
  };
}

const closeCalls = (model: UsageModel) => ({
  /**
   * Replaces an open reservation by a closed one, and its tokens in the sums by the used ones; false when it is no longer open. Only a
   * settled one still counts as a message.
   */
  close: async (
    { id, ownerId }: Place,
    reservation: Reservation,
    closed: Reservation & { state: ClosedState },
  ): Promise<boolean> => {
    const { modifiedCount } = await model.updateOne(
      {
        _id: id,
        ownerId,
        reservations: { $elemMatch: { id: reservation.id, state: 'reserved' } },
      },
      {
        $set: { 'reservations.$': closed, changedAt: closed.touchedAt },
        $inc: { ...closedSums(reservation, closed), version: 1 },
      },
    );
    return modifiedCount === 1;
  },

  /** Removes a closed reservation that is in the ledger. */
  forget: async ({ id, ownerId }: Place, reservation: Reservation): Promise<void> => {
    await model.updateOne(
      { _id: id, ownerId },
      { $pull: { reservations: { id: reservation.id } } },
    );
  },

  /** Moves a reservation to the end of the sweep's queue. */
  touch: async ({ id, ownerId }: Place, reservation: Reservation, now: Date): Promise<void> => {
    await model.updateOne(
      { _id: id, ownerId, reservations: { $elemMatch: { id: reservation.id } } },
      { $set: { 'reservations.$.touchedAt': now } },
    );
  },
});

const maintenanceCalls = (model: UsageModel) => ({
  /** Replaces the sums; false when they have changed since `version` was read. */
  repair: async (
    { id, ownerId, version }: Place & Pick<UsageRecord, 'version'>,
    sums: UsageSums,
    now: Date,
  ): Promise<boolean> => {
    const update = { $set: { ...sums, changedAt: now }, $inc: { version: 1 } };
    const { modifiedCount } = await model.updateOne({ _id: id, ownerId, version }, update);
    return modifiedCount === 1;
  },

  removeAllOf: async (ownerId: string): Promise<void> => {
    await model.deleteMany({ ownerId });
  },

  /** Removes the sums of a member; the tokens stay in the others. */
  forgetMember: async ({ id, ownerId }: Place, userId: string): Promise<void> => {
    await model.updateOne(
      { _id: id, ownerId },
      { $unset: { [`members.${userId}`]: 1 }, $inc: { version: 1 } },
    );
  },
});

/** @returns false when the document exists and does not match the filter */
async function add(model: UsageModel, filter: object, reservation: Reservation): Promise<boolean> {
  const { kind, tokens, messages, at, touchedAt } = reservation;
  const key = memberKeyOf(reservation);
  const change = {
    $push: { reservations: reservation },
    $inc: {
      committedTokens: tokens,
      settledTokens: 0,
      messages,
      running: 0,
      [runningField(reservation)]: runningOf(kind),
      ...(key && { [`members.${key}.committed`]: tokens }),
      [`days.${dayOf(at)}.committed`]: tokens,
      version: 1,
    },
    $set: {
      changedAt: touchedAt,
      ...(key && { [`members.${key}.lastOn`]: dayOf(at) }),
    },
  };
  const added = await unlessDuplicate(model.updateOne(filter, change, { upsert: true }));
  return added !== null && added.upsertedCount + added.modifiedCount === 1;
}

const without = (reservation: Reservation) => ({
  $not: { $elemMatch: sameAttempt(reservation) },
});

const findCalls = (model: UsageModel) => ({
  find: ({ id, ownerId }: Place): Promise<UsageRecord | null> =>
    recordsIn(model).findOne({ _id: id, ownerId }),

  /** The owner's documents with a reservation of the attempt, open or closed. */
  findWith: (ownerId: string, key: AttemptKey): Promise<UsageRecord[]> => {
    const reservations = { $elemMatch: sameAttempt(key) };
    return recordsIn(model).find({ ownerId, reservations }, { sort: { _id: 1 } });
  },

  /** The sums of a day by document: several on a day on which a usage period begins. */
  findDay: async (ownerId: string, day: string): Promise<(DaySums & Pick<UsageRecord, 'id'>)[]> => {
    const field = `days.${day}`;
    const docs = await model
      .find({ ownerId, [field]: { $exists: true } }, { [field]: 1 })
      .lean<UsageDocument[]>();
    return docs.map(({ _id, days }) => {
      const { settled = 0, committed = 0 } = days?.[day] ?? {};
      return { id: _id, settled, committed };
    });
  },

  /** The sums of the members in all usage periods of the owner. */
  findMembers: async (ownerId: string): Promise<UsageRecord['members'][]> => {
    const records = await recordsIn(model).find({ ownerId }, { projection: { members: 1 } });
    return records.map(({ members }) => members);
  },

  /** Documents of other owners with a reservation for which the user asked. */
  findAskedBy: (userId: string): Promise<UsageRecord[]> =>
    recordsIn(model).find({ 'reservations.userId': userId }),

  /** The owner's open and closed reservations that are still stored, of one reply or of all. */
  findReservations: async (ownerId: string, replyId?: string): Promise<Reservation[]> => {
    const wanted = replyId === undefined ? { $exists: true } : replyId;
    const docs = await model
      .find({ ownerId, 'reservations.replyId': wanted }, { reservations: 1 })
      .lean<UsageDocument[]>();
    const found = docs.flatMap(({ reservations = [] }) => reservations);
    return found.filter((one) => replyId === undefined || one.replyId === replyId);
  },
});

const sweepCalls = (model: UsageModel) => ({
  /** Documents that have changed since a time, or all, by id after `after`. */
  findChanged: ({
    since,
    after,
    limit,
  }: {
    since: Date | undefined;
    after: string | undefined;
    limit: number;
  }): Promise<UsageRecord[]> => {
    const filter = {
      ...(after !== undefined && { _id: { $gt: after } }),
      ...(since && { changedAt: { $gte: since } }),
    };
    return recordsIn(model).find(filter, { sort: { _id: 1 }, limit });
  },

  /** Whether an open or charged attempt at the reply counts the message. */
  countsMessage: async (ownerId: string, replyId: string): Promise<boolean> => {
    const counting = { replyId, messages: 1, state: { $in: ['reserved', 'settled'] } };
    return (await model.exists({ ownerId, reservations: { $elemMatch: counting } })) !== null;
  },

  /** Up to `limit` documents with reservations that were last touched before `before`. */
  findStale: ({ before, limit }: { before: Date; limit: number }) =>
    recordsIn(model).find(
      { 'reservations.touchedAt': { $lt: before } },
      { sort: { 'reservations.touchedAt': 1 }, limit },
    ),
});

/** As `isSameAttempt`: null matches a missing run. */
const sameAttempt = ({ replyId, attempt, run, ...key }: AttemptKey): object => ({
  replyId,
  attempt,
  kind: kindOf({ replyId, attempt, ...key }),
  run: run ?? null,
});

const runningOf = (kind: Reservation['kind']): 0 | 1 => (kind === 'reply' ? 1 : 0);

function toRecord({ _id, ownerId, days = {}, members = {}, ...doc }: UsageDocument): UsageRecord {
  return {
    id: _id,
    ownerId: String(ownerId),
    messages: doc.messages ?? 0,
    settledTokens: doc.settledTokens ?? 0,
    committedTokens: doc.committedTokens ?? 0,
    running: doc.running ?? 0,
    days: Object.fromEntries(
      Object.entries(days).map(([day, { settled = 0, committed = 0 }]) => [
        day,
        { settled, committed },
      ]),
    ),
    kinds: doc.kinds ?? {},
    members: Object.fromEntries(
      Object.entries(members).map(([userId, sums]) => [userId, { ...NO_MEMBER, ...sums }]),
    ),
    version: doc.version ?? 0,
    reservations: doc.reservations ?? [],
  };
}

const recordsIn = recordsBy(toRecord);
