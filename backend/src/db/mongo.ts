import mongoose, { type Connection } from 'mongoose';

export type { Connection } from 'mongoose';

/**
 * Timeouts of commands, by the kind of work. The driver repeats a command once after a timeout, on a new connection: for `requests` a
 * command and its repetition end within 5 s. `jobs` have commands that take longer, and `migrations` wait for index builds. The driver
 * ignores its own option `timeoutMS`.
 */
const LIMITS = {
  requests: limits({ commandMs: 2_400, connectMs: 2_400, writeMs: 2_000 }),
  jobs: limits({ commandMs: 60_000, connectMs: 10_000, writeMs: 5_000 }),
  migrations: limits({ commandMs: 0, connectMs: 30_000, writeMs: 5_000 }),
};
export type DatabaseUse = keyof typeof LIMITS;

/**
 * Connects to the database. Models are defined on the returned connection, not on the module, so that two apps in one process do not share
 * them. Without an answering server, commands fail instead of waiting. An acknowledged write is on disk on a majority of a replica set's
 * members, so that it survives a failover. Reads see the latest state of the primary (decision 59), whatever the URI or the server's
 * defaults say.
 */
export async function connectMongo(uri: string, use: DatabaseUse = 'jobs'): Promise<Connection> {
  const options = {
    bufferCommands: false,
    autoIndex: false,
    maxPoolSize: 20,
    readPreference: 'primary' as const,
    // Each by itself: a URI replaces fields of `readConcern` and `writeConcern`.
    readConcernLevel: 'local' as const,
    ...LIMITS[use],
  };
  for (const begun = Date.now(); ; )
    try {
      return await mongoose.createConnection(uri, options).asPromise();
    } catch (error) {
      if (!isTemporary(error) || Date.now() - begun > CONNECT_WITHIN_MS) throw error;
    }
}

/** Longer than an election. A process that starts meanwhile, or beside a busy server, waits instead of ending. */
const CONNECT_WITHIN_MS = 30_000;
const { MongoError, MongoNetworkError } = mongoose.mongo;
const isTemporary = (error: unknown) =>
  error instanceof mongoose.MongooseError
    ? error.name === 'MongooseServerSelectionError'
    : error instanceof MongoNetworkError ||
      (error instanceof MongoError && /^Mongo(WaitQueueTimeout|ServerSelection)/.test(error.name));

/** For models alone, without a database. */
export const unconnected = (): Connection => mongoose.createConnection();

function limits(ms: { commandMs: number; connectMs: number; writeMs: number }) {
  return {
    socketTimeoutMS: ms.commandMs,
    waitQueueTimeoutMS: ms.commandMs,
    connectTimeoutMS: ms.connectMs,
    serverSelectionTimeoutMS: ms.connectMs,
    w: 'majority' as const,
    journal: true,
    wtimeoutMS: ms.writeMs,
  };
}

/**
 * Whether the server is standalone: neither a member of a replica set nor a router of a sharded cluster. Its acknowledged writes are lost
 * with its disk.
 */
export async function isStandalone(connection: Connection): Promise<boolean> {
  const hello = await connection.db?.admin().command({ hello: 1 });
  return hello?.setName === undefined && hello?.msg !== 'isdbgrid';
}

/** True for the error of a unique index that already holds the value. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 11_000;

/** The result of a write; null when a unique index already holds the value. */
export async function unlessDuplicate<Result>(write: PromiseLike<Result>): Promise<Result | null> {
  try {
    return await write;
  } catch (error) {
    if (isDuplicateKey(error)) return null;
    throw error;
  }
}

/** Whether an update of one document has found it. */
export const matchesOne = async (update: PromiseLike<{ matchedCount: number }>): Promise<boolean> =>
  (await update).matchedCount === 1;

/** Repeats an upsert that lost to another one: it then finds the inserted document. */
export const upsert = <Result>(run: () => Promise<Result>): Promise<Result> =>
  run().catch((error: unknown) => {
    if (isDuplicateKey(error)) return run();
    throw error;
  });

/** Creates the indexes of every model on the connection; safe in several processes at once. */
export async function createIndexes(connection: Connection): Promise<void> {
  await Promise.all(Object.values(connection.models).map((model) => model.createIndexes()));
}
