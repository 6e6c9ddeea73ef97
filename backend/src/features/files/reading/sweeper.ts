import { sweepEach } from '../../sweep-each.ts';
import type { FileRecord } from '../library/file-record.ts';
import { SWEEP_AFTER_MS } from './job.ts';
import type { ReadingQueue } from './queue.ts';
import type { ReadingStore } from './reading-model.ts';

export const READING_SWEEP_EVERY_MS = 3_000;
const BATCH = 200;

interface ReadingSweeperDeps {
  readings: Pick<ReadingStore, 'findDue' | 'leaseWaiting'>;
  readingQueue: ReadingQueue;
  now: () => Date;
}

/**
 * Enqueues files that wait without a job, and those whose worker was lost together with their job. Several sweepers may run:
 * a file has one job, whoever enqueues it.
 */
export function createReadingSweeper({ readings, readingQueue, now }: ReadingSweeperDeps) {
  const revive = async (file: FileRecord) => {
    const at = now();
    const dueAt = new Date(at.getTime() + SWEEP_AFTER_MS);
    // A file that is being read stays due: the try that takes it over expects that.
    if (file.state === 'waiting' && !(await readings.leaseWaiting(file, { now: at, dueAt })))
      return;
    await readingQueue.ensureQueued(file);
  };

  return async (): Promise<void> =>
    sweepEach(await readings.findDue({ now: now(), limit: BATCH }), revive);
}
