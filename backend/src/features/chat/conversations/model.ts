import { createHash, randomBytes } from 'node:crypto';
import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import type * as z from 'zod';
import type { Grant } from '../../../access/index.ts';
import type {
  Conversation,
  CreateConversationBody,
  ListConversationsQuery,
  UpdateConversationBody,
} from '../../../contract/conversations.ts';
import {
  DEFAULT_DEPTH,
  DEFAULT_MEMORY,
  type Depth,
  type MemoryMode,
  type PanelChoice,
} from '../../../contract/reply-settings.ts';
import { isDuplicateKey } from '../../../db/mongo.ts';
import { recordsBy } from '../../../db/records.ts';
import { createGrantStore, grantsField, onlyShared, toGrants } from '../../record-grants-model.ts';

const schema = new Schema(
  {
    ownerId: { type: Schema.Types.ObjectId, required: true },
    title: { type: String, required: true },
    createdAt: { type: Date, required: true },
    /** When the last reply was created, by the clock of any process. It never decreases. */
    updatedAt: { type: Date, required: true },
    /** The last message of the branch that is shown; absent before the first message. */
    activeLeafId: Schema.Types.ObjectId,
    /** The persona of the next reply, if any. */
    personaId: String,
    /** Whether the persona's members answer as a panel; absent or null: a single answer. */
    panel: Schema.Types.Mixed,
    /** Absent: the default depth. */
    depth: String,
    /** Absent: the default setting. */
    memory: String,
    /** Absent: false. */
    temporary: Boolean,
    /** The workspace that pays for it. It is private all the same. */
    workspaceId: Schema.Types.ObjectId,
    /** The most tokens of a usage period that the owner pays for what others ask; absent or null: nothing. */
    ownerPays: Number,
    /** A trial of a persona: not in lists, search or exports. Absent: false. */
    trial: Boolean,
    grants: grantsField,
    /** It is passing from one owner to another; absent once all of its data has followed. */
    handover: {
      type: {
        _id: false,
        from: Schema.Types.ObjectId,
        to: Schema.Types.ObjectId,
        /** When it was stored, or a sweep last tried it. */
        at: Date,
        workspaceId: Schema.Types.ObjectId,
      },
      default: undefined,
    },
    /** Earlier owners: its messages name files of theirs. */
    formerOwners: { type: [Schema.Types.ObjectId], default: undefined },
    /** When it was deleted. Reads no longer find it. */
    deletedAt: Date,
    /** Its data is being removed. */
    isErasing: Boolean,
    /** The end of the lease of the worker that erases it. */
    leasedUntil: Date,
    /** The import that is still storing its messages. Until it ends, the conversation counts as deleted. */
    importId: String,
  },
  { versionKey: false },
);
schema.index({ ownerId: 1, updatedAt: -1, _id: -1 });
// What is shared with one principal, last updated first.
schema.index({ 'grants.principal': 1, updatedAt: -1, _id: -1 }, onlyShared);
schema.index({ 'handover.at': 1 }, { sparse: true });
schema.index({ deletedAt: 1 }, { sparse: true });
schema.index({ createdAt: 1 }, { partialFilterExpression: { temporary: true } });

export type ConversationDocument = InferSchemaType<typeof schema> & { _id: Types.ObjectId };

export interface ConversationRecord
  extends Omit<Conversation, 'createdAt' | 'updatedAt' | 'shared'> {
  ownerId: string;
  createdAt: Date;
  updatedAt: Date;
  trial: boolean;
  /** Empty: it is shared with nobody. */
  grants: readonly Grant[];
  /** The next owner, while it passes to another one. */
  givenTo?: string;
  /** Earlier owners: its messages name files of theirs. */
  formerOwners: readonly string[];
  isDeleted: boolean;
}

/** A conversation as its owner asks for it. One of a trial is temporary. */
export type NewConversation = Omit<z.output<typeof CreateConversationBody>, 'message'>;

/** What a user changes; an absent field stays unchanged. */
export type ConversationChanges = z.output<typeof UpdateConversationBody>;

/** The settings of a conversation's next replies. */
export type ConversationSettings = Omit<ConversationChanges, 'title' | 'activeLeafId'>;

export type ConversationFilter = z.output<typeof ListConversationsQuery>;

