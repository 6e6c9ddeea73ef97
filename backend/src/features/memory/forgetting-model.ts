import { type Connection, Schema } from 'mongoose';

// At most one document per user.
const schema = new Schema(
  {
    /** Id of the user. */
    _id: { type: Schema.Types.ObjectId, required: true },
    forgottenAt: { type: Date, required: true },
  },
  { versionKey: false },
);

export const defineForgettingModel = (connection: Connection) =>
  connection.model('MemoryForgetting', schema, 'memory_forgettings');

/** When users erased all memories: messages sent before are not saved afterwards. */
export const createForgettingStore = (model: ReturnType<typeof defineForgettingModel>) => ({
  find: async (ownerId: string): Promise<Date | null> =>
    (await model.findById(ownerId).lean())?.forgottenAt ?? null,

  set: async (ownerId: string, at: Date): Promise<void> => {
    await model.updateOne({ _id: ownerId }, { $max: { forgottenAt: at } }, { upsert: true });
  },

  removeAllOf: async (ownerId: string): Promise<void> => {
    await model.deleteOne({ _id: ownerId });
  },
});
