import type { Migration } from '../../../db/migrate.ts';
import type { ObjectId } from '../../../db/mongo.ts';

interface StoredMessage {
  _id: ObjectId;
  role: 'user' | 'assistant';
  active?: boolean;
  attempt?: number;
  unindexed?: number;
}

const BATCH = 1_000;

/** Marks all messages for the search, which did not exist before; the sweep then indexes them. */
export const messageSearchMigration: Migration = {
  id: '0012-message-search',
  run: async (connection) => {
    const messages = connection.collection<StoredMessage>('messages');
    for (let last: ObjectId | undefined; ; ) {
      const batch = await messages
        .find(last === undefined ? {} : { _id: { $gt: last } })
        .project<{ _id: ObjectId }>({ _id: 1 })
        .sort({ _id: 1 })
        .limit(BATCH)
        .toArray();
      const ids = batch.map(({ _id }) => _id);
      // A running reply is marked when it ends.
      await messages.updateMany(
        { _id: { $in: ids }, active: { $exists: false }, unindexed: { $exists: false } },
        { $set: { unindexed: 0 } },
      );
      last = ids.at(-1);
      if (ids.length < BATCH) return;
    }
  },
};