export const toRecord = (doc: ConversationDocument): ConversationRecord => ({
  id: String(doc._id),
  ownerId: String(doc.ownerId),
  title: doc.title,
  createdAt: doc.createdAt,
  updatedAt: doc.updatedAt,
  activeLeafId: doc.activeLeafId ? String(doc.activeLeafId) : null,
  personaId: doc.personaId ?? null,
  ...(doc.panel && { panel: doc.panel as PanelChoice }),
  depth: (doc.depth ?? DEFAULT_DEPTH) as Depth,
  memory: (doc.memory ?? DEFAULT_MEMORY) as MemoryMode,
  temporary: doc.temporary ?? false,
  trial: doc.trial ?? false,
  ...(doc.workspaceId && { workspaceId: String(doc.workspaceId) }),
  ...(doc.ownerPays && { ownerPays: doc.ownerPays }),
  grants: toGrants(doc.grants),
  ...(doc.handover && { givenTo: String(doc.handover.to) }),
  formerOwners: (doc.formerOwners ?? []).map(String),
  isDeleted: doc.deletedAt != null,
});

export const conversationsIn = recordsBy(toRecord);

/** Derived from the owner and the client's id: a repeated one collides at the primary key. */
export const conversationIdOf = (ownerId: string, clientConversationId: string): string =>
  createHash('sha256').update(`${ownerId}:${clientConversationId}`).digest('hex').slice(0, 24);

const defined = (settings: ConversationSettings) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

export const defineConversationModel = (connection: Connection) =>
  connection.model('Conversation', schema, 'conversations');
export type ConversationModel = ReturnType<typeof defineConversationModel>;

/** Whose conversations: those of an owner, or those shared with a principal, of all owners or of all but one. */
type Listed = { ownerId: string } | { principal: string; exceptOwner?: string };

/** Conversations. Queries filter by owner, but those for what is shared with somebody. */
export type ConversationStore = ReturnType<typeof createConversationStore>;

export const createConversationStore = (model: ConversationModel) => ({
  ...readingStore(model),
  ...insertingStore(model),
  ...changingStore(model),
  ...leafStore(model),
  ...createGrantStore<ConversationRecord>(model, toRecord, { deletedAt: null }),
});

function readingStore(model: ConversationModel) {
  return {
    /** A page of conversations, last updated first, without those of trials. */
    page: (
      of: Listed,
      { before, q, ids, limit }: ConversationFilter & { limit: number },
    ): Promise<ConversationRecord[]> =>
      conversationsIn(model).find(
        {
          ...('ownerId' in of
            ? { ...of, handover: null }
            : {
                'grants.principal': of.principal,
                ...(of.exceptOwner && { ownerId: { $ne: of.exceptOwner } }),
              }),
          deletedAt: null,
          trial: null,
          ...(ids && { _id: { $in: ids } }),
          ...(q && { title: { $regex: literally(q), $options: 'i' } }),
          ...(before && {
            updatedAt: { $lte: before.updatedAt },
            $or: [{ updatedAt: { $lt: before.updatedAt } }, { _id: { $lt: before.id } }],
          }),
        },
        { sort: { updatedAt: -1, _id: -1 }, limit },
      ),

    /** @returns null for a deleted one too */
    find: ({
      id,
      ownerId,
    }: Pick<ConversationRecord, 'id' | 'ownerId'>): Promise<ConversationRecord | null> =>
      conversationsIn(model).findOne({ _id: id, ownerId, deletedAt: null }),

    /** Those conversations that are not deleted, of all owners. */
    findMany: (ids: string[]): Promise<ConversationRecord[]> =>
      conversationsIn(model).find({ _id: { $in: ids }, deletedAt: null }),

    /** The ids of all conversations of an owner, deleted ones included. */
    idsOf: async (ownerId: string): Promise<string[]> => {
      const docs = await model.find({ ownerId }, { _id: 1 }).lean<ConversationDocument[]>();
      return docs.map(({ _id }) => String(_id));
    },

    /** A conversation by its id, also a deleted one, and whosever it is. */
    findAny: (id: string): Promise<ConversationRecord | null> =>
      conversationsIn(model).findOne({ _id: id }),

    /** Whether a conversation is stored, deleted ones included; false for one that is being erased. */
    exists: async ({
      id,
      ...known
    }: {
      id: string;
      ownerId: string;
      activeLeafId?: string;
    }): Promise<boolean> => (await model.exists({ _id: id, ...known, isErasing: null })) !== null,
  };
}

