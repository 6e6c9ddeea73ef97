import { type Connection, type InferSchemaType, Schema, type Types } from 'mongoose';
import { unlessDuplicate, upsert } from '../../../db/mongo.ts';
import { recordsBy } from '../../../db/records.ts';

const { ObjectId } = Schema.Types;

const schema = new Schema(
  {
    conversationId: { type: ObjectId, required: true },
    userId: { type: ObjectId, required: true },
    /** The last message of the branch that the member sees; absent: the owner's, also for the owner. */
    leafId: ObjectId,
    /** `updatedAt` of the conversation when the member last read it. */
    readAt: Date,
    /** The time of the last message that names the member. It counts until it is read. */
    mentionedAt: Date,
  },
  { versionKey: false },
);
schema.index({ conversationId: 1, userId: 1 }, { unique: true });
schema.index({ userId: 1 });

type ViewDocument = InferSchemaType<typeof schema> & { _id: Types.ObjectId };

/** A member's place in a shared conversation. */
export interface ViewRecord extends ViewKey {
  /** Null: the owner's. */
  leafId: string | null;
  readAt: Date | null;
  mentionedAt: Date | null;
}

interface ViewKey {
  conversationId: string;
  userId: string;
}

/** A reply that members see from now on. */
export interface Followed {
  conversationId: string;
  /** The message that it continues; null: it is a first one. */
  from: string | null;
  to: string;
  at: Date;
  /** Who asked for it. `leafBefore` is what a member saw then; absent for the owner, whose branch stands in the conversation. */
  author: { userId: string; leafBefore?: string | null };
  /** The members whom the message names. */
  mentioned: readonly string[];
}

export const defineViewModel = (connection: Connection) =>
  connection.model('View', schema, 'views');
type ViewModel = ReturnType<typeof defineViewModel>;

const toRecord = (doc: ViewDocument): ViewRecord => ({
  conversationId: String(doc.conversationId),
  userId: String(doc.userId),
  leafId: doc.leafId ? String(doc.leafId) : null,
  readAt: doc.readAt ?? null,
  mentionedAt: doc.mentionedAt ?? null,
});

/** The views of members in shared conversations. Nobody has one in a conversation that was never shared. */
export const createViewStore = (model: ViewModel) => ({
  ...readingStore(model),
  ...changingStore(model),
  ...removalStore(model),
});

function readingStore(model: ViewModel) {
  const read = (filter: object): Promise<ViewRecord[]> => recordsBy(toRecord)(model).find(filter);
  return {
    /** The user's views in these conversations. */
    of: (userId: string, conversationIds: readonly string[]) =>
      read({ conversationId: { $in: conversationIds }, userId }),
    inConversation: (conversationId: string) => read({ conversationId }),
    allOf: (userIds: readonly string[]) => read({ userId: { $in: userIds } }),
  };
}

function changingStore(model: ViewModel) {
  const change = async ({ conversationId, userId }: ViewKey, update: object): Promise<void> => {
    await upsert(() => model.updateOne({ conversationId, userId }, update, { upsert: true }));
  };
  return {
    show: (key: ViewKey, leafId: string) => change(key, { $set: { leafId } }),
    markRead: (key: ViewKey, readAt: Date) => change(key, { $max: { readAt } }),

    /**
     * Moves the views that a reply continues, and its author's, and marks the members whom its message names: one command, which can be
     * repeated. It leaves an author who sees another branch meanwhile.
     */
    follow: async ({
      conversationId,
      from,
      to,
      at,
      author,
      mentioned,
    }: Followed): Promise<void> => {
      const { userId, leafBefore } = author;
      const isOwner = leafBefore === undefined;
      const unmoved = { leafId: { $in: [leafBefore ?? null, to, null] } };
      const operations = [
        ...(from ? [manyOf({ conversationId, leafId: from }, { $set: { leafId: to } })] : []),
        oneOf(
          { conversationId, userId, ...(!isOwner && unmoved) },
          { $max: { readAt: at }, ...(!isOwner && { $set: { leafId: to } }) },
        ),
        ...mentioned.map((id) =>
          oneOf({ conversationId, userId: id }, { $max: { mentionedAt: at } }),
        ),
      ];
      // Again, when another process has inserted the same view; a duplicate then: the author sees another branch meanwhile.
      await unlessDuplicate(upsert(() => model.bulkWrite(operations, { ordered: false })));
    },
  };
}

const manyOf = (filter: object, update: object) => ({ updateMany: { filter, update } });
const oneOf = (filter: object, update: object) => ({
  updateOne: { filter, update, upsert: true },
});

function removalStore(model: ViewModel) {
  const remove = async (filter: object): Promise<void> => {
    await model.deleteMany(filter);
  };
  return {
    removeIn: (conversationIds: readonly string[]) =>
      remove({ conversationId: { $in: conversationIds } }),
    remove: (conversationId: string, userIds: readonly string[]) =>
      remove({ conversationId, userId: { $in: userIds } }),
    removeAllOf: (userId: string) => remove({ userId }),
  };
}
