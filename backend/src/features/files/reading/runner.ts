import type { FileProblemCode } from '../../../contract/files.ts';
import {
  type DurableTask,
  durable,
  LostWorkersError,
  type TaskQueue,
} from '../../../jobs/durable.ts';
import type { ObjectStore } from '../../../objects/index.ts';
import { fileProblem } from '../../../reading/index.ts';
import { type FileRecord, filePrefix } from '../library/file-record.ts';
import type { FileKey } from '../library/records-model.ts';
import { createExtract, type ExtractDeps, isFault, type Shown } from './extract.ts';
import type { ReadingJob } from './job.ts';
import {
  progressed,
  type ReadingStore,
  ready,
  startedReading,
  unreadable,
  waitingAgain,
} from './reading-model.ts';

/** A file that has lost so many workers is not tried again. */
const MAX_LOST = 2;
/** After so many faults of the reader another attempt follows. */
const RETRIES = 2;
/** The next attempt follows after 1 s, then after doubled times up to this. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

export interface ReadingRunnerDeps
  extends ExtractDeps,
    Pick<DurableTask<ReadingJob, FileRecord>, 'now' | 'log' | 'sleep' | 'heartbeatMs'> {
  objects: Pick<ObjectStore, 'write' | 'removeAll'>;
  readings: Pick<ReadingStore, 'tasks'>;
  readingQueue: TaskQueue<ReadingJob>;
  /** Tells the owner's tabs that a file has changed. */
  publishChange: (file: FileRecord) => Promise<void>;
  /** What follows when the text of a file is there; does not reject. */
  onReady: (file: FileKey) => Promise<void>;
}

/** Reads files: runs the jobs of a worker. */
export function createReadingRunner(deps: ReadingRunnerDeps) {
  const { readings, readingQueue, objects, publishChange, onReady, log } = deps;
  const extract = createExtract(deps);
  const retryMs = (attempts: number) =>
    Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS);

  return durable<ReadingJob, FileRecord>({
    ...deps,
    tasks: readings.tasks,
    queue: readingQueue,
    retries: RETRIES,
    retryMs,
    maxLost: MAX_LOST,
    starting: () => startedReading,
    waiting: () => waitingAgain,
    givenUp: (error) => failed(error instanceof LostWorkersError ? 'too_complex' : 'internal'),
    onProgress: publishChange,
    onEnd: async (file) => {
      await publishChange(file);
      if (file.state === 'ready') await onReady(file);
    },
    // A file that is deleted while it is read may have got objects after the others were removed.
    onGone: ({ fileId: id, ownerId }) => objects.removeAll(filePrefix({ id, ownerId })),
    run: async ({ doc: file, attempt, signal, report }) => {
      const onProgress = (progress: FileRecord['progress']) => report(progressed(progress));
      try {
        const read = await extract(file, { onProgress, signal });
        return { end: 'result' in read ? ready(read.result) : failed(read.unreadable, read.shown) };
      } catch (error) {
        if (signal.aborted || isFault(error)) throw error;
        // The store is unreachable, which says nothing about the file.
        const delayMs = retryMs(attempt);
        log.warn({ err: error, fileId: file.id, delayMs }, 'a file is read again later');
        return { again: waitingAgain, delayMs };
      }
    },
  });
}

const failed = (
  code: FileProblemCode,
  shown: Partial<Shown> & { hasThumbnail: boolean } = { hasThumbnail: false },
) => unreadable({ problem: fileProblem(code), ...shown });
