import type { Migration } from '../../db/migrate.ts';
import { type Connection, isMissingIndex, type ObjectId } from '../../db/mongo.ts';

interface StoredUser {
  _id: ObjectId;
  email?: string;
  emailVerified?: boolean;
  pendingEmail?: string;
  credentialVersion?: number;
  lastSeenAt?: Date;
}

/** Indexes of the time when several accounts could have the same unverified address. */
const FORMER_INDEXES = ['email_1', 'email_proven', 'email_1_createdAt_1'];

async function dropFormerIndexes(connection: Connection): Promise<void> {
  for (const name of FORMER_INDEXES)
    await connection
      .collection('users')
      .dropIndex(name)
      .catch((error: unknown) => {
        if (!isMissingIndex(error)) throw error;
      });
}

/**
 * Leaves each address to one account: the one that has verified it, else the one that was used last. The others keep
 * their conversations and their sessions, in which their users can enter an address again.
 */
async function keepOneAccountPerEmail(connection: Connection): Promise<void> {
  const users = connection.collection<StoredUser>('users');
  const withEmail = users
    .find({ email: { $type: 'string' } })
    .project<StoredUser>({ emailVerified: 1, email: 1 })
    .sort({ email: 1, emailVerified: -1, lastSeenAt: -1, _id: 1 });
  let keptEmail: string | undefined;
  for await (const { _id, email } of withEmail) {
    if (email === keptEmail)
      await users.updateOne({ _id }, { $unset: { email: 1 }, $set: { emailVerified: false } });
    keptEmail = email;
  }
}

export const accountsMigrations: readonly Migration[] = [
  {
    id: '0002-one-account-per-email',
    run: async (connection) => {
      await dropFormerIndexes(connection);
      await keepOneAccountPerEmail(connection);
      const users = connection.collection<StoredUser>('users');
      await users.updateMany(
        { credentialVersion: { $exists: false } },
        { $set: { credentialVersion: 0 } },
      );
      await users.updateMany(
        { emailVerified: { $exists: false } },
        { $set: { emailVerified: false } },
      );
    },
  },
];
