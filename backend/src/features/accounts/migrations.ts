import type { Migration } from '../../db/migrate.ts';
import { type Connection, isMissingIndex, type ObjectId } from '../../db/mongo.ts';

interface StoredSession {
  _id: ObjectId;
  userId: ObjectId;
}

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

/** Sessions get the version of their user's credentials; until now they did not depend on it. */
async function bindSessions(connection: Connection): Promise<void> {
  const users = connection.collection<StoredUser>('users');
  const sessions = connection.collection<{ userId: ObjectId }>('sessions');
  const unbound = { credentialVersion: { $exists: false } };
  for await (const { _id, userId } of sessions
    .find(unbound)
    .project<StoredSession>({ userId: 1 })) {
    const user = await users.findOne({ _id: userId }, { projection: { credentialVersion: 1 } });
    const { credentialVersion = 0 } = user ?? {};
    await sessions.updateOne({ _id, ...unbound }, { $set: { credentialVersion } });
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
  { id: '0006-sessions-by-credential-version', run: bindSessions },
];
