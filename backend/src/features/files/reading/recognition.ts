import { RunLaterError } from '../../../jobs/define-job.ts';
import { createTaskSweep, type DurableTask, durable } from '../../../jobs/durable.ts';
import { type JobRun, runJob } from '../../../jobs/worker.ts';
import { fileProblem } from '../../../reading/index.ts';
import type { LeaderSweep } from '../../define-feature.ts';
import type { FilesFeature } from '../feature.ts';
import { type FileRecord, filePrefix, isTextless } from '../library/file-record.ts';
import { enqueueVectors } from '../vectors/queue.ts';
import { isFault } from './extract.ts';
import { isReadingWaiting, type ReadingJob, recognitionJob } from './lanes.ts';
import { enterRecognition, recognitionQueue } from './queue.ts';
import { recogniseTurn } from './recognise.ts';
import { recognisedSoFar, recognitionEnded, textReplaced } from './recognition-model.ts';
import { retryMs } from './task.ts';

const RETRIES = 2;
const MAX_LOST = 3;
/** While files wait to be read, recognition looks again after this time. */
const WAIT_MS = 2_000;
const SWEEP_EVERY_MS = 3_000;

/** The job of a worker that recognises pages: one page at a time, and none while a file waits to be read. */
export function recognitionJobs(files: FilesFeature): JobRun[] {
  const { run, releaseAll } = recognitionTask(files);
  const runUnlessWaiting = async (job: ReadingJob) => {
    if (await isReadingWaiting(files.readingLanes)) throw new RunLaterError(WAIT_MS);
    await run(job);
  };
  return [
    runJob(recognitionJob, runUnlessWaiting, {
      releaseAll,
      onStart: files.recognitionLane.fairQueue.started,
      nextPriority: (job) => enterRecognition(files, job),
    }),
  ];
}

export const recognitionSweep = (files: FilesFeature): LeaderSweep => ({
  name: 'files without a recognition job',
  everyMs: SWEEP_EVERY_MS,
  run: createTaskSweep({ ...files, tasks: files.recognitions, queue: recognitionQueue(files) }),
});

/** The durable task that recognises the pictures of a file that is `ready`, a turn in each attempt. */
export function recognitionTask(
  files: FilesFeature,
  timing: Pick<DurableTask<ReadingJob, FileRecord>, 'sleep' | 'heartbeatMs'> = {},
) {
  const { publishChange, now, log } = files;
  return durable<ReadingJob, FileRecord>({
    ...timing,
    tasks: files.recognitions,
    queue: recognitionQueue(files),
    retries: RETRIES,
    retryMs,
    maxLost: MAX_LOST,
    givenUp: (_error, _key, file) =>
      recognitionEnded(
        {},
        isTextless(file) && file.kind === 'pdf' ? fileProblem('internal') : undefined,
      ),
    onProgress: publishChange,
    onEnd: async (file) => {
      await publishChange(file);
      await files.texts.removeReplaced(file);
      if (!file.recognition && file.state === 'ready') await enqueueVectors(files, file);
    },
    // A file that was deleted meanwhile may have got a text after its other objects were removed.
    onGone: ({ fileId: id, ownerId }) => files.objects.removeAll(filePrefix({ id, ownerId })),
    run: async ({ doc: file, attempt, signal, report }) => {
      try {
        const onPage = (done: number) => report(recognisedSoFar(done));
        const { text, isLast } = await recogniseTurn(files, file, { onPage, signal });
        const change = text && textReplaced(file, text);
        if (!isLast) return { again: change ?? {}, delayMs: change ? 0 : WAIT_MS };
        const isBlank = file.kind === 'pdf' && isTextless({ ...file, ...text });
        return { end: recognitionEnded(change, isBlank ? fileProblem('no_text') : undefined) };
      } catch (error) {
        if (signal.aborted || isFault(error)) throw error;
        // An unreachable store is no fault of the file.
        const delayMs = retryMs(attempt);
        log.warn({ err: error, fileId: file.id, delayMs }, 'file will be recognised again later');
        return { again: {}, delayMs };
      }
    },
    now,
    log,
  });
}
