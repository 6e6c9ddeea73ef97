import { createHash } from 'node:crypto';
import { type Connection, Schema } from 'mongoose';
import { unlessDuplicate } from '../../db/mongo.ts';

const HOUR_MS = 60 * 60_000;

/**
 * Each hour (UTC) has up to this many documents, with equal shares of the budget, so that guests do not wait for one document. A share is
 * not smaller than `MIN_SHARE`, because the last reply that a document accepts may exceed it: the sum of all replies exceeds the budget by
 * one reply per document at most.
 */
const MAX_PARTS = 32;
const MIN_SHARE = 100_000;

const schema = new Schema(
  {
    _id: { type: String, required: true },
    tokens: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false },
);
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const defineBudgetModel = (connection: Connection) =>
  connection.model('GuestBudget', schema, 'usage_guest_hours');

const nameOf = (start: number, part: number) => `${new Date(start).toISOString()}#${part}`;

const partOf = (ownerId: string, parts: number): number =>
  createHash('sha256').update(ownerId).digest().readUInt32BE() % parts;

/** The parts with tokens left, the least used ones first. */
async function freeParts(
  model: ReturnType<typeof defineBudgetModel>,
  start: number,
  { parts, share }: { parts: number; share: number },
): Promise<number[]> {
  const all = Array.from({ length: parts }, (_, part) => part);
  const docs = await model.find({ _id: { $in: all.map((part) => nameOf(start, part)) } }).lean();
  const used = new Map(docs.map(({ _id, tokens }) => [_id, tokens]));
  const usedOf = (part: number) => used.get(nameOf(start, part)) ?? 0;
  return all.filter((part) => usedOf(part) < share).toSorted((a, b) => usedOf(a) - usedOf(b));
}

/** The tokens that all guests together may use in an hour. */
export function createGuestBudget(
  model: ReturnType<typeof defineBudgetModel>,
  { tokensPerHour }: { tokensPerHour: number },
) {
  const parts = Math.min(MAX_PARTS, Math.max(1, Math.floor(tokensPerHour / MIN_SHARE)));
  const share = tokensPerHour / parts;

  const addOnce = async (start: number, part: number, tokens: number) => {
    const added = await unlessDuplicate(
      model.updateOne(
        { _id: nameOf(start, part), tokens: { $lt: share } },
        { $inc: { tokens }, $setOnInsert: { expiresAt: new Date(start + 2 * HOUR_MS) } },
        { upsert: true },
      ),
    );
    // Null when the document exists and has no tokens left.
    return added !== null && added.upsertedCount + added.modifiedCount === 1;
  };

  // Twice: the first update fails when another one inserts the document at the same moment.
  const add = async (start: number, part: number, tokens: number) =>
    (await addOnce(start, part, tokens)) || addOnce(start, part, tokens);

  return {
    /**
     * Takes tokens from the hour of `now` while any are left: from the guest's own part, or from another one.
     * @returns the name of the part, or the seconds until the next hour
     */
    take: async (
      ownerId: string,
      tokens: number,
      now: Date,
    ): Promise<{ hour: string } | { secondsLeft: number }> => {
      const start = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
      if (tokensPerHour > 0) {
        const own = partOf(ownerId, parts);
        if (await add(start, own, tokens)) return { hour: nameOf(start, own) };
        const others = parts > 1 ? await freeParts(model, start, { parts, share }) : [];
        for (const part of others)
          if (await add(start, part, tokens)) return { hour: nameOf(start, part) };
      }
      return { secondsLeft: Math.ceil((start + HOUR_MS - now.getTime()) / 1_000) };
    },

    /** Returns unused tokens; a negative number takes the excess. */
    giveBack: async (hour: string, tokens: number): Promise<void> => {
      if (tokens !== 0) await model.updateOne({ _id: hour }, { $inc: { tokens: -tokens } });
    },
  };
}
