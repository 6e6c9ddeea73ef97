import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, unlessDuplicate } from './mongo.ts';
import { hasOlderProcess } from './releases.ts';

/** A change of stored data from one version of the product to the next. */
export interface Migration {
  /** `0001-what-it-does`; migrations run in the order of their ids. */
  id: string;
  /**
   * `expand`: the release before works on the changed data too, so it runs at the start of the first new process. `contract`: the release
   * before does not, so it runs once no process of it is left. Data is moved by an `expand` of one release and a `contract` of the next.
   */
  kind: 'expand' | 'contract';
  /** Runs to its end at least once, so it must be repeatable after a crash. */
  run: (connection: Connection) => Promise<void>;
}

interface MigrationDocument {
  _id: string;
  kind?: Migration['kind'];
  finishedAt?: Date;
  holder?: string;
  expiresAt?: Date;
}

const LOCK = 'lock';

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

/** A later release has changed the data, and this one would misread it. */
export class OlderThanDataError extends Error {
  override name = 'OlderThanDataError';
}

/** The release that these migrations belong to: the id of the last one. */
export const releaseOf = (migrations: readonly Migration[]): string =>
  migrations.reduce((last, { id }) => (id > last ? id : last), '');

/**
 * Runs the migrations that have not run on this database yet, under a lock: when several processes start at once, one migrates and the
 * others wait. Without pending migrations it costs one query. The caller has announced its process (`announceRelease`).
 * @returns the ids of the `contract` migrations that wait for the end of processes of an older release
 * @throws OlderThanDataError; the errors of a migration, after the lock is released; MigrationLockLostError.
 */
export async function migrate(
  connection: Connection,
  migrations: readonly Migration[],
  times: MigrateTimes = TIMES,
): Promise<string[]> {
  const collection = connection.collection<MigrationDocument>('migrations');
  const pending = async () => {
    const known = await collection.find({ _id: { $ne: LOCK } }).toArray();
    refuseOlder(known, migrations);
    const ids = new Set(known.flatMap(({ _id, finishedAt }) => (finishedAt ? [_id] : [])));
    return migrations.filter(({ id }) => !ids.has(id)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };
  if ((await pending()).length === 0) return [];

  const lock = createLock(connection, times);
  while (!(await lock.acquire())) {
    await sleep(times.pollMs);
    if ((await pending()).length === 0) return [];
  }
  const renewal = setInterval(lock.renew, times.renewMs);
  try {
    const deferred: string[] = [];
    for (const { id, kind, run } of await pending()) {
      if (kind === 'contract' && !(await beginContract(connection, id))) {
        deferred.push(id);
        continue;
      }
      await run(connection);
      if (!(await lock.acquire()))
        throw new MigrationLockLostError(`Migration ${id} lost its lock.`);
      await collection.updateOne(
        { _id: id },
        { $set: { kind, finishedAt: new Date() } },
        { upsert: true },
      );
    }
    return deferred;
  } finally {
    clearInterval(renewal);
    await lock.release();
  }
}

/** @throws OlderThanDataError when a `contract` migration that this release does not have has run or has begun */
function refuseOlder(known: readonly MigrationDocument[], migrations: readonly Migration[]): void {
  const own = new Set(migrations.map(({ id }) => id));
  const later = known.find(({ _id, kind }) => kind === 'contract' && !own.has(_id));
  if (later)
    throw new OlderThanDataError(
      `A later release has changed the database (migration ${later._id}). Start that release or a later one, or restore a backup from before it.`,
    );
}

/**
 * Marks a migration as begun unless a process of an older release runs. An older process announces itself and then looks for the mark, this
 * one sets the mark and then looks for older processes: one of them sees the other.
 */
async function beginContract(connection: Connection, id: string): Promise<boolean> {
  const collection = connection.collection<MigrationDocument>('migrations');
  await collection.updateOne({ _id: id }, { $set: { kind: 'contract' } }, { upsert: true });
  if (!(await hasOlderProcess(connection, id))) return true;
  await collection.deleteOne({ _id: id });
  return false;
}

function createLock(connection: Connection, { lockMs }: MigrateTimes) {
  const collection = connection.collection<MigrationDocument>('migrations');
  const holder = randomUUID();

  /** Takes the lock when it is free or expired, or renews it. False when another process holds it. */
  const acquire = async (): Promise<boolean> => {
    const now = Date.now();
    const mine = { _id: LOCK, $or: [{ expiresAt: { $lt: new Date(now) } }, { holder }] };
    const update = { $set: { holder, expiresAt: new Date(now + lockMs) } };
    // Null when the lock exists and the filter did not match it.
    return (await unlessDuplicate(collection.updateOne(mine, update, { upsert: true }))) !== null;
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
