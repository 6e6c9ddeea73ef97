/**
 * The fields by which a collection is divided among the shards of a MongoDB cluster, the first one routes a query; null: it stays on one
 * shard. The filter of every update, and of every query that a user waits for, names the first field. Every unique index begins with all of
 * them.
 */
export type ShardKey = readonly [string, ...string[]] | null;

/** The key of each model. */
export type ShardKeys<Models> = { readonly [Name in keyof Models]: ShardKey };

/**
 * The commands of mongosh that shard the collections of a database. Collections without a key are not named. The index of a key is created
 * first, because a collection with documents needs it.
 */
export function shardCommands(database: string, keys: ReadonlyMap<string, ShardKey>): string {
  const lines = [...keys].flatMap(([collection, key]) => {
    if (key === null) return [];
    const fields = `{ ${key.map((field) => `"${field}": 1`).join(', ')} }`;
    const namespace = JSON.stringify(`${database}.${collection}`);
    return [
      ...(key[0] === '_id' ? [] : [`db.getCollection("${collection}").createIndex(${fields})`]),
      `sh.shardCollection(${namespace}, ${fields})`,
      `// when it is sharded by another key: sh.reshardCollection(${namespace}, ${fields})`,
    ];
  });
  const use = `db = db.getSiblingDB(${JSON.stringify(database)})`;
  return [use, `sh.enableSharding(${JSON.stringify(database)})`, ...lines].join('\n');
}
