// npm run migrate: updates the database without starting the product, such as before a deploy.
import { ConfigSchema } from '../config.ts';
import { RELEASE, updateDatabase } from './parts/update-database.ts';

const { MONGODB_URI } = ConfigSchema.pick({ MONGODB_URI: true }).parse(process.env);
const deferred = await updateDatabase(MONGODB_URI);
console.log(`The database is of release ${RELEASE}.`);
if (deferred.length > 0)
  console.log(
    `These migrations wait until no process of an older release has run for ten minutes: ${deferred.join(', ')}.`,
  );
