import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import type { SignInProvider } from '../../contract/auth.ts';
import { isDuplicateKey } from '../../db/mongo.ts';
import type { ProviderIdentity } from './openid/identity.ts';

// An email address belongs to one account, verified or not (docs/decisions/0006-one-account-per-email.md). It is stored in
// lower case, and accounts without one lack the field, so that the sparse index is unique over all that have one.
const schema = new Schema(
  {
    email: String,
    emailVerified: { type: Boolean, default: false },
    /** Takes the place of `email` once its mailed link is confirmed. */
    pendingEmail: String,
    passwordHash: String,
    /** Raised by every change of credentials: what was verified against an older version is invalid. */
    credentialVersion: { type: Number, default: 0 },
    /** The session that made the last change of credentials: the only older one that goes on. */
    keptSessionId: String,
    /** Former verified addresses that have not been told yet that they were replaced. */
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
    /** Set when the account is being deleted: no sign-in and no change is possible any more. */
    deletingAt: Date,
  },
  { versionKey: false },
);
schema.index({ email: 1 }, { unique: true, sparse: true, name: 'email_unique' });
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
  credentialVersion: number;
  keptSessionId: string | null;
  formerEmails: string[];
  signInProviders: SignInProvider[];
  firstName: string;
  lastName: string;
  subscriptionStatus: 'guest' | null;
}

/** An account at the version of its credentials that the caller has verified. */
export type AtVersion = Pick<UserRecord, 'id' | 'credentialVersion'>;

/** An account with the hash that its password is checked against. */
export interface Credentials {
  user: UserRecord;
  passwordHash: string | undefined;
}

/** The fields of a new registered account. */
export interface Registration {
  email: string;
  emailVerified: boolean;
  firstName: string;
  lastName: string;
  passwordHash?: string;
  google?: string;
  replit?: string;
}

/** Thrown when another account has the email address or the provider's subject. */
export class IdentityTakenError extends Error {
  override name = 'IdentityTakenError';
}

export const defineUserModel = (connection: Connection) =>
  connection.model('User', schema, 'users');

export type UserModel = ReturnType<typeof defineUserModel>;
export type UserStore = ReturnType<typeof createUserStore>;

/** All credentials by which an earlier holder could use the account or its address. */
const ACCESS = { passwordHash: 1, google: 1, replit: 1, pendingEmail: 1 } as const;
const NEXT_VERSION = { $inc: { credentialVersion: 1 } } as const;

/** The session that goes on after a change of credentials; without one, none does. */
interface Kept {
  keptSessionId?: string | undefined;
}

/** The next version of the credentials; every session but the kept one is void with it. */
const nextVersion = (
  { set, unset }: { set: object; unset: object },
  { keptSessionId }: Kept = {},
): object => ({
  ...NEXT_VERSION,
  $set: { ...set, ...(keptSessionId !== undefined && { keptSessionId }) },
  $unset: { ...unset, ...(keptSessionId === undefined && { keptSessionId: 1 }) },
});

