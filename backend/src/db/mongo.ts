import mongoose, { type Connection, type Types } from 'mongoose';

export type { Connection } from 'mongoose';
/** An id as a migration meets it. */
export type ObjectId = Types.ObjectId;

/**
 * Connects to the database. Every model is defined on the returned connection, none on the module,
 * so that two apps in one process never share one. Commands fail after 5 s without a server instead of waiting.
 */
export async function connectMongo(uri: string): Promise<Connection> {
  const connection = mongoose.createConnection(uri, {
    bufferCommands: false,
    autoIndex: false,
    serverSelectionTimeoutMS: 5_000,
    maxPoolSize: 20,
  });
  return connection.asPromise();
}

/** True for the error of a unique index that already holds the value. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 11_000;

/** Creates the indexes of every model on the connection; safe to call from several processes at once. */
export async function createIndexes(connection: Connection): Promise<void> {
  await Promise.all(Object.values(connection.models).map((model) => model.createIndexes()));
}

/** Whether an index, or its whole collection, was not there to be dropped. */
export const isMissingIndex = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && MISSING.has(error.code);

const MISSING = new Set<unknown>([26, 27]);
