import { type Connection, Schema, Types } from 'mongoose';
import { isDuplicateKey } from '../../db/mongo.ts';

const { ObjectId } = Schema.Types;

const schema = new Schema(
  {
    name: { type: String, required: true },
    /** A user owns one workspace at most: the seats are those of the owner's plan. */
    ownerId: { type: ObjectId, required: true, unique: true },
    /** The admin to whom the ownership is offered. */
    transferTo: ObjectId,
    /** One for each member and each open invitation, by its id; `taken` is their number, which one update compares and changes. */
    seats: [{ _id: false, key: String, at: Date }],
    taken: { type: Number, required: true },
    /** The invitations mailed on one day (UTC). */
    mailDay: String,
    mailCount: Number,
    /** Verified addresses in them may join; absent: none. A domain belongs to one workspace. */
    domains: { type: [String], default: undefined },
    /** Users whom an admin has removed: they do not join again by their domain. */
    removed: { type: [ObjectId], default: undefined },
    /** Its members make no public links for the others. */
    forbidsLinks: Boolean,
    createdAt: { type: Date, required: true },
  },
  { versionKey: false },
);
schema.index({ transferTo: 1 }, { sparse: true });
schema.index({ domains: 1 }, { unique: true, sparse: true });
schema.index({ removed: 1 }, { sparse: true });

export const defineWorkspaceModel = (connection: Connection) =>
  connection.model('Workspace', schema, 'workspaces');
export type WorkspaceModel = ReturnType<typeof defineWorkspaceModel>;

export interface WorkspaceRecord {
  id: string;
  name: string;
  ownerId: string;
  transferTo: string | null;
  allowLinks: boolean;
  domains: string[];
  createdAt: Date;
}

interface WorkspaceDocument {
  _id: Types.ObjectId;
  name: string;
  ownerId: Types.ObjectId;
  transferTo?: Types.ObjectId | null;
  seats?: Seat[];
  forbidsLinks?: boolean | null;
  domains?: string[] | null;
  createdAt: Date;
}

/** The seat of a member or of an open invitation. */
export interface Seat {
  /** The id of the user or of the invitation. */
  key: string;
  at: Date;
}

const toRecord = ({
  _id,
  name,
  ownerId,
  transferTo,
  forbidsLinks,
  domains,
  createdAt,
}: WorkspaceDocument) => ({
  id: String(_id),
  name,
  ownerId: String(ownerId),
  transferTo: transferTo ? String(transferTo) : null,
  allowLinks: !forbidsLinks,
  domains: domains ?? [],
  createdAt,
});

const record = (doc: WorkspaceDocument | null): WorkspaceRecord | null => doc && toRecord(doc);

export const newWorkspaceId = (): string => new Types.ObjectId().toHexString();

/** Workspaces, with their seats. */
export const createWorkspaceStore = (model: WorkspaceModel) => ({
  ...readCalls(model),
  ...changeCalls(model),
  ...transferCalls(model),
  ...seatCalls(model),
});

const readCalls = (model: WorkspaceModel) => ({
  find: async (id: string): Promise<WorkspaceRecord | null> =>
    record(await model.findById(id).lean<WorkspaceDocument>()),

  /** The workspaces of those ids, and the one that the user owns. */
  findAll: async (ids: readonly string[], ownerId: string): Promise<WorkspaceRecord[]> => {
    const docs = await model
      .find({ $or: [{ _id: { $in: [...ids] } }, { ownerId }] })
      .lean<WorkspaceDocument[]>();
    return docs.map(toRecord);
  },

  findMany: async (ids: readonly string[]): Promise<WorkspaceRecord[]> => {
    const docs = await model.find({ _id: { $in: [...ids] } }).lean<WorkspaceDocument[]>();
    return docs.map(toRecord);
  },

  /** The workspace of a domain, unless its admins have removed the user. */
  findByDomain: async (
    domain: string,
    { except }: { except: string },
  ): Promise<WorkspaceRecord | null> =>
    record(
      await model.findOne({ domains: domain, removed: { $ne: except } }).lean<WorkspaceDocument>(),
    ),

  ownedBy: async (ownerId: string): Promise<WorkspaceRecord | null> =>
    record(await model.findOne({ ownerId }).lean<WorkspaceDocument>()),
});

