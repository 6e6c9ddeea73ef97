import type { Connection } from '../../db/mongo.ts';
import type { ShardKey } from '../../db/sharding.ts';
import { features } from '../../features/list.ts';

/** The shard key of each collection of all features, by the name of the collection. Defines their models on `connection`. */
export function shardKeysOf(connection: Connection): Map<string, ShardKey> {
  const keys = features.flatMap(({ models, shardKeys }) =>
    Object.entries(models(connection) as Record<string, Connection['models'][string]>).map(
      ([name, { collection }]) => [collection.collectionName, shardKeys[name] ?? null] as const,
    ),
  );
  return new Map(keys.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
