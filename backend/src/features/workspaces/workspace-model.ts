import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import { matchesOne, unlessDuplicate } from '../../db/mongo.ts';
import { recordsBy } from '../../db/records.ts';

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

type WorkspaceDocument = InferSchemaType<typeof schema> & { _id: Types.ObjectId };

/** The seat of a member or of an open invitation. */
export interface Seat {
  /** The id of the user or of the invitation. */
  key: string;
  at: Date;
}

const toRecord = (doc: WorkspaceDocument): WorkspaceRecord => ({
  id: String(doc._id),
  name: doc.name,
  ownerId: String(doc.ownerId),
  transferTo: doc.transferTo ? String(doc.transferTo) : null,
  allowLinks: !doc.forbidsLinks,
  domains: doc.domains ?? [],
  createdAt: doc.createdAt,
});

const recordsIn = recordsBy(toRecord);

export const newWorkspaceId = (): string => new Types.ObjectId().toHexString();

/** Workspaces, with their seats. */
export const createWorkspaceStore = (model: WorkspaceModel) => ({
  ...readCalls(model),
  ...changeCalls(model),
  ...transferCalls(model),
  ...seatCalls(model),
});

const readCalls = (model: WorkspaceModel) => ({
  find: (id: string): Promise<WorkspaceRecord | null> => recordsIn(model).findOne({ _id: id }),

  /** The workspaces of those ids, and the one that the user owns. */
  findAll: (ids: readonly string[], ownerId: string): Promise<WorkspaceRecord[]> =>
    recordsIn(model).find({ $or: [{ _id: { $in: [...ids] } }, { ownerId }] }),

  findMany: (ids: readonly string[]): Promise<WorkspaceRecord[]> =>
    recordsIn(model).find({ _id: { $in: [...ids] } }),

  /** The workspace of a domain; with `except`, unless its admins have removed that user. */
  findByDomain: (
    domain: string,
    { except }: { except?: string } = {},
  ): Promise<WorkspaceRecord | null> =>
    recordsIn(model).findOne({ domains: domain, ...(except && { removed: { $ne: except } }) }),

  ownedBy: (ownerId: string): Promise<WorkspaceRecord | null> =>
    recordsIn(model).findOne({ ownerId }),
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
    const seats = [{ key: fields.ownerId, at: now }];
    const workspace = { ...fields, _id: id, seats, taken: 1, createdAt: now };
    const inserted = await unlessDuplicate(model.create(workspace));
    const unset = { transferTo: null, allowLinks: true, domains: [] };
    return inserted && { ...fields, id, ...unset, createdAt: now };
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
    // Absent instead of empty: the unique index counts two empty lists as equal.
    const change = domains.length > 0 ? { $set: { domains } } : { $unset: { domains: 1 } };
    const changed = await unlessDuplicate(model.updateOne({ _id: id, ownerId }, change));
    return changed?.matchedCount === 1;
  },

  /** Takes a domain from a workspace, while the same user owns it. */
  releaseDomain: async (
    { id, ownerId }: Pick<WorkspaceRecord, 'id' | 'ownerId'>,
    domain: string,
  ): Promise<void> => {
    // All of them, as in `setDomains`: those of an owner without an address in one of them admit nobody.
    await model.updateOne({ _id: id, ownerId, domains: domain }, { $unset: { domains: 1 } });
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
  offer: ({ id, ownerId }: WorkspaceRecord, transferTo: string): Promise<boolean> =>
    matchesOne(model.updateOne({ _id: id, ownerId }, { $set: { transferTo } })),

  /** Ends the offer of this owner, if there is one; false when another user owns the workspace now. */
  withdrawOffer: ({ id, ownerId }: WorkspaceRecord): Promise<boolean> =>
    matchesOne(model.updateOne({ _id: id, ownerId }, { $unset: { transferTo: 1 } })),

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
    const change = { $set: { ownerId: transferTo }, $unset: { transferTo: 1 as const } };
    const changed = await unlessDuplicate(
      model.updateOne({ _id: id, ownerId, transferTo }, change),
    );
    if (!changed) return 'owner';
    return changed.matchedCount === 1 ? 'moved' : 'ended';
  },
});

const seatCalls = (model: WorkspaceModel) => ({
  seats: async (id: string): Promise<Seat[]> =>
    (await model.findById(id).lean<{ seats?: Seat[] }>())?.seats ?? [],

  /** Takes a seat; false when `limit` are taken. */
  takeSeat: (
    id: string,
    { key, limit, now }: { key: string; limit: number; now: Date },
  ): Promise<boolean> =>
    matchesOne(
      model.updateOne(
        { _id: id, taken: { $lt: limit }, seats: without(key) },
        { $push: { seats: { key, at: now } }, $inc: { taken: 1 } },
      ),
    ),

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
    const another = () => {
      const filter = { _id: id, mailDay: day, mailCount: { $lt: limit } };
      return matchesOne(model.updateOne(filter, { $inc: { mailCount: 1 } }));
    };
    const first = () => {
      const set = { $set: { mailDay: day, mailCount: 1 } };
      return matchesOne(model.updateOne({ _id: id, mailDay: { $ne: day } }, set));
    };
    // Another call may count the first mail in between.
    return (await another()) || (await first()) || another();
  },
});

const without = (key: string) => ({ $not: { $elemMatch: { key } } });
