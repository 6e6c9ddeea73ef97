import { type Connection, Schema } from 'mongoose';
import { USAGE_KINDS } from '../../contract/usage.ts';
import { isDuplicateKey } from '../../db/mongo.ts';
import { type AttemptKey, type ClosedState, dayOf, kindOf, type Reservation } from './records.ts';

// One entry per attempt, written when its reservation is closed; open ones stand with the sums.
const schema = new Schema(
  {
    /** Of the attempt: the database itself refuses a second entry. */
    _id: { type: String, required: true },
    ownerId: { type: Schema.Types.ObjectId, required: true },
    usageId: { type: String, required: true },
    replyId: { type: String, required: true },
    attempt: { type: Number, required: true },
    kind: { type: String, enum: USAGE_KINDS, required: true },
    state: { type: String, enum: ['settled', 'released', 'expired'], required: true },
    model: String,
    promptTokens: { type: Number, required: true },
    cachedTokens: { type: Number, required: true },
    completionTokens: { type: Number, required: true },
    reasoningTokens: { type: Number, required: true },
    replyTokens: { type: Number, required: true },
    messages: { type: Number, required: true },
    at: { type: Date, required: true },
    /** That of `at`: the embedded database computes no dates. */
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
  /** The document of sums that it counts in. */
  usageId: string;
  state: ClosedState;
  model?: string;
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  /** What the attempt might have used for its reply. */
  replyTokens: number;
  messages: 0 | 1;
  /** When it was reserved. */
  at: Date;
}

export const defineLedgerModel = (connection: Connection) =>
  connection.model('LedgerEntry', schema, 'usage_ledger');

export type LedgerStore = ReturnType<typeof createLedgerStore>;

/** `<replyId>:<attempt>` of a reply; a background call has its kind behind it. */
export const entryId = (key: AttemptKey): string => {
  const kind = kindOf(key);
  return `${key.replyId}:${key.attempt}${kind === 'reply' ? '' : `:${kind}`}`;
};

export function createLedgerStore(model: ReturnType<typeof defineLedgerModel>) {
  return {
    find: async (key: AttemptKey): Promise<LedgerEntry | null> =>
      model.findById(entryId(key)).lean<LedgerEntry>(),

    /** Whether an attempt before this one was charged and counted the message of its reply. */
    countsMessage: async (replyId: string, attempt: number): Promise<boolean> => {
      const earlier = Array.from({ length: attempt - 1 }, (_, n) =>
        entryId({ replyId, attempt: n + 1 }),
      );
      const filter = { _id: { $in: earlier }, state: 'settled' as const, messages: 1 };
      return (await model.exists(filter)) !== null;
    },

    /** Writes how a reservation was closed. A settled entry is final; writing it again changes nothing. */
    write: async (
      { usageId, ownerId }: { usageId: string; ownerId: string },
      reservation: Reservation,
    ): Promise<void> => {
      const { replyId, attempt, kind, state, messages, replyTokens, at, touchedAt, used } =
        reservation;
      const entry = {
        ownerId,
        usageId,
        replyId,
        attempt,
        kind,
        state,
        ...(used?.model !== undefined && { model: used.model }),
        promptTokens: used?.promptTokens ?? 0,
        cachedTokens: used?.cachedTokens ?? 0,
        completionTokens: used?.completionTokens ?? 0,
        reasoningTokens: used?.reasoningTokens ?? 0,
        replyTokens,
        messages,
        at,
        day: dayOf(at),
        closedAt: touchedAt,
      };
      const open = { _id: entryId(reservation), state: { $ne: 'settled' as const } };
      await model.updateOne(open, { $set: entry }, { upsert: true }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteMany({ ownerId });
    },
  };
}
