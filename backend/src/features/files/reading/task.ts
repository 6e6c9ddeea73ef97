import type { FileProblemCode } from '../../../contract/files.ts';
import {
  createTaskSweep,
  type DurableTask,
  durable,
  LostWorkersError,
} from '../../../jobs/durable.ts';
import { type JobRun, runJob } from '../../../jobs/worker.ts';
import { fileProblem } from '../../../reading/index.ts';
import type { LeaderSweep } from '../../define-feature.ts';
import type { FilesFeature } from '../feature.ts';
import { type FileRecord, filePrefix } from '../library/file-record.ts';
import { enqueueVectors } from '../vectors/queue.ts';
import { extract, isFault, type Shown } from './extract.ts';
import { guestReadingJob, type ReadingJob, readingJob } from './lanes.ts';
import { readingQueue, recognitionQueue } from './queue.ts';
import { progressed, ready, startedReading, unreadable, waitingAgain } from './reading-model.ts';
import { toBeRecognised } from './recognition-model.ts';

/** The number of lost workers after which a file is given up. */
const MAX_LOST = 2;
/** The number of faults of the reader after which another attempt follows. */
const RETRIES = 2;
/** The delay of the first retry; each following one doubles. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
const SWEEP_EVERY_MS = 3_000;

/** The jobs of a worker that reads files. */
export function readingJobs(files: FilesFeature): JobRun[] {
  const { run, releaseAll } = readingTask(files);
  const { users, guests } = files.readingLanes;
  const concurrency = Math.max(1, files.config.FILE_READERS - 1);
  return [
    runJob(readingJob, run, { releaseAll, onStart: users.fairQueue.started }),
    runJob(guestReadingJob, run, { concurrency, onStart: guests.fairQueue.started }),
  ];
}

export const readingSweep = (files: FilesFeature): LeaderSweep => ({
  name: 'files without a reading job',
  everyMs: SWEEP_EVERY_MS,
  run: createTaskSweep({ ...files, tasks: files.readings.tasks, queue: readingQueue(files) }),
});

/** The durable task that reads files. */
export function readingTask(
  files: FilesFeature,
  timing: Pick<DurableTask<ReadingJob, FileRecord>, 'sleep' | 'heartbeatMs'> = {},
) {
  const { publishChange, now, log } = files;
  return durable<ReadingJob, FileRecord>({
    ...timing,
    tasks: files.readings.tasks,
    queue: readingQueue(files),
    retries: RETRIES,
    retryMs,
    maxLost: MAX_LOST,
    starting: () => startedReading,
    waiting: () => waitingAgain,
    givenUp: (error) => failed(error instanceof LostWorkersError ? 'too_complex' : 'internal'),
    onProgress: publishChange,
    onEnd: async (file) => {
      await publishChange(file);
      if (file.state === 'ready') await enqueueVectors(files, file);
      if (file.recognition)
        await recognitionQueue(files).enqueue({ fileId: file.id, ownerId: file.ownerId });
    },
    // A file that was deleted while it was read may have got objects after its others were removed.
    onGone: ({ fileId: id, ownerId }) => files.objects.removeAll(filePrefix({ id, ownerId })),
    run: async ({ doc: file, attempt, signal, report }) => {
      const onProgress = (progress: FileRecord['progress']) => report(progressed(progress));
      try {
        const read = await extract(files, file, { onProgress, signal });
        if (!('result' in read)) return { end: failed(read.unreadable, read.shown) };
        const { result, toRecognise } = read;
        const recognition = toRecognise > 0 && toBeRecognised({ total: toRecognise, dueAt: now() });
        return { end: ready(result, recognition || undefined) };
      } catch (error) {
        if (signal.aborted || isFault(error)) throw error;
        // An unreachable store is no fault of the file.
        const delayMs = retryMs(attempt);
        log.warn({ err: error, fileId: file.id, delayMs }, 'file will be read again later');
        return { again: waitingAgain, delayMs };
      }
    },
    now,
    log,
  });
}

export const retryMs = (attempts: number) =>
  Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_MS);

const failed = (
  code: FileProblemCode,
  shown: Partial<Shown> & { hasThumbnail: boolean } = { hasThumbnail: false },
) => unreadable({ problem: fileProblem(code), ...shown });
