import { Types } from 'mongoose';
import { userPrincipal, workspacePrincipal } from '../../../access/index.ts';
import type { OwnedConversations } from '../../../contract/workspaces.ts';
import { matchesOne } from '../../../db/mongo.ts';
import type { HandingOver } from '../../record-grants-model.ts';
import type { ConversationDocument, ConversationModel } from './model.ts';

/** A conversation that passes from one owner to another. */
export interface Handover {
  id: string;
  from: string;
  to: string;
  /** Whether `to` owns it already; the rest of its data may still have to follow. */
  isMoved: boolean;
}

const toHandover = ({ _id, ownerId, handover }: ConversationDocument): Handover[] =>
  handover
    ? [
        {
          id: String(_id),
          from: String(handover.from),
          to: String(handover.to),
          isMoved: String(ownerId) === String(handover.to),
        },
      ]
    : [];

/** Changes of the owner. Each is stored before it begins, and is found until it is complete. */
export const createHandoverStore = (model: ConversationModel) => ({
  ...beginningStore(model),
  ...movingStore(model),
});

const beginningStore = (model: ConversationModel) => ({
  /** What a user shares with a workspace, and what else the user owns. */
  count: async (ownerId: string, workspaceId: string): Promise<OwnedConversations> => {
    const own = { ownerId, deletedAt: null, trial: null, handover: null };
    const [all, shared] = await Promise.all([
      model.countDocuments(own),
      model.countDocuments({ ...own, 'grants.principal': workspacePrincipal(workspaceId) }),
    ]);
    return { shared, others: all - shared };
  },

  /** From now on the conversations that a user shares with a workspace are another user's for everybody. */
  begin: async ({ from, workspaceId, to }: HandingOver, at: Date): Promise<void> => {
    const principal = workspacePrincipal(workspaceId);
    await model.updateMany(
      { ownerId: from, 'grants.principal': principal, deletedAt: null, handover: null },
      { $set: { handover: { from, to, at, workspaceId } } },
    );
  },

  /** What is passing to a user by a workspace, and is not theirs yet, passes to another one. */
  redirect: async ({ from, workspaceId, to }: HandingOver): Promise<void> => {
    await model.updateMany(
      {
        // Which has an index.
        'handover.at': { $gt: new Date(0) },
        'handover.to': from,
        'handover.workspaceId': workspaceId,
        ownerId: { $ne: from },
      },
      { $set: { 'handover.to': to } },
    );
  },
});

const movingStore = (model: ConversationModel) => ({
  /** Those that are not complete, the longest untried first; `userId`: that pass from this user or to them. */
  open: async ({ userId, limit }: { userId?: string; limit: number }): Promise<Handover[]> => {
    const docs = await model
      .find(
        {
          'handover.at': { $gt: new Date(0) },
          ...(userId && { $or: [{ 'handover.from': userId }, { 'handover.to': userId }] }),
        },
        { ownerId: 1, handover: 1 },
      )
      .sort({ 'handover.at': 1 })
      .limit(limit)
      .lean<ConversationDocument[]>();
    return docs.flatMap(toHandover);
  },

  /** It goes behind all others that are not complete. */
  putLast: async ({ id, from, to, isMoved }: Handover, now: Date): Promise<void> => {
    await model.updateOne(
      { _id: id, ownerId: isMoved ? to : from, 'handover.to': to },
      { $set: { 'handover.at': now } },
    );
  },

  /** Whether a conversation is passing from this user, deleted ones included. */
  isOpen: async ({ id, from }: Pick<Handover, 'id' | 'from'>): Promise<boolean> =>
    (await model.exists({ _id: id, 'handover.from': from })) !== null,

  /** Moves the conversation itself. What only its former owner had chosen ends. @returns false when it is gone or was moved */
  move: ({ id, from, to }: Handover): Promise<boolean> =>
    matchesOne(
      model.updateOne(
        { _id: id, ownerId: from, 'handover.to': to, isErasing: null },
        {
          $set: { ownerId: to },
          $addToSet: { formerOwners: Types.ObjectId.createFromHexString(from) },
          $pull: { grants: { principal: userPrincipal(to) } },
          $unset: { personaId: 1, panel: 1, ownerPays: 1 },
        },
      ),
    ),

  /** Takes the move back: a reply has begun in the same moment. */
  moveBack: async ({ id, from, to }: Handover): Promise<void> => {
    await model.updateOne({ _id: id, ownerId: to, 'handover.to': to }, { $set: { ownerId: from } });
  },

  /** All of its data has followed. @returns false when it is gone */
  complete: ({ id, to }: Handover): Promise<boolean> =>
    matchesOne(
      model.updateOne({ _id: id, ownerId: to, 'handover.to': to }, { $unset: { handover: 1 } }),
    ),
});
