import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import type { Actor } from '../../access/index.ts';
import type { SignInProvider } from '../../contract/auth.ts';
import { isDuplicateKey, matchesOne } from '../../db/mongo.ts';
import { recordsBy } from '../../db/records.ts';
import { atVersion, createCredentialChanges } from './credential-changes.ts';
import type { ProviderIdentity } from './openid/identity.ts';
import {
  type AtVersion,
  type Credentials,
  IdentityTakenError,
  type Registration,
  type UserRecord,
} from './user-record.ts';

/** The index for accounts that are removed when unused. */
export const UNVERIFIED_BY_USE = 'unverified_by_use';

// An email address belongs to one account, verified or not (docs/decisions/0006-one-account-per-email.md). It is stored in
// lower case, and accounts without one lack the field, so that the sparse index is unique over all that have one.
const schema = new Schema(
  {
    email: String,
    emailVerified: { type: Boolean, default: false },
    /** Replaces `email` once its mailed link is confirmed. */
    pendingEmail: String,
    passwordHash: String,
    /** Every change of credentials raises it. A proof against an older version is invalid. */
    credentialVersion: { type: Number, default: 0 },
    /** The session that made the last change of credentials, the only older session that stays valid. */
    keptSessionId: String,
    /** Former verified email addresses that have not yet got the notice of their replacement. */
    formerEmails: { type: [String], default: undefined },
    /** The user's subject at each provider. */
    google: String,
    replit: String,
    firstName: { type: String, default: '' },
    lastName: { type: String, default: '' },
    /** Marks guests; subscriptions are billing's. */
    subscriptionStatus: { type: String, enum: ['guest'] },
    createdAt: { type: Date, required: true },
    lastSeenAt: { type: Date, required: true },
    /** Set when the account is being deleted. Sign-ins and changes are no longer possible. */
    deletingAt: Date,
  },
  { versionKey: false },
);
schema.index({ email: 1 }, { unique: true, sparse: true, name: 'email_unique' });
schema.index({ google: 1 }, { unique: true, sparse: true });
schema.index({ replit: 1 }, { unique: true, sparse: true });
schema.index({ subscriptionStatus: 1, lastSeenAt: 1 });
schema.index(
  { lastSeenAt: 1 },
  { name: UNVERIFIED_BY_USE, partialFilterExpression: { emailVerified: false } },
);
schema.index({ deletingAt: 1 }, { sparse: true });

export type UserDocument = InferSchemaType<typeof schema> & { _id: Types.ObjectId };

export const defineUserModel = (connection: Connection) =>
  connection.model('User', schema, 'users');

export type UserModel = ReturnType<typeof defineUserModel>;

const ALIVE = { deletingAt: null } as const;
const GUEST = { subscriptionStatus: 'guest', ...ALIVE } as const;

const findOne = (model: UserModel, filter: object): Promise<UserRecord | null> =>
  usersIn(model).findOne({ ...filter, ...ALIVE });

const change = (model: UserModel, filter: object, update: object): Promise<UserRecord | null> =>
  usersIn(model)
    .update({ ...filter, ...ALIVE }, update)
    .catch(throwTaken);

type Session = Pick<Actor, 'userId' | 'sessionId'>;

/**
 * Only the given session stays valid.
 * @returns null when there is no such guest
 * @throws IdentityTakenError
 */
const upgradeGuest = (
  model: UserModel,
  { userId, sessionId }: Session,
  registration: Registration,
): Promise<UserRecord | null> =>
  change(
    model,
    { _id: userId, ...GUEST },
    {
      $set: { ...registration, keptSessionId: sessionId },
      $unset: { subscriptionStatus: 1 },
      $inc: { credentialVersion: 1 },
    },
  );

export const createUserStore = (model: UserModel) => ({
  ...createCredentialChanges((filter, update) => change(model, filter, update)),
  ...findCalls(model),

  createGuest: async (now: Date): Promise<UserRecord> =>
    toRecord(await model.create({ subscriptionStatus: 'guest', createdAt: now, lastSeenAt: now })),

  /**
   * Creates a registered account: the presented guest's with its content, else a new one.
   * @throws IdentityTakenError
   */
  register: async (
    registration: Registration,
    { presented, now }: { presented?: Session | null | undefined; now: Date },
  ): Promise<UserRecord> =>
    (presented && (await upgradeGuest(model, presented, registration))) ||
    toRecord(
      await model.create({ ...registration, createdAt: now, lastSeenAt: now }).catch(throwTaken),
    ),

  /** First and last name; null when the account is gone. */
  setProfile: (
    id: string,
    fields: { firstName?: string; lastName?: string },
  ): Promise<UserRecord | null> => change(model, { _id: id }, { $set: fields }),

  /** Removes a former email address after its notice was sent. */
  forgetFormerEmail: async (id: string, email: string): Promise<void> => {
    await model.updateOne({ _id: id }, { $pull: { formerEmails: email } });
  },

  /** Records a use of the account; false when it is gone or its credentials have changed since `user` was read. */
  recordSignIn: (user: AtVersion, now: Date): Promise<boolean> =>
    matchesOne(model.updateOne({ ...atVersion(user), ...ALIVE }, { $set: { lastSeenAt: now } })),

  touch: async (id: string, now: Date): Promise<void> => {
    await model.updateOne({ _id: id }, { $set: { lastSeenAt: now } });
  },
});

const findCalls = (model: UserModel) => ({
  find: (id: string): Promise<UserRecord | null> => findOne(model, { _id: id }),

  /** The accounts of those ids that exist. */
  findAll: (ids: readonly string[]): Promise<UserRecord[]> =>
    usersIn(model).find({ _id: { $in: [...ids] }, ...ALIVE }),

  findByEmail: (email: string): Promise<UserRecord | null> => findOne(model, { email }),

  findByProvider: ({
    provider,
    subject,
  }: Pick<ProviderIdentity, 'provider' | 'subject'>): Promise<UserRecord | null> =>
    findOne(model, { [provider]: subject }),

  /** The account of an email address with its password hash, read together. */
  findCredentials: async (by: { email: string } | { _id: string }): Promise<Credentials | null> => {
    const doc = await model.findOne({ ...by, ...ALIVE }).lean<UserDocument>();
    return doc && { user: toRecord(doc), passwordHash: doc.passwordHash ?? undefined };
  },
});

function throwTaken(error: unknown): never {
  throw isDuplicateKey(error) ? new IdentityTakenError() : error;
}

const PROVIDERS = ['google', 'replit'] satisfies SignInProvider[];

const toRecord = (user: UserDocument): UserRecord => ({
  id: String(user._id),
  email: user.email ?? null,
  emailVerified: user.emailVerified ?? false,
  pendingEmail: user.pendingEmail ?? null,
  hasPassword: Boolean(user.passwordHash),
  credentialVersion: user.credentialVersion ?? 0,
  keptSessionId: user.keptSessionId ?? null,
  formerEmails: user.formerEmails ?? [],
  signInProviders: PROVIDERS.filter((provider) => user[provider]),
  firstName: user.firstName,
  lastName: user.lastName,
  subscriptionStatus: user.subscriptionStatus ?? null,
});

const usersIn = recordsBy(toRecord);
