import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, isDuplicateKey } from './mongo.ts';

/** A change of stored data from one version of the product to the next. */
export interface Migration {
  /** `0001-what-it-does`; migrations run in the order of their ids. */
  id: string;
  /** Runs to its end at least once, so running it again after a crash must do no harm. */
  run: (connection: Connection) => Promise<void>;
}

interface MigrationDocument {
  _id: string;
  finishedAt?: Date;
  holder?: string;
  expiresAt?: Date;
}

const LOCK = 'lock';
/** A process that died while it migrated holds the lock for this long; a living one renews it. */
const LOCK_MS = 30_000;
const RENEW_MS = 10_000;
const POLL_MS = 250;

/**
 * Runs the migrations that have not run on this database yet, under a lock: with several processes starting at once one
 * migrates and the others wait for it. A database without any is up to date after one query.
 */
export async function migrate(
  connection: Connection,
  migrations: readonly Migration[],
): Promise<void> {
  const collection = connection.collection<MigrationDocument>('migrations');
  const pending = async () => {
    const finished = await collection.find({ finishedAt: { $exists: true } }).toArray();
    const ids = new Set(finished.map(({ _id }) => _id));
    return migrations.filter(({ id }) => !ids.has(id)).toSorted((a, b) => a.id.localeCompare(b.id));
  };
  if ((await pending()).length === 0) return;

  const holder = randomUUID();
  const expiry = () => new Date(Date.now() + LOCK_MS);
  const acquire = async () => {
    const free = { _id: LOCK, $or: [{ expiresAt: { $lt: new Date() } }, { holder }] };
    const update = { $set: { holder, expiresAt: expiry() } };
    try {
      await collection.updateOne(free, update, { upsert: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };
  while (!(await acquire())) {
    await sleep(POLL_MS);
    if ((await pending()).length === 0) return;
  }
  const renewal = setInterval(() => void acquire().catch(() => undefined), RENEW_MS);
  try {
    for (const { id, run } of await pending()) {
      await run(connection);
      await collection.updateOne(
        { _id: id },
        { $set: { finishedAt: new Date() } },
        { upsert: true },
      );
    }
  } finally {
    clearInterval(renewal);
    await collection.deleteOne({ _id: LOCK, holder });
  }
}
