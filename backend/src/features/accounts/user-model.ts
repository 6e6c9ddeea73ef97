import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import type { PlanId, SignInProvider, SubscriptionStatus } from '../../contract/auth.ts';
import { isDuplicateKey, isMissingIndex } from '../../db/mongo.ts';
import type { ProviderIdentity } from './openid/identity.ts';

// An address is claimed by whoever types it and proven by a mailed link or by a provider. Only proven ones are unique:
// so registration need not tell whether an address is known, and nobody can occupy somebody else's (decision 6).
const schema = new Schema(
  {
    email: String,
    emailVerified: { type: Boolean, default: false },
    /** Takes the place of `email` once its mailed link was opened. */
    pendingEmail: String,
    passwordHash: String,
    /** Who the person is at each provider. */
    google: String,
    replit: String,
    firstName: { type: String, default: '' },
    lastName: { type: String, default: '' },
    subscriptionStatus: { type: String, enum: ['active', 'guest'] },
    subscriptionPlan: { type: String, enum: ['starter', 'pro'] },
    /** The payment provider's id of this customer. */
    paymentCustomerId: String,
    createdAt: { type: Date, required: true },
    lastSeenAt: { type: Date, required: true },
    /** Set when the account is being deleted: nobody signs in to it or changes it any more. */
    deletingAt: Date,
  },
  { versionKey: false },
);
schema.index(
  { email: 1 },
  { unique: true, partialFilterExpression: { emailVerified: true }, name: 'email_proven' },
);
schema.index({ email: 1, createdAt: 1 }, { sparse: true });
schema.index({ google: 1 }, { unique: true, sparse: true });
schema.index({ replit: 1 }, { unique: true, sparse: true });
schema.index({ subscriptionStatus: 1, lastSeenAt: 1 });
schema.index({ deletingAt: 1 }, { sparse: true });

type UserDocument = InferSchemaType<typeof schema> & { _id: Types.ObjectId };

/** An account as the server knows it, without its password. */
export interface UserRecord {
  id: string;
  email: string | null;
  emailVerified: boolean;
  pendingEmail: string | null;
  hasPassword: boolean;
  signInProviders: SignInProvider[];
  firstName: string;
  lastName: string;
  subscriptionStatus: SubscriptionStatus | null;
  subscriptionPlan: PlanId | null;
}

/** An account with the hash that its password is checked against. */
export interface Claim {
  user: UserRecord;
  passwordHash: string;
}

/** What makes a guest, or nobody yet, a registered account. */
export interface Registration {
  email: string;
  emailVerified: boolean;
  firstName: string;
  lastName: string;
  passwordHash?: string;
  google?: string;
  replit?: string;
}

/** Thrown when another account has proven the address, or belongs to the same person at a provider. */
export class Taken extends Error {
  override name = 'Taken';
}

export const defineUserModel = (connection: Connection) =>
  connection.model('User', schema, 'users');

/** Once every address was unique, proven or not; a data folder of that time still has the index. */
export async function dropFormerIndexes(model: UserModel): Promise<void> {
  await model.collection.dropIndex('email_1').catch((error: unknown) => {
    if (!isMissingIndex(error)) throw error;
  });
}

export type UserModel = ReturnType<typeof defineUserModel>;
export type UserStore = ReturnType<typeof createUserStore>;

/** Of those that claim one address without proof, how many can be signed in to: the first and the last. */
const OLDEST = { createdAt: 1, _id: 1 } as const;
const NEWEST = { createdAt: -1, _id: -1 } as const;

