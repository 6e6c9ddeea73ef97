import type { Log } from '../../../log.ts';
import type { FileRecord } from '../file-record.ts';
import { SWEEP_AFTER_MS } from './job.ts';
import type { ReadingQueue } from './queue.ts';
import type { ReadingStore } from './reading-model.ts';

export const READING_SWEEP_EVERY_MS = 3_000;
const BATCH = 200;

interface ReadingSweeperDeps {
  readings: Pick<ReadingStore, 'findDue' | 'leaseWaiting'>;
  readingQueue: ReadingQueue;
  now: () => Date;
  log: Log;
}

/**
 * Enqueues files that wait without a job, and those whose worker was lost together with their job. Several sweepers may run:
 * a file has one job, whoever enqueues it.
 */
export function createReadingSweeper({ readings, readingQueue, now, log }: ReadingSweeperDeps) {
  const revive = async (file: FileRecord) => {
    const at = now();
    const dueAt = new Date(at.getTime() + SWEEP_AFTER_MS);
    // A file that is being read stays due: the try that takes it over expects that.
    if (file.state === 'waiting' && !(await readings.leaseWaiting(file, { now: at, dueAt })))
      return;
    await readingQueue.ensureQueued(file);
  };

  return async (): Promise<void> => {
    for (const file of await readings.findDue({ now: now(), limit: BATCH }))
      await revive(file).catch((error: unknown) =>
        log.warn({ err: error, fileId: file.id }, 'a file could not be enqueued for reading'),
      );
  };
}
