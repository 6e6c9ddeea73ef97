import { type Connection, Schema, Types } from 'mongoose';
import { USAGE_KINDS } from '../../contract/usage.ts';
import { unlessDuplicate } from '../../db/mongo.ts';
import { type AttemptKey, type ClosedState, dayOf, kindOf, type Reservation } from './records.ts';

// One entry per attempt, written when its reservation is closed; open reservations are in the document of sums.
const schema = new Schema(
  {
    /** The attempt's key: the index refuses a second entry. */
    _id: { type: String, required: true },
    /** The payer. */
    ownerId: { type: Schema.Types.ObjectId, required: true },
    /** Who asked; absent in entries of earlier versions, of the payer, and of a member whose account was deleted. */
    userId: Schema.Types.ObjectId,
    /** The payer's workspace in which the user asked. */
    workspaceId: Schema.Types.ObjectId,
    /** The conversation of the payer for which the payer pays what others ask. */
    conversationId: Schema.Types.ObjectId,
    usageId: { type: String, required: true },
    replyId: { type: String, required: true },
    attempt: { type: Number, required: true },
    kind: { type: String, enum: USAGE_KINDS, required: true },
    run: Number,
    state: { type: String, enum: ['settled', 'released', 'expired'], required: true },
    model: String,
    promptTokens: { type: Number, required: true },
    cachedTokens: { type: Number, required: true },
    /** Absent in entries of earlier versions. */
    discountTokens: Number,
    completionTokens: { type: Number, required: true },
    reasoningTokens: { type: Number, required: true },
    replyTokens: { type: Number, required: true },
    messages: { type: Number, required: true },
    at: { type: Date, required: true },
    /** The day of `at`, stored because the embedded database does not compute dates. */
    day: { type: String, required: true },
    closedAt: { type: Date, required: true },
  },
  { versionKey: false },
);
schema.index({ usageId: 1, state: 1 });
schema.index({ ownerId: 1, at: -1, _id: -1 });
schema.index(
  { userId: 1, at: -1, _id: -1 },
  { partialFilterExpression: { workspaceId: { $exists: true } } },
);
schema.index(
  { userId: 1, at: -1 },
  { partialFilterExpression: { conversationId: { $exists: true } } },
);

/** What others pay for a user. */
const askedBy = (userId: string) => ({
  $or: [
    { userId: new Types.ObjectId(userId), workspaceId: { $exists: true } },
    { userId: new Types.ObjectId(userId), conversationId: { $exists: true } },
  ],
});

export interface LedgerEntry {
  /** The payer's workspace in which the user asked. */
  workspaceId?: Types.ObjectId | null;
  conversationId?: Types.ObjectId | null;
  replyId: string;
  attempt: number;
  kind: Reservation['kind'];
  run?: number;
  /** The document of sums that includes it. */
  usageId: string;
  state: ClosedState;
  model?: string;
  promptTokens: number;
  cachedTokens: number;
  discountTokens?: number;
  completionTokens: number;
  reasoningTokens: number;
  /** The maximum length of the attempt's reply. */
  replyTokens: number;
  messages: 0 | 1;
  /** When it was reserved. */
  at: Date;
}

/** Charged tokens of one day and kind. */
export interface LedgerSum extends Pick<LedgerEntry, 'kind'> {
  day: string;
  /** The member who asked in a workspace, or the conversation that the owner pays for. */
  member?: string | undefined;
  tokens: number;
  messages: number;
}

export const defineLedgerModel = (connection: Connection) =>
  connection.model('LedgerEntry', schema, 'usage_ledger');

/** `<replyId>:<attempt>` for a reply; for a background call also its kind and its run. */
export const entryId = (key: AttemptKey): string => {
  const { replyId, attempt, run } = key;
  const kind = kindOf(key);
  const ofCall = kind === 'reply' ? [] : [kind, ...(run ? [run] : [])];
  return [replyId, attempt, ...ofCall].join(':');
};

const PAGE = 500;

export const createLedgerStore = (model: ReturnType<typeof defineLedgerModel>) => ({
  ...findCalls(model),
  ...sumCalls(model),
  ...writeCalls(model),
});

function findCalls(model: ReturnType<typeof defineLedgerModel>) {
  const readPage = (userId: string, limit: number, after?: LedgerEntry) => {
    const older = after && {
      at: { $lte: after.at },
      $or: [{ at: { $lt: after.at } }, { _id: { $lt: entryId(after) } }],
    };
    // Else the payer has asked; in a workspace, or a conversation that its owner pays for, it may be somebody else.
    const own = [
      { ownerId: userId, workspaceId: { $exists: false }, conversationId: { $exists: false } },
      ...askedBy(userId).$or,
    ];
    return model
      .find({ $and: [{ $or: own }, ...(older ? [older] : [])] })
      .sort({ at: -1, _id: -1 })
      .limit(limit)
      .lean<LedgerEntry[]>();
  };
  return {
    find: async (ownerId: string, key: AttemptKey): Promise<LedgerEntry | null> =>
      model.findOne({ _id: entryId(key), ownerId }).lean<LedgerEntry>(),

    /** The entries of a reply and of the background calls about it, oldest first. */
    ofReply: (ownerId: string, replyId: string): Promise<LedgerEntry[]> =>
      model
        // Every id of an entry begins with the reply's id; ';' follows ':'.
        .find({ _id: { $gte: `${replyId}:`, $lt: `${replyId};` }, ownerId })
        .sort({ at: 1, _id: 1 })
        .lean<LedgerEntry[]>(),

    /** The usage periods of others with entries of calls for which the user asked. */
    placesOf: async (userId: string): Promise<{ id: string; ownerId: string }[]> => {
      const groups = await model.aggregate<{ _id: { usageId: string; ownerId: Types.ObjectId } }>([
        { $match: askedBy(userId) },
        { $group: { _id: { usageId: '$usageId', ownerId: '$ownerId' } } },
      ]);
      return groups.map(({ _id }) => ({ id: _id.usageId, ownerId: String(_id.ownerId) }));
    },

    countOf: (userId: string): Promise<number> => model.countDocuments(askedBy(userId)),

    /** All entries for which a user asked, latest first, read page by page, so that a slow reader keeps no cursor open. */
    async *ofUser(userId: string, pageSize = PAGE): AsyncGenerator<LedgerEntry> {
      let page = await readPage(userId, pageSize);
      while (page.length > 0) {
        yield* page;
        const last = page.at(-1);
        page = last && page.length === pageSize ? await readPage(userId, pageSize, last) : [];
      }
    },
  };
}

