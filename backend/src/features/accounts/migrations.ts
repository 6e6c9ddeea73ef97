import type { Migration } from '../../db/migrate.ts';

/** The last migration of the versions before the first release. */
const LAST_FORMER = '0012-message-search';

/**
 * Migrations from before the first release no longer exist: a database that has not finished them is refused instead of being read wrongly.
 * A new database has no users, and one of commit bd809f6 or later has the current form.
 */
export const firstRelease: Migration = {
  id: '0013-first-release',
  kind: 'expand',
  run: async (connection) => {
    const hasUsers = (await connection.collection('users').findOne({})) !== null;
    const finished = { _id: LAST_FORMER, finishedAt: { $exists: true } };
    const migrations = connection.collection<{ _id: string; finishedAt?: Date }>('migrations');
    if (hasUsers && !(await migrations.findOne(finished))) throw new FormerDataError();
  },
};

/** The database was last used by an older version from which no migration leads to this one. */
export class FormerDataError extends Error {
  override name = 'FormerDataError';
  readonly code = 'former_data';
  constructor() {
    super(
      'This database was last used by a version before commit bd809f6. Start that commit with it once, then this version.',
    );
  }
}
