import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, isDuplicateKey } from './mongo.ts';

/** A change of stored data from one version of the product to the next. */
export interface Migration {
  /** `0001-what-it-does`; migrations run in the order of their ids. */
  id: string;
  /** Runs to its end at least once, so it must be repeatable after a crash. */
  run: (connection: Connection) => Promise<void>;
}

interface MigrationDocument {
  _id: string;
  finishedAt?: Date;
  holder?: string;
  expiresAt?: Date;
}

const LOCK = 'lock';
const FINISHED = { finishedAt: { $exists: true } };

/** When the lock of a crashed process expires; a running process renews it earlier. */
export interface MigrateTimes {
  lockMs: number;
  renewMs: number;
  pollMs: number;
}

const TIMES: MigrateTimes = { lockMs: 30_000, renewMs: 10_000, pollMs: 250 };

/** Another process has the lock: this one was suspended for too long. */
export class MigrationLockLostError extends Error {
  override name = 'MigrationLockLostError';
}

/**
 * Runs the migrations that have not run on this database yet, under a lock: when several processes start at once, one migrates and the
 * others wait. Without pending migrations it costs one query.
 * @throws the errors of a migration, after the lock is released; MigrationLockLostError.
 */
export async function migrate(
  connection: Connection,
  migrations: readonly Migration[],
  times: MigrateTimes = TIMES,
): Promise<void> {
  const collection = connection.collection<MigrationDocument>('migrations');
  const pending = async () => {
    const finished = await collection.find(FINISHED).toArray();
    const ids = new Set(finished.map(({ _id }) => _id));
    return migrations.filter(({ id }) => !ids.has(id)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };
  if ((await pending()).length === 0) return;

  const lock = createLock(connection, times);
  while (!(await lock.acquire())) {
    await sleep(times.pollMs);
    if ((await pending()).length === 0) return;
  }
  const renewal = setInterval(lock.renew, times.renewMs);
  try {
    for (const { id, run } of await pending()) {
      await run(connection);
      if (!(await lock.acquire()))
        throw new MigrationLockLostError(`Migration ${id} lost its lock.`);
      await collection.updateOne(
        { _id: id },
        { $set: { finishedAt: new Date() } },
        { upsert: true },
      );
    }
  } finally {
    clearInterval(renewal);
    await lock.release();
  }
}

function createLock(connection: Connection, { lockMs }: MigrateTimes) {
  const collection = connection.collection<MigrationDocument>('migrations');
  const holder = randomUUID();

  /** Takes the lock when it is free or expired, or renews it. False when another process holds it. */
  const acquire = async (): Promise<boolean> => {
    const now = Date.now();
    const mine = { _id: LOCK, $or: [{ expiresAt: { $lt: new Date(now) } }, { holder }] };
    const update = { $set: { holder, expiresAt: new Date(now + lockMs) } };
    try {
      await collection.updateOne(mine, update, { upsert: true });
      return true;
    } catch (error) {
      // The lock exists and the filter did not match it.
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };

  return {
    acquire,
    /** A failed renewal is repeated before the lock expires. */
    renew: () => void acquire().catch(() => undefined),
    release: async (): Promise<void> => {
      await collection.deleteOne({ _id: LOCK, holder });
    },
  };
}