export function createUserStore(model: UserModel) {
  const alive = { deletingAt: null } as const;
  const guest = { subscriptionStatus: 'guest', ...alive } as const;
  const one = (doc: UserDocument | null) => (doc ? toRecord(doc) : null);

  const change = async (filter: object, update: object): Promise<UserRecord | null> =>
    one(
      await model
        .findOneAndUpdate({ ...filter, ...alive }, update, { returnDocument: 'after' })
        .lean<UserDocument>()
        .catch(throwTaken),
    );

  const claim = async (filter: object, sort: Record<string, 1 | -1> = {}) => {
    const doc = await model.findOne({ ...filter, ...alive }, null, { sort }).lean<UserDocument>();
    return doc?.passwordHash ? { user: toRecord(doc), passwordHash: doc.passwordHash } : null;
  };

  return {
    createGuest: async (now: Date): Promise<UserRecord> =>
      toRecord(
        await model.create({ subscriptionStatus: 'guest', createdAt: now, lastSeenAt: now }),
      ),

    /** @throws Taken */
    createRegistered: async (registration: Registration, now: Date): Promise<UserRecord> =>
      toRecord(
        await model.create({ ...registration, createdAt: now, lastSeenAt: now }).catch(throwTaken),
      ),

    /** Makes the guest a registered account with the same id; null when there is no such guest. @throws Taken */
    upgradeGuest: (id: string, registration: Registration): Promise<UserRecord | null> =>
      change(
        { _id: id, ...guest },
        { $set: { ...registration }, $unset: { subscriptionStatus: 1 } },
      ),

    find: async (id: string): Promise<UserRecord | null> =>
      one(await model.findOne({ _id: id, ...alive }).lean<UserDocument>()),

    findProven: async (email: string): Promise<UserRecord | null> =>
      one(await model.findOne({ email, emailVerified: true, ...alive }).lean<UserDocument>()),

    findByProvider: async ({
      provider,
      subject,
    }: Pick<ProviderIdentity, 'provider' | 'subject'>): Promise<UserRecord | null> =>
      one(await model.findOne({ [provider]: subject, ...alive }).lean<UserDocument>()),

    /**
     * The accounts that a password for this address may open: the one that has proven it, and the first and the last of
     * those that only claim it. Always three, null where there is none, so that each costs one check.
     */
    claims: (email: string): Promise<(Claim | null)[]> => {
      const unproven = { email, emailVerified: { $ne: true } };
      return Promise.all([
        claim({ email, emailVerified: true }),
        claim(unproven, OLDEST),
        claim(unproven, NEWEST),
      ]);
    },

    /** Whose password a reset link for this address changes: the one who proved it, else the first who claims it. */
    findForReset: async (email: string): Promise<UserRecord | null> =>
      one(
        await model
          .findOne({ email, ...alive }, null, { sort: { emailVerified: -1, ...OLDEST } })
          .lean<UserDocument>(),
      ),

    passwordHashOf: async (id: string): Promise<string | undefined> =>
      (await model.findOne({ _id: id, ...alive }, { passwordHash: 1 }).lean())?.passwordHash ??
      undefined,

    /** Names and the like; null when the account is gone. */
    setProfile: (
      id: string,
      fields: { firstName?: string; lastName?: string },
    ): Promise<UserRecord | null> => change({ _id: id }, { $set: fields }),

    /** Where a confirming link goes from now on. */
    setPendingEmail: (id: string, pendingEmail: string): Promise<UserRecord | null> =>
      change({ _id: id }, { $set: { pendingEmail } }),

    /** The address is proven to be this account's, if it still asks for it; null if not. @throws Taken */
    proveEmail: (id: string, email: string): Promise<UserRecord | null> =>
      change(
        { _id: id, $or: [{ pendingEmail: email }, { email, pendingEmail: null }] },
        { $set: { email, emailVerified: true }, $unset: { pendingEmail: 1 } },
      ),

    setPassword: (id: string, passwordHash: string): Promise<UserRecord | null> =>
      change({ _id: id }, { $set: { passwordHash } }),

    /** A new password by a link that was mailed to `email`, which proves that too. @throws Taken */
    resetPassword: (id: string, email: string, passwordHash: string): Promise<UserRecord | null> =>
      change({ _id: id, email }, { $set: { passwordHash, emailVerified: true } }),

    /** @throws Taken */
    link: (
      id: string,
      { provider, subject }: Pick<ProviderIdentity, 'provider' | 'subject'>,
    ): Promise<UserRecord | null> => change({ _id: id }, { $set: { [provider]: subject } }),

    touch: async (id: string, now: Date): Promise<void> => {
      await model.updateOne({ _id: id }, { $set: { lastSeenAt: now } });
    },
  };
}

function throwTaken(error: unknown): never {
  throw isDuplicateKey(error) ? new Taken() : error;
}

const PROVIDERS = ['google', 'replit'] satisfies SignInProvider[];

const toRecord = (user: UserDocument): UserRecord => ({
  id: String(user._id),
  email: user.email ?? null,
  emailVerified: user.emailVerified ?? false,
  pendingEmail: user.pendingEmail ?? null,
  hasPassword: Boolean(user.passwordHash),
  signInProviders: PROVIDERS.filter((provider) => user[provider]),
  firstName: user.firstName,
  lastName: user.lastName,
  subscriptionStatus: user.subscriptionStatus ?? null,
  subscriptionPlan: user.subscriptionPlan ?? null,
});
