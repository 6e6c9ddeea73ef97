import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import type { PlanId, SubscriptionStatus } from '../../contract/auth.ts';
import { isDuplicateKey } from '../../db/mongo.ts';

// A guest has no `email` field at all: an absent field is what the sparse unique index leaves alone.
const schema = new Schema(
  {
    email: String,
    passwordHash: String,
    firstName: { type: String, default: '' },
    lastName: { type: String, default: '' },
    subscriptionStatus: { type: String, enum: ['active', 'guest'] },
    subscriptionPlan: { type: String, enum: ['starter', 'pro'] },
    createdAt: { type: Date, required: true },
    lastSeenAt: { type: Date, required: true },
    /** Set when the account is being deleted: nobody signs in to it or changes it any more. */
    deletingAt: Date,
  },
  { versionKey: false },
);
schema.index({ email: 1 }, { unique: true, sparse: true });
schema.index({ subscriptionStatus: 1, lastSeenAt: 1 });

type UserDocument = InferSchemaType<typeof schema> & { _id: Types.ObjectId };

/** An account as the server knows it, without its password. */
export interface UserRecord {
  id: string;
  email: string | null;
  firstName: string;
  lastName: string;
  subscriptionStatus: SubscriptionStatus | null;
  subscriptionPlan: PlanId | null;
}

/** What registration adds to an account. */
export interface Registration {
  email: string;
  passwordHash: string;
  firstName: string;
  lastName: string;
}

/** Thrown when another account holds the address. */
export class EmailTaken extends Error {
  override name = 'EmailTaken';
}

export const defineUserModel = (connection: Connection) =>
  connection.model('User', schema, 'users');

export type UserStore = ReturnType<typeof createUserStore>;

export function createUserStore(model: ReturnType<typeof defineUserModel>) {
  const guest = { subscriptionStatus: 'guest', deletingAt: null } as const;

  return {
    createGuest: async (now: Date): Promise<UserRecord> =>
      toRecord(
        await model.create({ subscriptionStatus: 'guest', createdAt: now, lastSeenAt: now }),
      ),

    /** @throws EmailTaken */
    createRegistered: async (registration: Registration, now: Date): Promise<UserRecord> =>
      toRecord(
        await model
          .create({ ...registration, createdAt: now, lastSeenAt: now })
          .catch(throwEmailTaken),
      ),

    /** Makes the guest a registered account with the same id; null when there is no such guest any more. */
    upgradeGuest: async (id: string, registration: Registration): Promise<UserRecord | null> => {
      const changes = { $set: registration, $unset: { subscriptionStatus: 1 } };
      const user = await model
        .findOneAndUpdate({ _id: id, ...guest }, changes, { returnDocument: 'after' })
        .lean<UserDocument>()
        .catch(throwEmailTaken);
      return user && toRecord(user);
    },

    find: async (id: string): Promise<UserRecord | null> => {
      const user = await model.findOne({ _id: id, deletingAt: null }).lean<UserDocument>();
      return user && toRecord(user);
    },

    /** The account of an address with the hash its password is checked against. */
    findForSignIn: async (
      email: string,
    ): Promise<{ user: UserRecord; passwordHash: string } | null> => {
      const user = await model.findOne({ email, deletingAt: null }).lean<UserDocument>();
      return user?.passwordHash ? { user: toRecord(user), passwordHash: user.passwordHash } : null;
    },

    touch: async (id: string, now: Date): Promise<void> => {
      await model.updateOne({ _id: id }, { $set: { lastSeenAt: now } });
    },

    /**
     * Marks up to `limit` guests that were last seen before `unseenSince` as being deleted, and returns their ids.
     * Guests marked before `retryBefore` are handed out again: whoever took them did not get to the end.
     */
    claimGuests: async (options: {
      unseenSince: Date;
      retryBefore: Date;
      now: Date;
      limit: number;
    }): Promise<string[]> => {
      const due = {
        subscriptionStatus: 'guest' as const,
        lastSeenAt: { $lt: options.unseenSince },
        $or: [{ deletingAt: null }, { deletingAt: { $lt: options.retryBefore } }],
      };
      const found = await model.find(due, { _id: 1 }).limit(options.limit).lean();
      const claims = found.map(async ({ _id }) => {
        const claim = { $set: { deletingAt: options.now } };
        const { modifiedCount } = await model.updateOne({ ...due, _id }, claim);
        return modifiedCount === 1 ? [String(_id)] : [];
      });
      return (await Promise.all(claims)).flat();
    },

    /** Removes an account that is marked as being deleted, and no other. */
    remove: async (id: string): Promise<void> => {
      await model.deleteOne({ _id: id, deletingAt: { $ne: null } });
    },
  };
}

function throwEmailTaken(error: unknown): never {
  throw isDuplicateKey(error) ? new EmailTaken() : error;
}

const toRecord = (user: UserDocument): UserRecord => ({
  id: String(user._id),
  email: user.email ?? null,
  firstName: user.firstName,
  lastName: user.lastName,
  subscriptionStatus: user.subscriptionStatus ?? null,
  subscriptionPlan: user.subscriptionPlan ?? null,
});
