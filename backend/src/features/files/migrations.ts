import type { Types } from 'mongoose';
import type { Migration } from '../../db/migrate.ts';

interface FormerUpload extends Record<string, unknown> {
  _id: Types.ObjectId | string;
  key: string;
}

/**
 * The key of an upload becomes its id, because a sharded collection can only have unique indexes that begin with its shard key. A `contract`:
 * earlier versions look for `key`, and no longer find a grant.
 */
export const uploadsByKey: Migration = {
  id: '0018-uploads-by-key',
  kind: 'expand',
  run: async (connection) => {
    const uploads = connection.collection<FormerUpload>('uploads');
    // The index refuses a second document without a key.
    const indexes = await uploads.indexes().catch(() => []);
    if (indexes.some(({ name }) => name === 'key_1')) await uploads.dropIndex('key_1');
    for (;;) {
      const former = await uploads.findOne({ key: { $exists: true } });
      if (!former) return;
      const { _id, key, ...grant } = former;
      await uploads.replaceOne({ _id: key }, grant, { upsert: true });
      await uploads.deleteOne({ _id });
    }
  },
};