const changeCalls = (model: WorkspaceModel) => ({
  /** A new workspace with the owner's seat; null when the user owns one. */
  insert: async ({
    id,
    now,
    ...fields
  }: Pick<WorkspaceRecord, 'id' | 'name' | 'ownerId'> & {
    now: Date;
  }): Promise<WorkspaceRecord | null> => {
    try {
      const seats = [{ key: fields.ownerId, at: now }];
      await model.create({ ...fields, _id: id, seats, taken: 1, createdAt: now });
      return { ...fields, id, transferTo: null, allowLinks: true, domains: [], createdAt: now };
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  },

  rename: async (id: string, name: string): Promise<void> => {
    await model.updateOne({ _id: id }, { $set: { name } });
  },

  setAllowLinks: async (id: string, allowed: boolean): Promise<void> => {
    await model.updateOne({ _id: id }, { $set: { forbidsLinks: !allowed } });
  },

  /** Replaces the domains, while the same user owns it; false when another workspace has one of them. */
  setDomains: async (
    { id, ownerId }: Pick<WorkspaceRecord, 'id' | 'ownerId'>,
    domains: string[],
  ): Promise<boolean> => {
    try {
      // Absent instead of empty: the unique index counts two empty lists as equal.
      const change = domains.length > 0 ? { $set: { domains } } : { $unset: { domains: 1 } };
      return (await model.updateOne({ _id: id, ownerId }, change)).matchedCount === 1;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  },

  noteRemoved: async (id: string, userId: string): Promise<void> => {
    await model.updateOne({ _id: id }, { $addToSet: { removed: userId } });
  },

  /** The user may join again, in this workspace or in all. */
  forgetRemoved: async (userId: string, id?: string): Promise<void> => {
    await model.updateMany(
      { ...(id && { _id: id }), removed: userId },
      { $pull: { removed: userId } },
    );
  },

  /** @returns whether this user owned it */
  remove: async ({ id, ownerId }: Pick<WorkspaceRecord, 'id' | 'ownerId'>): Promise<boolean> =>
    (await model.deleteOne({ _id: id, ownerId })).deletedCount === 1,
});

const transferCalls = (model: WorkspaceModel) => ({
  /** Offers the ownership; false when another user owns the workspace now. */
  offer: async ({ id, ownerId }: WorkspaceRecord, transferTo: string): Promise<boolean> =>
    (await model.updateOne({ _id: id, ownerId }, { $set: { transferTo } })).matchedCount === 1,

  /** Ends the offer of this owner, if there is one; false when another user owns the workspace now. */
  withdrawOffer: async ({ id, ownerId }: WorkspaceRecord): Promise<boolean> =>
    (await model.updateOne({ _id: id, ownerId }, { $unset: { transferTo: 1 } })).matchedCount === 1,

  /** Ends the offer to this user, if there is one. */
  endOffer: async (id: string, transferTo: string): Promise<void> => {
    await model.updateOne({ _id: id, transferTo }, { $unset: { transferTo: 1 } });
  },

  endOffersTo: async (transferTo: string): Promise<void> => {
    await model.updateMany({ transferTo }, { $unset: { transferTo: 1 } });
  },

  /** Moves the ownership to whom it is offered. `owner`: the user owns another workspace; `ended`: the offer has ended. */
  acceptOffer: async (
    { id, ownerId }: WorkspaceRecord,
    transferTo: string,
  ): Promise<'moved' | 'owner' | 'ended'> => {
    try {
      const { matchedCount } = await model.updateOne(
        { _id: id, ownerId, transferTo },
        { $set: { ownerId: transferTo }, $unset: { transferTo: 1 } },
      );
      return matchedCount === 1 ? 'moved' : 'ended';
    } catch (error) {
      if (isDuplicateKey(error)) return 'owner';
      throw error;
    }
  },
});

const seatCalls = (model: WorkspaceModel) => ({
  seats: async (id: string): Promise<Seat[]> =>
    (await model.findById(id).lean<WorkspaceDocument>())?.seats ?? [],

  /** Takes a seat; false when `limit` are taken. */
  takeSeat: async (
    id: string,
    { key, limit, now }: { key: string; limit: number; now: Date },
  ): Promise<boolean> => {
    const { modifiedCount } = await model.updateOne(
      { _id: id, taken: { $lt: limit }, seats: without(key) },
      { $push: { seats: { key, at: now } }, $inc: { taken: 1 } },
    );
    return modifiedCount === 1;
  },

  /** Gives the seat `from` to `to`, unless that one has a seat. */
  moveSeat: async (id: string, from: string, to: string): Promise<void> => {
    await model.updateOne(
      {
        _id: id,
        seats: { $elemMatch: { key: from } },
        $nor: [{ seats: { $elemMatch: { key: to } } }],
      },
      { $set: { 'seats.$.key': to } },
    );
  },

  freeSeat: async (id: string, key: string): Promise<void> => {
    await model.updateOne(
      { _id: id, seats: { $elemMatch: { key } } },
      { $pull: { seats: { key } }, $inc: { taken: -1 } },
    );
  },

  /** Counts a mail of the day; false when there were `limit`. */
  countMail: async (
    id: string,
    { day, limit }: { day: string; limit: number },
  ): Promise<boolean> => {
    const another = async () => {
      const filter = { _id: id, mailDay: day, mailCount: { $lt: limit } };
      return (await model.updateOne(filter, { $inc: { mailCount: 1 } })).modifiedCount === 1;
    };
    const first = async () => {
      const filter = { _id: id, mailDay: { $ne: day } };
      const set = { $set: { mailDay: day, mailCount: 1 } };
      return (await model.updateOne(filter, set)).modifiedCount === 1;
    };
    // Another call may count the first mail in between.
    return (await another()) || (await first()) || another();
  },
});

const without = (key: string) => ({ $not: { $elemMatch: { key } } });
