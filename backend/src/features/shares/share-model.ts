import { type Connection, type InferSchemaType, Schema } from 'mongoose';
import {
  SHARE_AUDIENCES,
  SHARE_KINDS,
  type ShareAudience,
  type ShareKind,
} from '../../contract/limits.ts';
import { type ShareInclude } from '../../contract/shares.ts';
import { recordsBy } from '../../db/records.ts';

const { ObjectId, Mixed } = Schema.Types;

const schema = new Schema(
  {
    /** 128 random bits. */
    _id: { type: String, required: true },
    /** Who made it. */
    ownerId: { type: ObjectId, required: true },
    /** The owner of the conversation; absent when that is who made it. */
    conversationOwnerId: ObjectId,
    conversationId: { type: ObjectId, required: true },
    /** Only of a link to one reply. */
    replyId: ObjectId,
    /** Of the conversation, when the link was made. */
    title: { type: String, required: true },
    kind: { type: String, enum: SHARE_KINDS, required: true },
    audience: { type: String, enum: SHARE_AUDIENCES, required: true },
    workspaceId: ObjectId,
    include: { type: Mixed, required: true },
    expiresAt: { type: Date, required: true },
    createdAt: { type: Date, required: true },
    openings: { type: Number, default: 0 },
    lastOpenedAt: Date,
    revokedAt: Date,
    /** Until then it answers that the link has ended. */
    removeAt: { type: Date, required: true },
    // Of a snapshot. They are in the same document, so that one update ends a link and erases what it shows.
    revision: String,
    /** `SharedContent` as compressed JSON. */
    content: Buffer,
    /** The files that it shows. */
    fileIds: { type: [String], default: undefined },
  },
  { versionKey: false },
);
schema.index({ ownerId: 1, createdAt: -1 });
schema.index({ conversationOwnerId: 1 }, { sparse: true });
schema.index({ conversationId: 1 });
schema.index({ workspaceId: 1 }, { sparse: true });
schema.index({ removeAt: 1 }, { expireAfterSeconds: 0 });

/** How long an ended link says so. */
export const ENDED_KEPT_SECONDS = 7 * 24 * 3_600;

const removalOf = (endedAt: Date): Date => new Date(endedAt.getTime() + ENDED_KEPT_SECONDS * 1_000);

export const defineShareModel = (connection: Connection) =>
  connection.model('Share', schema, 'shares');
export type ShareModel = ReturnType<typeof defineShareModel>;

/** A link, without what it shows. */
export interface ShareRecord {
  id: string;
  /** Who made it. */
  ownerId: string;
  /** What it shows is this user's. */
  conversationOwnerId: string;
  conversationId: string;
  replyId: string | null;
  title: string;
  kind: ShareKind;
  audience: ShareAudience;
  workspaceId: string | null;
  include: ShareInclude;
  expiresAt: Date;
  createdAt: Date;
  openings: number;
  lastOpenedAt: Date | null;
  revokedAt: Date | null;
  /** Of a snapshot. */
  revision: string | null;
}

/** Links to one conversation, or by some users. */
export type MadeByManagers = { conversationId: string } | { makerIds: readonly string[] };

/** What a snapshot shows. */
export interface StoredContent {
  revision: string;
  content: Buffer;
  fileIds: string[];
}

export type NewShare = Omit<ShareRecord, 'openings' | 'lastOpenedAt' | 'revokedAt' | 'revision'> & {
  stored?: StoredContent | undefined;
};

type Document = Omit<InferSchemaType<typeof schema>, 'include' | 'content'> & {
  include: ShareInclude;
  content?: { buffer: Uint8Array } | null;
};

const toRecord = (doc: Document): ShareRecord => ({
  id: doc._id,
  ownerId: String(doc.ownerId),
  conversationOwnerId: String(doc.conversationOwnerId ?? doc.ownerId),
  conversationId: String(doc.conversationId),
  replyId: doc.replyId ? String(doc.replyId) : null,
  title: doc.title,
  kind: doc.kind,
  audience: doc.audience,
  workspaceId: doc.workspaceId ? String(doc.workspaceId) : null,
  include: doc.include,
  expiresAt: doc.expiresAt,
  createdAt: doc.createdAt,
  openings: doc.openings,
  lastOpenedAt: doc.lastOpenedAt ?? null,
  revokedAt: doc.revokedAt ?? null,
  revision: doc.revision ?? null,
});

const recordsIn = recordsBy(toRecord);
const projection = { content: 0, fileIds: 0 } as const;

/** Public links. */
export const createShareStore = (model: ShareModel) => ({
  ...readingStore(model),
  ...changingStore(model),
  ...endingStore(model),
});

const working = (now: Date) => ({ revokedAt: null, expiresAt: { $gt: now } });