const sumCalls = (model: ReturnType<typeof defineLedgerModel>) => ({
  /** Whether an attempt before this one was charged and counted the message of its reply. */
  countsMessage: async (
    ownerId: string,
    { replyId, attempt }: Pick<AttemptKey, 'replyId' | 'attempt'>,
  ): Promise<boolean> => {
    const earlier = Array.from({ length: attempt - 1 }, (_, n) =>
      entryId({ replyId, attempt: n + 1 }),
    );
    const filter = { _id: { $in: earlier }, ownerId, state: 'settled' as const, messages: 1 };
    return (await model.exists(filter)) !== null;
  },

  /** The sums of the settled entries of a usage period by day and kind, without those of the given ids. */
  sumsOf: async (
    { id: usageId, ownerId }: { id: string; ownerId: string },
    without: string[],
  ): Promise<LedgerSum[]> => {
    const groups = await model.aggregate<SumGroup>([
      {
        $match: {
          ownerId: new Types.ObjectId(ownerId),
          usageId,
          state: 'settled',
          _id: { $nin: without },
        },
      },
      {
        $group: {
          _id: {
            day: '$day',
            kind: '$kind',
            userId: '$userId',
            workspaceId: '$workspaceId',
            conversationId: '$conversationId',
          },
          tokens: { $sum: { $add: ['$promptTokens', '$completionTokens'] } },
          discount: { $sum: '$discountTokens' },
          messages: { $sum: '$messages' },
        },
      },
    ]);
    return groups.map(toSum);
  },
});

interface SumGroup {
  _id: Pick<LedgerSum, 'day' | 'kind'> & {
    userId?: Types.ObjectId | null;
    workspaceId?: Types.ObjectId | null;
    conversationId?: Types.ObjectId | null;
  };
  tokens: number;
  discount: number;
  messages: number;
}

const toSum = ({ _id, tokens, discount, messages }: SumGroup): LedgerSum => {
  const { day, kind, userId, workspaceId, conversationId } = _id;
  return {
    day,
    kind,
    ...(workspaceId && userId ? { member: String(userId) } : {}),
    ...(conversationId ? { member: String(conversationId) } : {}),
    tokens: tokens - discount,
    messages,
  };
};

const writeCalls = (model: ReturnType<typeof defineLedgerModel>) => ({
  /** Writes the closed state of a reservation. A settled entry is final; writing it again changes nothing. */
  write: async (
    { usageId, ownerId }: { usageId: string; ownerId: string },
    reservation: Reservation,
  ): Promise<void> => {
    const { replyId, attempt, kind, run, state, messages, replyTokens, at, touchedAt, used } =
      reservation;
    const { userId = ownerId, workspaceId, conversationId } = reservation;
    const entry = {
      userId,
      ...(workspaceId && { workspaceId }),
      ...(conversationId && { conversationId }),
      usageId,
      replyId,
      attempt,
      kind,
      ...(run && { run }),
      state,
      ...(used?.model !== undefined && { model: used.model }),
      promptTokens: used?.promptTokens ?? 0,
      cachedTokens: used?.cachedTokens ?? 0,
      discountTokens: used?.discountTokens ?? 0,
      completionTokens: used?.completionTokens ?? 0,
      reasoningTokens: used?.reasoningTokens ?? 0,
      replyTokens,
      messages,
      at,
      day: dayOf(at),
      closedAt: touchedAt,
    };
    const open = { _id: entryId(reservation), ownerId, state: { $ne: 'settled' as const } };
    const update = () => unlessDuplicate(model.updateOne(open, { $set: entry }, { upsert: true }));
    // The first update fails when another one inserts the entry at the same moment; the second changes it unless it is settled.
    if ((await update()) || (await update()) || state !== 'settled') return;
    // The ownership of a workspace has moved between two sends of the same message: the former owner paid nothing.
    const unpaid = { _id: open._id, ownerId: { $ne: ownerId }, state: { $ne: 'settled' as const } };
    if ((await model.deleteOne(unpaid)).deletedCount === 1) await update();
  },

  /** Removes the user from the entries that others pay for. */
  forgetUser: async (userId: string): Promise<void> => {
    await model.updateMany(askedBy(userId), { $unset: { userId: 1 } });
  },

  removeAllOf: async (ownerId: string): Promise<void> => {
    await model.deleteMany({ ownerId });
  },
});
