import { type Connection, Schema, Types } from 'mongoose';
import { USAGE_KINDS } from '../../contract/usage.ts';
import { isDuplicateKey } from '../../db/mongo.ts';
import { type AttemptKey, type ClosedState, dayOf, kindOf, type Reservation } from './records.ts';

// One entry per attempt, written when its reservation is closed; open reservations are in the document of sums.
const schema = new Schema(
  {
    /** The attempt's key: the index refuses a second entry. */
    _id: { type: String, required: true },
    ownerId: { type: Schema.Types.ObjectId, required: true },
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

export interface LedgerEntry {
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
  ...readCalls(model),
  ...writeCalls(model),
});

const readCalls = (model: ReturnType<typeof defineLedgerModel>) => ({
  ...findCalls(model),
  ...sumCalls(model),
});

function findCalls(model: ReturnType<typeof defineLedgerModel>) {
  const readPage = (ownerId: string, limit: number, after?: LedgerEntry) => {
    const older = after && {
      at: { $lte: after.at },
      $or: [{ at: { $lt: after.at } }, { _id: { $lt: entryId(after) } }],
    };
    return model
      .find({ ownerId, ...older })
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

    /** All entries of a user, latest first, read page by page, so that a slow reader keeps no cursor open. */
    async *ofUser(ownerId: string, pageSize = PAGE): AsyncGenerator<LedgerEntry> {
      let page = await readPage(ownerId, pageSize);
      while (page.length > 0) {
        yield* page;
        const last = page.at(-1);
        page = last && page.length === pageSize ? await readPage(ownerId, pageSize, last) : [];
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
    const groups = await model.aggregate<{
      _id: Pick<LedgerSum, 'day' | 'kind'>;
      tokens: number;
      discount: number;
      messages: number;
    }>([
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
          _id: { day: '$day', kind: '$kind' },
          tokens: { $sum: { $add: ['$promptTokens', '$completionTokens'] } },
          discount: { $sum: '$discountTokens' },
          messages: { $sum: '$messages' },
        },
      },
    ]);
    return groups.map(({ _id, tokens, discount, messages }) => ({
      ..._id,
      tokens: tokens - discount,
      messages,
    }));
  },
});

const writeCalls = (model: ReturnType<typeof defineLedgerModel>) => ({
  /** Writes the closed state of a reservation. A settled entry is final; writing it again changes nothing. */
  write: async (
    { usageId, ownerId }: { usageId: string; ownerId: string },
    reservation: Reservation,
  ): Promise<void> => {
    const { replyId, attempt, kind, run, state, messages, replyTokens, at, touchedAt, used } =
      reservation;
    const entry = {
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
    const update = () =>
      model.updateOne(open, { $set: entry }, { upsert: true }).then(
        () => true,
        (error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
          return false;
        },
      );
    // The first update fails when another one inserts the entry at the same moment; the second changes it unless it is settled.
    if (!(await update())) await update();
  },

  removeAllOf: async (ownerId: string): Promise<void> => {
    await model.deleteMany({ ownerId });
  },
});
