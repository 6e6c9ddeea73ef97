import { type Connection, Schema } from 'mongoose';

// At most one document per user; without one there is no cap.
const schema = new Schema(
  {
    /** Id of the user. */
    _id: { type: Schema.Types.ObjectId, required: true },
    tokensPerDay: { type: Number, required: true },
  },
  { versionKey: false },
);

export const defineCapModel = (connection: Connection) =>
  connection.model('UsageCap', schema, 'usage_caps');

/** The users' own caps, in tokens per day (UTC). */
export const createCapStore = (model: ReturnType<typeof defineCapModel>) => ({
  /** @returns null without a cap */
  find: async (ownerId: string): Promise<number | null> =>
    (await model.findById(ownerId).lean())?.tokensPerDay ?? null,

  /** Null removes it. */
  set: async (ownerId: string, tokensPerDay: number | null): Promise<void> => {
    if (tokensPerDay === null) await model.deleteOne({ _id: ownerId });
    else await model.updateOne({ _id: ownerId }, { $set: { tokensPerDay } }, { upsert: true });
  },

  removeAllOf: async (ownerId: string): Promise<void> => {
    await model.deleteOne({ _id: ownerId });
  },
});
