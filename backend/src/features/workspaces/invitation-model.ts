import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import { GIVEN_ROLES, type GivenRole } from '../../contract/roles.ts';
import { matchesOne, unlessDuplicate } from '../../db/mongo.ts';
import { recordsBy } from '../../db/records.ts';

const { ObjectId } = Schema.Types;

// Only the hash of the mailed secret is stored; the job that mails it makes it.
const schema = new Schema(
  {
    workspaceId: { type: ObjectId, required: true },
    /** In lower case. */
    email: { type: String, required: true },
    role: { type: String, enum: GIVEN_ROLES, required: true },
    invitedBy: { type: ObjectId, required: true, index: true },
    tokenHash: String,
    /** The user who is accepting it; a repeated call completes an interrupted one. */
    acceptedBy: ObjectId,
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true, expires: 0 },
  },
  { versionKey: false },
);
schema.index({ workspaceId: 1, email: 1 }, { unique: true });
schema.index({ tokenHash: 1 }, { unique: true, sparse: true });

export const defineInvitationModel = (connection: Connection) =>
  connection.model('Invitation', schema, 'invitations');
export type InvitationModel = ReturnType<typeof defineInvitationModel>;

export interface InvitationRecord {
  id: string;
  workspaceId: string;
  email: string;
  role: GivenRole;
  invitedBy: string;
  createdAt: Date;
  expiresAt: Date;
}

type InvitationDocument = InferSchemaType<typeof schema> & { _id: Types.ObjectId };

const toRecord = (doc: InvitationDocument): InvitationRecord => ({
  id: String(doc._id),
  workspaceId: String(doc.workspaceId),
  email: doc.email,
  role: doc.role,
  invitedBy: String(doc.invitedBy),
  createdAt: doc.createdAt,
  expiresAt: doc.expiresAt,
});

const recordsIn = recordsBy(toRecord);

export const newInvitationId = (): string => new Types.ObjectId().toHexString();

export type InvitationKey = Pick<InvitationRecord, 'id' | 'workspaceId'>;

/** Invitations. An expired one is found by no call but those that remove it. */
export const createInvitationStore = (model: InvitationModel) => ({
  ...readCalls(model),
  ...changeCalls(model),
  ...removeCalls(model),
});

const readCalls = (model: InvitationModel) => ({
  /** The open invitations of a workspace, latest first. */
  ofWorkspace: (workspaceId: string, now: Date): Promise<InvitationRecord[]> => {
    const latestFirst = { sort: { createdAt: -1, _id: -1 } } as const;
    return recordsIn(model).find({ workspaceId, expiresAt: { $gt: now } }, latestFirst);
  },

  ofInviter: (invitedBy: string): Promise<InvitationRecord[]> =>
    recordsIn(model).find({ invitedBy }),

  find: (id: string, now: Date): Promise<InvitationRecord | null> =>
    recordsIn(model).findOne({ _id: id, expiresAt: { $gt: now } }),

  findByToken: (tokenHash: string, now: Date): Promise<InvitationRecord | null> =>
    recordsIn(model).findOne({ tokenHash, expiresAt: { $gt: now } }),
});

const changeCalls = (model: InvitationModel) => ({
  /** @returns false when the address has an open invitation to the workspace */
  insert: async ({ id, ...fields }: InvitationRecord): Promise<boolean> => {
    const { workspaceId, email, createdAt } = fields;
    await model.deleteOne({ workspaceId, email, expiresAt: { $lte: createdAt } });
    return (await unlessDuplicate(model.create({ ...fields, _id: id }))) !== null;
  },

  /** Its secret works from now on, and an earlier one no longer. */
  setToken: (
    { id, workspaceId }: InvitationKey,
    { tokenHash, expiresAt }: { tokenHash: string; expiresAt: Date },
  ): Promise<boolean> =>
    matchesOne(model.updateOne({ _id: id, workspaceId }, { $set: { tokenHash, expiresAt } })),

  /** Reserves it for the user who accepts it; false when it has ended or its secret was replaced. */
  accept: (tokenHash: string, userId: string, now: Date): Promise<boolean> => {
    const filter = { tokenHash, expiresAt: { $gt: now }, acceptedBy: { $in: [null, userId] } };
    return matchesOne(model.updateOne(filter, { $set: { acceptedBy: userId } }));
  },
});

const removeCalls = (model: InvitationModel) => ({
  /** @returns whether there was such an invitation */
  remove: async ({ id, workspaceId }: InvitationKey): Promise<boolean> =>
    (await model.deleteOne({ _id: id, workspaceId })).deletedCount === 1,

  /** Those that a user had begun to accept. */
  removeAccepted: async (workspaceId: string, acceptedBy: string): Promise<void> => {
    await model.deleteMany({ workspaceId, acceptedBy });
  },

  removeOfWorkspace: async (workspaceId: string): Promise<void> => {
    await model.deleteMany({ workspaceId });
  },
});
