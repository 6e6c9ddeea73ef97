import { setTimeout as sleep } from 'node:timers/promises';
import { createTaskSweep } from '../../../jobs/durable.ts';
import { createFairQueue } from '../../../jobs/fair-queue.ts';
import { type JobRun, runJob } from '../../../jobs/worker.ts';
import type { Core, Sweep } from '../../define-feature.ts';
import type { FileModel } from '../library/file-model.ts';
import type { FileRecord } from '../library/file-record.ts';
import type { FileKey } from '../library/records-model.ts';
import { guestReadingJob, readingJob } from './job.ts';
import { createLocalCopies } from './local-copies.ts';
import { createReadingQueue, READING_WEIGHTS } from './queue.ts';
import { createReadingStore } from './reading-model.ts';
import { createReadingRunner } from './runner.ts';
import { createReadingService } from './service.ts';
import { createFileTexts } from './text-store.ts';
import { createWaitUntilRead } from './waiting.ts';

const READING_SWEEP_EVERY_MS = 3_000;

interface ReadingOptions {
  model: FileModel;
  /** Tells the owner's tabs that a file has changed. */
  publishChange: (file: FileRecord) => Promise<void>;
  /** What follows when the text of a file is there; does not reject. */
  onReady: (file: FileKey) => Promise<void>;
  isGuest: (userId: string) => Promise<boolean>;
}

export type Reading = ReturnType<typeof createReading>;

/** What the parts of the reading of files share, and what others may call. */
export function createReading(
  core: Pick<Core, 'redis' | 'produce' | 'objects' | 'now' | 'log'>,
  { model, publishChange, onReady, isGuest }: ReadingOptions,
) {
  const readings = createReadingStore(model);
  const laneOf = (job: typeof readingJob) => ({
    fairQueue: createFairQueue(core.redis, job, { weights: READING_WEIGHTS }),
    producer: core.produce(job),
  });
  const lanes = { users: laneOf(readingJob), guests: laneOf(guestReadingJob) };
  const readingQueue = createReadingQueue({ ...core, lanes, isGuest });
  const { enqueue, readAgain } = createReadingService({
    ...core,
    readings,
    readingQueue,
    publishChange,
  });
  return {
    readings,
    lanes,
    readingQueue,
    publishChange,
    onReady,
    enqueueReading: enqueue,
    readAgain,
    texts: createFileTexts(core),
    copies: createLocalCopies(core),
    waitUntilRead: createWaitUntilRead({ ...core, readings }),
  };
}

/** The jobs of a worker that reads files. */
export function readingJobs(
  core: Pick<Core, 'objects' | 'reader' | 'config' | 'now' | 'log'>,
  reading: Reading,
): JobRun[] {
  const { run, releaseAll } = createReadingRunner({
    ...core,
    ...reading,
    sleep: (ms) => sleep(ms),
  });
  const { users, guests } = reading.lanes;
  const concurrency = Math.max(1, core.config.FILE_READERS - 1);
  return [
    runJob(readingJob, run, { releaseAll, onStart: users.fairQueue.started }),
    runJob(guestReadingJob, run, { concurrency, onStart: guests.fairQueue.started }),
  ];
}

export const readingSweeps = (core: Pick<Core, 'now'>, reading: Reading): Sweep[] => [
  {
    name: 'files without a reading job',
    everyMs: READING_SWEEP_EVERY_MS,
    run: createTaskSweep({
      ...core,
      tasks: reading.readings.tasks,
      queue: reading.readingQueue,
    }),
  },
];
