import { type Actor, requireAccess } from '../../../access/index.ts';
import { AppError } from '../../../errors.ts';
import { SWEEP_AFTER_MS, type TaskQueue } from '../../../jobs/durable.ts';
import { fileProblem } from '../../../reading/index.ts';
import type { FileRecord } from '../library/file-record.ts';
import type { FileKey } from '../library/records-model.ts';
import type { ReadingJob } from './job.ts';
import type { ReadingStore } from './reading-model.ts';

interface ReadingServiceDeps {
  readings: Pick<ReadingStore, 'find' | 'retryFailed'>;
  readingQueue: Pick<TaskQueue<ReadingJob>, 'enqueue'>;
  publishChange: (file: FileRecord) => Promise<void>;
  now: () => Date;
}

export type ReadingService = ReturnType<typeof createReadingService>;

export function createReadingService(deps: ReadingServiceDeps) {
  const { readings, readingQueue, publishChange, now } = deps;

  /** Enqueues the reading of a file that is `waiting`; the sweeper does it later when Redis is unreachable. */
  const enqueue = ({ id: fileId, ownerId }: FileKey): Promise<void> =>
    readingQueue.enqueue({ fileId, ownerId });

  return {
    enqueue,

    /**
     * Reads a file again that has failed. Nothing happens to a file in any other state.
     * @returns the file as it is then
     * @throws AppError not_found; file_not_ready for one that is not read again
     */
    readAgain: async (actor: Pick<Actor, 'userId'>, id: string): Promise<FileRecord> => {
      const key = { id, ownerId: actor.userId };
      const dueAt = new Date(now().getTime() + SWEEP_AFTER_MS);
      const waiting = await readings.retryFailed(key, { dueAt });
      if (!waiting) {
        const file = requireAccess(actor, await readings.find(key), 'file');
        if (file.state !== 'failed') return file;
        throw new AppError(
          'file_not_ready',
          fileProblem(file.problem?.code ?? 'too_complex').message,
        );
      }
      // Before a worker publishes that it reads the file.
      await publishChange(waiting);
      await enqueue(waiting);
      return waiting;
    },
  };
}
