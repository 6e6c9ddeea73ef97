// npm run migrate: updates the database without starting the product, such as before a deploy.
import { randomUUID } from 'node:crypto';
import { ConfigSchema } from '../config.ts';
import { migrate, releaseOf } from '../db/migrate.ts';
import { connectMongo, createIndexes } from '../db/mongo.ts';
import { announceRelease } from '../db/releases.ts';
import { features } from '../features/list.ts';

const { MONGODB_URI } = ConfigSchema.pick({ MONGODB_URI: true }).parse(process.env);
const connection = await connectMongo(MONGODB_URI, 'migrations');
try {
  for (const { models } of features) models(connection);
  const migrations = features.flatMap((feature) => feature.migrations);
  await announceRelease(connection, { id: randomUUID(), release: releaseOf(migrations) });
  const deferred = await migrate(connection, migrations);
  await createIndexes(connection);
  console.log(`The database is of release ${releaseOf(migrations)}.`);
  if (deferred.length > 0)
    console.log(
      `These migrations wait until no process of an older release has run for ten minutes: ${deferred.join(', ')}.`,
    );
} finally {
  await connection.close();
}
