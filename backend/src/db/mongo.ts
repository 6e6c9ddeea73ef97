import mongoose, { type Connection, type Types } from 'mongoose';

export type { Connection } from 'mongoose';
/** An id as migrations read it. */
export type ObjectId = Types.ObjectId;

/**
 * Connects to the database. Every model is defined on the returned connection, none on the module,
 * so that two apps in one process never share one. Commands fail after 5 s without a server instead of waiting.
 * An acknowledged write is on disk on a majority of a replica set's members, so that it survives a failover.
 */
export async function connectMongo(uri: string): Promise<Connection> {
  const connection = mongoose.createConnection(uri, {
    bufferCommands: false,
    autoIndex: false,
    serverSelectionTimeoutMS: 5_000,
    maxPoolSize: 20,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
  });
  return connection.asPromise();
}

/**
 * Whether the server is a standalone one: neither a member of a replica set nor a router of a sharded cluster. Its
 * acknowledged writes are lost with its disk.
 */
export async function isStandalone(connection: Connection): Promise<boolean> {
  const hello = await connection.db?.admin().command({ hello: 1 });
  return hello?.setName === undefined && hello?.msg !== 'isdbgrid';
}

/** True for the error of a unique index that already holds the value. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 11_000;

/** Creates the indexes of every model on the connection; safe to call from several processes at once. */
export async function createIndexes(connection: Connection): Promise<void> {
  await Promise.all(Object.values(connection.models).map((model) => model.createIndexes()));
}

/** Whether the index to drop, or its whole collection, did not exist. */
export const isMissingIndex = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && MISSING.has(error.code);

const MISSING = new Set<unknown>([26, 27]);
