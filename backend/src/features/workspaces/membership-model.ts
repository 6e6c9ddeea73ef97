import { type Connection, Schema, type Types } from 'mongoose';
import { GIVEN_ROLES, type GivenRole } from '../../contract/roles.ts';
import { isDuplicateKey } from '../../db/mongo.ts';

const { ObjectId } = Schema.Types;

const schema = new Schema(
  {
    workspaceId: { type: ObjectId, required: true },
    userId: { type: ObjectId, required: true, index: true },
    /** The owner's is `admin`: who owns a workspace is in its own document, so that a transfer is one update. */
    role: { type: String, enum: GIVEN_ROLES, required: true },
    /** The most tokens that the workspace pays for the member in a usage period; absent: no cap. */
    cap: Number,
    joinedAt: { type: Date, required: true },
  },
  { versionKey: false },
);
schema.index({ workspaceId: 1, userId: 1 }, { unique: true });

export const defineMembershipModel = (connection: Connection) =>
  connection.model('Membership', schema, 'memberships');
export type MembershipModel = ReturnType<typeof defineMembershipModel>;

export interface MembershipKey {
  workspaceId: string;
  userId: string;
}

export interface MembershipRecord extends MembershipKey {
  role: GivenRole;
  /** Null: no cap. */
  cap: number | null;
  joinedAt: Date;
}

interface MembershipDocument {
  workspaceId: Types.ObjectId;
  userId: Types.ObjectId;
  role: GivenRole;
  cap?: number | null;
  joinedAt: Date;
}

const toRecord = ({ workspaceId, userId, role, cap, joinedAt }: MembershipDocument) => ({
  workspaceId: String(workspaceId),
  userId: String(userId),
  role,
  cap: cap ?? null,
  joinedAt,
});

/** The users of workspaces. */
export const createMembershipStore = (model: MembershipModel) => ({
  find: async ({ workspaceId, userId }: MembershipKey): Promise<MembershipRecord | null> => {
    const doc = await model.findOne({ workspaceId, userId }).lean<MembershipDocument>();
    return doc && toRecord(doc);
  },

  /** The members of a workspace, the first one first. */
  ofWorkspace: async (workspaceId: string): Promise<MembershipRecord[]> => {
    const found = model.find({ workspaceId }).sort({ joinedAt: 1, _id: 1 });
    return (await found.lean<MembershipDocument[]>()).map(toRecord);
  },

  ofUser: async (userId: string): Promise<MembershipRecord[]> =>
    (await model.find({ userId }).lean<MembershipDocument[]>()).map(toRecord),

  /** The memberships of users, or those in workspaces. */
  among: async (
    wanted: { userIds: readonly string[] } | { workspaceIds: readonly string[] },
  ): Promise<MembershipRecord[]> => {
    const filter =
      'userIds' in wanted
        ? { userId: { $in: [...wanted.userIds] } }
        : { workspaceId: { $in: [...wanted.workspaceIds] } };
    return (await model.find(filter).lean<MembershipDocument[]>()).map(toRecord);
  },

  /** @returns false when the user is a member already */
  insert: async (membership: Omit<MembershipRecord, 'cap'>): Promise<boolean> => {
    try {
      await model.create(membership);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  },

  /**
   * Changes the named fields; a cap of null removes it.
   * @returns whether there is such a member
   */
  change: async (
    { workspaceId, userId }: MembershipKey,
    { role, cap }: { role?: GivenRole | undefined; cap?: number | null | undefined },
  ): Promise<boolean> => {
    const set = { ...(role && { role }), ...(cap !== undefined && cap !== null && { cap }) };
    const update = { $set: set, ...(cap === null && { $unset: { cap: 1 as const } }) };
    return (await model.updateOne({ workspaceId, userId }, update)).matchedCount === 1;
  },

  /** @returns whether there was such a member */
  remove: async ({ workspaceId, userId }: MembershipKey): Promise<boolean> =>
    (await model.deleteOne({ workspaceId, userId })).deletedCount === 1,

  removeOfWorkspace: async (workspaceId: string): Promise<void> => {
    await model.deleteMany({ workspaceId });
  },
});
