// npm run shard -- --print: prints the commands that shard the collections. They are run in mongosh, connected to a router of the cluster.
import { ConfigSchema } from '../config.ts';
import { unconnected } from '../db/mongo.ts';
import { shardCommands } from '../db/sharding.ts';
import { shardKeysOf } from './parts/shard-keys.ts';

const { MONGODB_URI } = ConfigSchema.pick({ MONGODB_URI: true }).partial().parse(process.env);
const database = MONGODB_URI ? new URL(MONGODB_URI).pathname.slice(1) || 'test' : 'stolas';
console.log(shardCommands(database, shardKeysOf(unconnected())));
