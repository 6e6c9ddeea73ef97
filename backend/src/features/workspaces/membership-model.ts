import { type Connection, type InferSchemaType, Schema } from 'mongoose';
import { GIVEN_ROLES, type GivenRole } from '../../contract/roles.ts';
import { matchesOne, unlessDuplicate } from '../../db/mongo.ts';
import { recordsBy } from '../../db/records.ts';

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

const toRecord = (doc: InferSchemaType<typeof schema>): MembershipRecord => ({
  workspaceId: String(doc.workspaceId),
  userId: String(doc.userId),
  role: doc.role,
  cap: doc.cap ?? null,
  joinedAt: doc.joinedAt,
});

const recordsIn = recordsBy(toRecord);

/** The users of workspaces. */
export const createMembershipStore = (model: MembershipModel) => ({
  find: ({ workspaceId, userId }: MembershipKey): Promise<MembershipRecord | null> =>
    recordsIn(model).findOne({ workspaceId, userId }),

  /** The members of a workspace, the first one first. */
  ofWorkspace: (workspaceId: string): Promise<MembershipRecord[]> =>
    recordsIn(model).find({ workspaceId }, { sort: { joinedAt: 1, _id: 1 } }),

  ofUser: (userId: string): Promise<MembershipRecord[]> => recordsIn(model).find({ userId }),

  /** The memberships of users, or those in workspaces. */
  among: (
    wanted: { userIds: readonly string[] } | { workspaceIds: readonly string[] },
  ): Promise<MembershipRecord[]> =>
    recordsIn(model).find(
      'userIds' in wanted
        ? { userId: { $in: [...wanted.userIds] } }
        : { workspaceId: { $in: [...wanted.workspaceIds] } },
    ),

  /** @returns false when the user is a member already */
  insert: async (membership: Omit<MembershipRecord, 'cap'>): Promise<boolean> =>
    (await unlessDuplicate(model.create(membership))) !== null,

  /**
   * Changes the named fields; a cap of null removes it.
   * @returns whether there is such a member
   */
  change: (
    { workspaceId, userId }: MembershipKey,
    { role, cap }: { role?: GivenRole | undefined; cap?: number | null | undefined },
  ): Promise<boolean> => {
    const set = { ...(role && { role }), ...(cap !== undefined && cap !== null && { cap }) };
    const update = { $set: set, ...(cap === null && { $unset: { cap: 1 as const } }) };
    return matchesOne(model.updateOne({ workspaceId, userId }, update));
  },

  /** @returns whether there was such a member */
  remove: async ({ workspaceId, userId }: MembershipKey): Promise<boolean> =>
    (await model.deleteOne({ workspaceId, userId })).deletedCount === 1,

  removeOfWorkspace: async (workspaceId: string): Promise<void> => {
    await model.deleteMany({ workspaceId });
  },
});
