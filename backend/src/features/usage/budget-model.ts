import { type Connection, Schema } from 'mongoose';
import { isDuplicateKey } from '../../db/mongo.ts';

const HOUR_MS = 60 * 60_000;

// One document per hour (UTC) with usage by guests.
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

const nameOf = (start: number) => new Date(start).toISOString();

/** The tokens that all guests together may use in an hour. */
export function createGuestBudget(
  model: ReturnType<typeof defineBudgetModel>,
  { tokensPerHour }: { tokensPerHour: number },
) {
  const add = async (start: number, tokens: number) => {
    const { upsertedCount, modifiedCount } = await model
      .updateOne(
        { _id: nameOf(start), tokens: { $lt: tokensPerHour } },
        { $inc: { tokens }, $setOnInsert: { expiresAt: new Date(start + 2 * HOUR_MS) } },
        { upsert: true },
      )
      // The hour exists and has no tokens left.
      .catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return { upsertedCount: 0, modifiedCount: 0 };
      });
    return upsertedCount + modifiedCount === 1;
  };

  return {
    /**
     * Takes tokens from the hour of `now` while any are left.
     * @returns its name, or the seconds until the next hour
     */
    take: async (
      tokens: number,
      now: Date,
    ): Promise<{ hour: string } | { secondsLeft: number }> => {
      const start = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
      // Twice: the first update fails when another one inserts the hour at the same moment.
      if (tokensPerHour > 0 && ((await add(start, tokens)) || (await add(start, tokens))))
        return { hour: nameOf(start) };
      return { secondsLeft: Math.ceil((start + HOUR_MS - now.getTime()) / 1_000) };
    },

    /** Returns unused tokens; a negative number takes the excess. */
    giveBack: async (hour: string, tokens: number): Promise<void> => {
      if (tokens !== 0) await model.updateOne({ _id: hour }, { $inc: { tokens: -tokens } });
    },
  };
}
