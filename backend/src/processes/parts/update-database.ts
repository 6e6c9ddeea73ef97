import { randomUUID } from 'node:crypto';
import { migrate, releaseOf } from '../../db/migrate.ts';
import { type Connection, connectMongo, createIndexes } from '../../db/mongo.ts';
import { announceRelease } from '../../db/releases.ts';
import { features } from '../../features/list.ts';

const migrations = features.flatMap((feature) => feature.migrations);

/** The release of this process: the last of its migrations. */
export const RELEASE = releaseOf(migrations);

const self = { id: randomUUID(), release: RELEASE };

/** Announces that this process runs; to be repeated every minute. */
export const announceProcess = (connection: Connection): Promise<void> =>
  announceRelease(connection, self);

/**
 * Announces this process, then migrates the database and creates the indexes of all features, on a connection without timeouts of commands.
 * @returns the ids of the migrations that wait for the end of older processes
 * @throws as `migrate` does
 */
export async function updateDatabase(uri: string): Promise<string[]> {
  const connection = await connectMongo(uri, 'migrations');
  try {
    for (const { models } of features) models(connection);
    await announceProcess(connection);
    const deferred = await migrate(connection, migrations);
    await createIndexes(connection);
    return deferred;
  } finally {
    await connection.close();
  }
}