function insertingStore(model: ConversationModel) {
  return {
    /** Creates a conversation. With a known `clientConversationId`, finds the conversation it created before, even a deleted one. */
    insert: async ({
      ownerId,
      title,
      clientConversationId,
      trial = false,
      temporary = trial,
      memory,
      workspaceId,
      now,
    }: NewConversation & { ownerId: string; now: Date }): Promise<ConversationRecord> => {
      // Never by time: ids divide conversations and their messages among shards and workers.
      const id = clientConversationId
        ? conversationIdOf(ownerId, clientConversationId)
        : randomBytes(12).toString('hex');
      const document: ConversationDocument = {
        _id: Types.ObjectId.createFromHexString(id),
        ownerId: Types.ObjectId.createFromHexString(ownerId),
        title,
        createdAt: now,
        updatedAt: now,
        ...(temporary && { temporary }),
        ...(trial && { trial }),
        ...(memory && { memory }),
        ...(workspaceId && { workspaceId: Types.ObjectId.createFromHexString(workspaceId) }),
      };
      return toRecord((await insertUnlessStored(model, document)) ?? document);
    },
  };
}

/**
 * Inserts a conversation, without mongoose documents: the caller sets all values.
 * @returns the one that the owner has under this id already; null when it was inserted
 */
export async function insertUnlessStored(
  model: ConversationModel,
  document: ConversationDocument,
): Promise<ConversationDocument | null> {
  const { _id, ownerId } = document;
  try {
    await model.collection.insertOne(document);
    return null;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const found = await model.findOne({ _id, ownerId }).lean<ConversationDocument>();
    if (!found) throw error;
    return found;
  }
}

function changingStore(model: ConversationModel) {
  return {
    /**
     * Changes the named fields.
     * @returns null when the conversation is gone
     */
    change: (
      { id, ownerId }: { id: string; ownerId: string },
      { title, ...settings }: Omit<ConversationChanges, 'activeLeafId'>,
    ): Promise<ConversationRecord | null> =>
      conversationsIn(model).update(
        { _id: id, ownerId, deletedAt: null },
        { $set: { ...(title !== undefined && { title }), ...defined(settings) } },
      ),

    /** Replaces a title, unless it was changed meanwhile, also of a deleted conversation. */
    retitle: async (
      { id, ownerId }: Pick<ConversationRecord, 'id' | 'ownerId'>,
      { from, to }: { from: string; to: string },
    ): Promise<void> => {
      await model.updateOne({ _id: id, ownerId, title: from }, { $set: { title: to } });
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await model.deleteMany({ ownerId });
    },
  };
}

function leafStore(model: ConversationModel) {
  return {
    /**
     * Replaces the active leaf `from` by `to`. `at` moves the conversation up the list, `remember` has the settings of the send. It works
     * in a deleted conversation too, which may be restored.
     * @returns null when another message is the active leaf, because a later change was first, or when it is being erased
     */
    moveLeaf: ({
      id,
      ownerId,
      from,
      to,
      at,
      remember = {},
    }: {
      id: string;
      ownerId: string;
      from: string | null;
      to: string;
      at?: Date;
      remember?: ConversationSettings | undefined;
    }): Promise<ConversationRecord | null> =>
      conversationsIn(model).update(
        { _id: id, ownerId, activeLeafId: from, isErasing: null },
        {
          $set: { activeLeafId: to, ...defined(remember) },
          ...(at && { $max: { updatedAt: at } }),
        },
      ),

    /** Moves a conversation up the list after a send that leaves the active leaf; otherwise as `moveLeaf`. @returns null when repeated */
    touch: ({
      id,
      ownerId,
      at,
      remember = {},
    }: {
      id: string;
      ownerId: string;
      at: Date;
      remember?: ConversationSettings | undefined;
    }): Promise<ConversationRecord | null> =>
      conversationsIn(model).update(
        { _id: id, ownerId, updatedAt: { $lt: at }, isErasing: null },
        { $set: { ...defined(remember), updatedAt: at } },
      ),
  };
}
