import type { Connection } from './mongo.ts';

/** A process that has not announced itself for this long has ended. */
const ENDED_AFTER_MS = 10 * 60_000;

interface ProcessDocument {
  _id: string;
  /** `releaseOf` its migrations. */
  release: string;
  seenAt: Date;
}

const processes = (connection: Connection) => connection.collection<ProcessDocument>('processes');

/** Announces that a process of a release runs; to be repeated every minute or so. */
export async function announceRelease(
  connection: Connection,
  { id, release, now = new Date() }: { id: string; release: string; now?: Date },
): Promise<void> {
  await processes(connection).updateOne(
    { _id: id },
    { $set: { release, seenAt: now } },
    { upsert: true },
  );
  await processes(connection).deleteMany({ seenAt: { $lt: endedBefore(now) } });
}

/** Whether a process whose release does not have a migration was seen within ten minutes. */
export async function hasOlderProcess(
  connection: Connection,
  migrationId: string,
  now = new Date(),
): Promise<boolean> {
  const older = { release: { $lt: migrationId }, seenAt: { $gte: endedBefore(now) } };
  return (await processes(connection).findOne(older)) !== null;
}

const endedBefore = (now: Date) => new Date(now.getTime() - ENDED_AFTER_MS);