export function createUserStore(model: UserModel) {
  const alive = { deletingAt: null } as const;
  const guest = { subscriptionStatus: 'guest', ...alive } as const;
  const one = (doc: UserDocument | null) => (doc ? toRecord(doc) : null);
  const at = ({ id, credentialVersion }: AtVersion) => ({ _id: id, credentialVersion });

  const find = async (filter: object): Promise<UserRecord | null> =>
    one(await model.findOne({ ...filter, ...alive }).lean<UserDocument>());

  const change = async (filter: object, update: object): Promise<UserRecord | null> =>
    one(
      await model
        .findOneAndUpdate({ ...filter, ...alive }, update, { returnDocument: 'after' })
        .lean<UserDocument>()
        .catch(throwTaken),
    );

  return {
    createGuest: async (now: Date): Promise<UserRecord> =>
      toRecord(
        await model.create({ subscriptionStatus: 'guest', createdAt: now, lastSeenAt: now }),
      ),

    /** @throws IdentityTakenError */
    createRegistered: async (registration: Registration, now: Date): Promise<UserRecord> =>
      toRecord(
        await model.create({ ...registration, createdAt: now, lastSeenAt: now }).catch(throwTaken),
      ),

    /** Makes the guest a registered account with the same id; null when there is no such guest. @throws IdentityTakenError */
    upgradeGuest: (id: string, registration: Registration): Promise<UserRecord | null> =>
      change(
        { _id: id, ...guest },
        { $set: { ...registration }, $unset: { subscriptionStatus: 1 } },
      ),

    find: (id: string): Promise<UserRecord | null> => find({ _id: id }),

    findByEmail: (email: string): Promise<UserRecord | null> => find({ email }),

    findByProvider: ({
      provider,
      subject,
    }: Pick<ProviderIdentity, 'provider' | 'subject'>): Promise<UserRecord | null> =>
      find({ [provider]: subject }),

    /** The account of an address with its password hash, as both were at one moment. */
    findCredentials: async (
      by: { email: string } | { _id: string },
    ): Promise<Credentials | null> => {
      const doc = await model.findOne({ ...by, ...alive }).lean<UserDocument>();
      return doc && { user: toRecord(doc), passwordHash: doc.passwordHash ?? undefined };
    },

    /** First and last name; null when the account is gone. */
    setProfile: (
      id: string,
      fields: { firstName?: string; lastName?: string },
    ): Promise<UserRecord | null> => change({ _id: id }, { $set: fields }),

    /** Where a confirmation link goes from now on; null when the credentials have changed since. */
    setPendingEmail: (user: AtVersion, pendingEmail: string): Promise<UserRecord | null> =>
      change(at(user), { $set: { pendingEmail } }),

    /** Marks the address as verified; null when the account has another one, or is to get another one. */
    verifyEmail: (id: string, email: string): Promise<UserRecord | null> =>
      change({ _id: id, email, pendingEmail: null }, { $set: { emailVerified: true } }),

    /** Puts the pending address in the place of the present one; null when it is not pending. @throws IdentityTakenError */
    applyPendingEmail: (
      user: AtVersion & Pick<UserRecord, 'email' | 'emailVerified'>,
      email: string,
      kept?: Kept,
    ): Promise<UserRecord | null> => {
      const { email: former, emailVerified } = user;
      const changes = { set: { email, emailVerified: true }, unset: { pendingEmail: 1 } };
      return change(
        { ...at(user), email: former, emailVerified, pendingEmail: email },
        {
          ...nextVersion(changes, kept),
          ...(former !== null && emailVerified && { $addToSet: { formerEmails: former } }),
        },
      );
    },

    /** A former address was told that it was replaced. */
    forgetFormerEmail: async (id: string, email: string): Promise<void> => {
      await model.updateOne({ _id: id }, { $pull: { formerEmails: email } });
    },

    /** Null when the credentials have changed since the current password was verified. */
    setPassword: (user: AtVersion, passwordHash: string, kept?: Kept): Promise<UserRecord | null> =>
      change(at(user), nextVersion({ set: { passwordHash }, unset: { pendingEmail: 1 } }, kept)),

    /**
     * A new password by a link that was mailed to `email`, which verifies the address. Provider links of an account that
     * was not verified until now are removed: its holder did not own the mailbox. Null when the account has changed since.
     */
    resetPassword: (
      user: AtVersion & Pick<UserRecord, 'emailVerified'>,
      email: string,
      passwordHash: string,
    ): Promise<UserRecord | null> => {
      const { passwordHash: _kept, ...others } = ACCESS;
      return change(
        { ...at(user), email, emailVerified: user.emailVerified },
        nextVersion({
          set: { passwordHash, emailVerified: true },
          unset: user.emailVerified ? { pendingEmail: 1 } : others,
        }),
      );
    },

    /**
     * Links a provider to an account whose address is verified, or is verified by this sign-in of its own user. Null when
     * the account has changed since, or is linked to a subject of this provider already. @throws IdentityTakenError
     */
    linkProvider: (
      user: Pick<UserRecord, 'id' | 'email' | 'emailVerified'>,
      { provider, subject }: Pick<ProviderIdentity, 'provider' | 'subject'>,
    ): Promise<UserRecord | null> =>
      change(
        { _id: user.id, email: user.email, emailVerified: user.emailVerified, [provider]: null },
        { $set: { [provider]: subject, emailVerified: true } },
      ),

    /**
     * Hands an unverified account to the user whom a provider has verified as the owner of its address; the credentials
     * of the earlier holder are removed. Null when the account has changed since. @throws IdentityTakenError
     */
    takeOver: (
      user: AtVersion & Pick<UserRecord, 'email'>,
      { provider, subject, firstName, lastName }: ProviderIdentity,
    ): Promise<UserRecord | null> => {
      const { [provider]: _set, ...others } = ACCESS;
      return change(
        { ...at(user), email: user.email, emailVerified: false },
        nextVersion({
          set: { [provider]: subject, emailVerified: true, firstName, lastName },
          unset: others,
        }),
      );
    },

    /** Records a use of the account; false when it is gone or its credentials are not those of `user` any more. */
    recordSignIn: async (user: AtVersion, now: Date): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { ...at(user), ...alive },
        { $set: { lastSeenAt: now } },
      );
      return matchedCount === 1;
    },

    touch: async (id: string, now: Date): Promise<void> => {
      await model.updateOne({ _id: id }, { $set: { lastSeenAt: now } });
    },
  };
}

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
