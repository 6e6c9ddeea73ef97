import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import { matchesOne } from '../../db/mongo.ts';
import { recordsBy } from '../../db/records.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A session ends this long after its last use. */
export const SESSION_MS = 30 * DAY_MS;
/** A session ends this long after the sign-in, however often it is used. */
export const MAX_SESSION_MS = 90 * DAY_MS;
/** The precision of the last use: another use within this time causes no write. */
export const TOUCH_MS = 5 * MINUTE_MS;

// Only the hash of a token is stored: a reader of the database cannot act for a user.
const schema = new Schema(
  {
    tokenHash: { type: String, required: true, unique: true },
    userId: { type: Schema.Types.ObjectId, required: true, index: true },
    credentialVersion: { type: Number, required: true },
    userAgent: { type: String, default: '' },
    authenticatedAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true, expires: 0 },
  },
  { versionKey: false },
);

type SessionDocument = InferSchemaType<typeof schema> & { _id: Types.ObjectId };

export interface SessionRef {
  userId: string;
  sessionId: string;
}

export interface SessionRecord {
  id: string;
  userId: string;
  /** The account's version when the session was opened. A session with an older version is void (decision 6). */
  credentialVersion: number;
  userAgent: string;
  /** When the user last proved their identity; null when a provider may have reused an older session of its own. */
  authenticatedAt: Date | null;
  createdAt: Date;
  lastUsedAt: Date;
}

interface NewSession extends Omit<SessionRecord, 'id' | 'createdAt' | 'lastUsedAt'> {
  tokenHash: string;
  now: Date;
  expiresAt: Date;
}

export const defineSessionModel = (connection: Connection) =>
  connection.model('Session', schema, 'sessions');

/** A session is valid while it has not expired and its sign-in is not too long ago. */
interface Bounds {
  now: Date;
  createdAfter: Date;
}

export const createSessionStore = (model: ReturnType<typeof defineSessionModel>) => ({
  ...findCalls(model),
  ...storeCalls(model),
  ...removeCalls(model),
});

function findCalls(model: ReturnType<typeof defineSessionModel>) {
  const within = ({ now, createdAfter }: Bounds) => ({
    expiresAt: { $gt: now },
    createdAt: { $gt: createdAfter },
  });
  return {
    /** A session that is still valid. Expired ones may still be stored, because the database removes them with a delay. */
    findValid: (
      by: { tokenHash: string } | { _id: string; userId: string },
      bounds: Bounds,
    ): Promise<SessionRecord | null> => sessionsIn(model).findOne({ ...by, ...within(bounds) }),

    /** Those of the sessions that are still valid. */
    findAllValid: (refs: readonly SessionRef[], bounds: Bounds): Promise<SessionRecord[]> => {
      const _id = { $in: refs.map(({ sessionId }) => sessionId) };
      const userId = { $in: refs.map((ref) => ref.userId) };
      return sessionsIn(model).find({ _id, userId, ...within(bounds) });
    },

    /** The sessions of a user, last used first. */
    list: (
      userId: string,
      { limit, ...bounds }: Bounds & { limit: number },
    ): Promise<SessionRecord[]> =>
      sessionsIn(model).find(
        { userId, ...within(bounds) },
        { sort: { lastUsedAt: -1, _id: -1 }, limit },
      ),
  };
}

const storeCalls = (model: ReturnType<typeof defineSessionModel>) => ({
  create: async ({ now, ...session }: NewSession): Promise<SessionRecord> =>
    toRecord(await model.create({ ...session, createdAt: now, lastUsedAt: now })),

  /** Extends a session; false when another request extended it since the caller read it. */
  touch: (
    session: SessionRecord,
    { now, expiresAt }: { now: Date; expiresAt: Date },
  ): Promise<boolean> =>
    matchesOne(
      model.updateOne(
        { _id: session.id, lastUsedAt: session.lastUsedAt },
        { $set: { lastUsedAt: now, expiresAt } },
      ),
    ),
});

const removeCalls = (model: ReturnType<typeof defineSessionModel>) => ({
  /** Ends the session of a token; null when there is none. */
  removeByToken: async (tokenHash: string): Promise<SessionRecord | null> => {
    const session = await model.findOneAndDelete({ tokenHash }).lean<SessionDocument>();
    return session && toRecord(session);
  },

  /** Ends one session of a user; false when it has ended or belongs to another user. */
  remove: async ({ id, userId }: { id: string; userId: string }): Promise<boolean> =>
    (await model.deleteOne({ _id: id, userId })).deletedCount === 1,

  /** Ends all sessions of a user but the `kept` last used ones. Returns the ids of the ended sessions. */
  removeBeyond: async (userId: string, kept: number): Promise<string[]> => {
    const sessions = await model
      .find({ userId }, { _id: 1 })
      .sort({ lastUsedAt: -1, _id: -1 })
      .skip(kept);
    const ids = sessions.map(({ _id }) => _id);
    if (ids.length > 0) await model.deleteMany({ _id: { $in: ids }, userId });
    return ids.map(String);
  },

  /** Ends all sessions of a user but `except`. Returns the ids of the ended sessions. */
  removeAllOf: async (userId: string, { except }: { except?: string } = {}): Promise<string[]> => {
    const filter = { userId, ...(except !== undefined && { _id: { $ne: except } }) };
    const sessions = await model.find(filter, { _id: 1 }).lean();
    await model.deleteMany(filter);
    return sessions.map(({ _id }) => String(_id));
  },
});

const toRecord = (session: SessionDocument): SessionRecord => ({
  id: String(session._id),
  userId: String(session.userId),
  // During an upgrade an earlier version stores sessions without a version; they are void.
  credentialVersion: session.credentialVersion ?? -1,
  userAgent: session.userAgent,
  authenticatedAt: session.authenticatedAt ?? null,
  createdAt: session.createdAt,
  lastUsedAt: session.lastUsedAt,
});

const sessionsIn = recordsBy(toRecord);