function readingStore(model: ShareModel) {
  const list = (filter: object): Promise<ShareRecord[]> =>
    recordsIn(model).find(filter, { projection, sort: { createdAt: -1, _id: 1 } });
  return {
    /** A link of anybody, ended ones included. */
    find: (id: string): Promise<ShareRecord | null> =>
      recordsIn(model).findOne({ _id: id }, { projection }),

    /** What a snapshot shows; null once it has ended. */
    content: async (id: string): Promise<Pick<StoredContent, 'content' | 'fileIds'> | null> => {
      const doc = await model
        .findOne({ _id: id, revokedAt: null }, { content: 1, fileIds: 1 })
        .lean<Document>();
      if (!doc?.content) return null;
      return { content: Buffer.from(doc.content.buffer), fileIds: doc.fileIds ?? [] };
    },

    /** The user's links that work, newest first. */
    ofOwner: (ownerId: string, now: Date) => list({ ownerId, ...working(now) }),

    /** All links of a user, ended ones included. */
    allOf: (ownerId: string) => list({ ownerId }),

    /** The working links to a conversation, newest first. */
    ofConversation: (conversationId: string, now: Date) =>
      list({ conversationId, ...working(now) }),

    /** The working links to a conversation, or by these users, that others than its owner have made. */
    byManagers: (of: MadeByManagers, now: Date) =>
      list({
        conversationOwnerId: { $exists: true },
        ...('makerIds' in of ? { ownerId: { $in: of.makerIds } } : of),
        ...working(now),
      }),

    /** The links of others to conversations of a user. */
    countByOthers: (conversationOwnerId: string): Promise<number> =>
      model.countDocuments({ conversationOwnerId }),

    /** The working links for the members of a workspace, newest first. */
    ofWorkspace: (workspaceId: string, now: Date) => list({ workspaceId, ...working(now) }),

    countOf: (ownerId: string, now: Date): Promise<number> =>
      model.countDocuments({ ownerId, ...working(now) }),
  };
}

function changingStore(model: ShareModel) {
  return {
    insert: async ({
      id,
      stored,
      replyId,
      workspaceId,
      conversationOwnerId,
      ...share
    }: NewShare): Promise<void> => {
      await model.create({
        ...share,
        _id: id,
        ...(conversationOwnerId !== share.ownerId && { conversationOwnerId }),
        removeAt: removalOf(share.expiresAt),
        ...(replyId && { replyId }),
        ...(workspaceId && { workspaceId }),
        ...stored,
      });
    },

    /** Replaces a title of the conversation, in ended links too. */
    retitle: async (
      conversationId: string,
      { from, to }: { from: string; to: string },
    ): Promise<void> => {
      await model.updateMany({ conversationId, title: from }, { $set: { title: to } });
    },

    countOpenings: async (id: string, openings: number, at: Date): Promise<void> => {
      await model.updateOne(
        { _id: id, revokedAt: null },
        { $inc: { openings }, $max: { lastOpenedAt: at } },
      );
    },

    /** Removes the links by a user, and those to the user's conversations. */
    removeAllOf: async (userId: string): Promise<void> => {
      await model.deleteMany({ $or: [{ ownerId: userId }, { conversationOwnerId: userId }] });
    },
  };
}

function endingStore(model: ShareModel) {
  const end = async (filter: object, now: Date): Promise<number> => {
    const { modifiedCount } = await model.updateMany(
      { ...filter, revokedAt: null },
      {
        $set: { revokedAt: now, removeAt: removalOf(now) },
        $unset: { content: 1, fileIds: 1 },
      },
    );
    return modifiedCount;
  };
  return {
    /** Ends a link of its maker and erases what it shows. @returns false when there is none that works */
    end: async ({ id, ownerId }: { id: string; ownerId: string }, now: Date): Promise<boolean> =>
      (await end({ _id: id, ownerId }, now)) === 1,

    /** As `end`, of a link for the members of a workspace, whoever made it. */
    endInWorkspace: async (
      { id, workspaceId }: { id: string; workspaceId: string },
      now: Date,
    ): Promise<boolean> => (await end({ _id: id, workspaceId }, now)) === 1,

    endAllOf: (ownerId: string, now: Date) => end({ ownerId }, now),

    /** Ends the links to a conversation, of whomever. */
    endOfConversation: (conversationId: string, now: Date) => end({ conversationId }, now),

    /** Ends the snapshots of whole conversations, of whomever; optionally only those with names of authors. */
    endSnapshots: (
      conversationIds: readonly string[],
      { withNamesOnly, now }: { withNamesOnly: boolean; now: Date },
    ) => {
      const snapshots = { kind: 'snapshot', replyId: null };
      const named = withNamesOnly && { 'include.names': true };
      return end({ conversationId: { $in: conversationIds }, ...snapshots, ...named }, now);
    },
  };
}
