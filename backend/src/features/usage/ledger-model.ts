import { type Connection, Schema } from 'mongoose';
import { isDuplicateKey } from '../../db/mongo.ts';
import type { AttemptKey, ClosedState, Reservation } from './model.ts';

// One entry per attempt at a reply, written when its reservation is closed; open ones stand with the sums.
const schema = new Schema(
  {
    /** `<replyId>:<attempt>`: the database itself refuses a second entry. */
    _id: { type: String, required: true },
    ownerId: { type: Schema.Types.ObjectId, required: true, index: true },
    usageId: { type: String, required: true },
    kind: { type: String, enum: ['reply'], required: true },
    state: { type: String, enum: ['settled', 'released', 'expired'], required: true },
    promptTokens: { type: Number, required: true },
    completionTokens: { type: Number, required: true },
    replyTokens: { type: Number, required: true },
    messages: { type: Number, required: true },
    closedAt: { type: Date, required: true },
  },
  { versionKey: false },
);
schema.index({ usageId: 1, state: 1 });

export interface LedgerEntry {
  /** The document of sums that it counts in. */
  usageId: string;
  state: ClosedState;
  promptTokens: number;
  completionTokens: number;
  /** What the attempt might have used for its reply. */
  replyTokens: number;
  messages: 0 | 1;
}

export const defineLedgerModel = (connection: Connection) =>
  connection.model('LedgerEntry', schema, 'usage_ledger');

export type LedgerStore = ReturnType<typeof createLedgerStore>;

const idOf = ({ replyId, attempt }: AttemptKey) => `${replyId}:${attempt}`;

export function createLedgerStore(model: ReturnType<typeof defineLedgerModel>) {
  return {
    find: async (key: AttemptKey): Promise<LedgerEntry | null> =>
      model.findById(idOf(key)).lean<LedgerEntry>(),

    /** Whether an attempt before this one was charged and counted the message of its reply. */
    countsMessage: async (replyId: string, attempt: number): Promise<boolean> => {
      const earlier = Array.from({ length: attempt - 1 }, (_, n) =>
        idOf({ replyId, attempt: n + 1 }),
      );
      const filter = { _id: { $in: earlier }, state: 'settled' as const, messages: 1 };
      return (await model.exists(filter)) !== null;
    },

    /** Writes how a reservation was closed. A settled entry is final; writing it again changes nothing. */
    write: async (
      { usageId, ownerId }: { usageId: string; ownerId: string },
      { used, state, messages, replyTokens, touchedAt, ...key }: Reservation,
    ): Promise<void> => {
      const entry = {
        ownerId,
        usageId,
        kind: 'reply' as const,
        state,
        promptTokens: used?.promptTokens ?? 0,
        completionTokens: used?.completionTokens ?? 0,
        replyTokens,
        messages,
        closedAt: touchedAt,
      };
      await model
        .updateOne({ _id: idOf(key), state: { $ne: 'settled' } }, { $set: entry }, { upsert: true })
        .catch((error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
        });
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteMany({ ownerId });
    },
  };
}
