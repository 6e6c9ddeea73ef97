import { setTimeout as sleep } from 'node:timers/promises';
import { createFairQueue } from '../../../jobs/fair-queue.ts';
import { type JobRun, runJob } from '../../../jobs/worker.ts';
import type { Core, Sweep } from '../../define-feature.ts';
import type { FileRecord } from '../file-record.ts';
import type { FileModel } from '../model.ts';
import type { FileKey } from '../store-model.ts';
import { readingJob } from './job.ts';
import { createLocalCopies } from './local-copies.ts';
import { createReadingQueue, READING_WEIGHTS } from './queue.ts';
import { createReadingStore } from './reading-model.ts';
import { createReadingRunner } from './runner.ts';
import { createReadingService } from './service.ts';
import { createReadingSweeper, READING_SWEEP_EVERY_MS } from './sweeper.ts';
import { createFileTexts } from './text-store.ts';
import { createWaitUntilRead } from './waiting.ts';

interface ReadingOptions {
  model: FileModel;
  /** Tells the owner's tabs that a file has changed. */
  publishChange: (file: FileRecord) => Promise<void>;
  /** What follows when the text of a file is there; does not reject. */
  onReady: (file: FileKey) => Promise<void>;
}

export type Reading = ReturnType<typeof createReading>;

/** What the parts of the reading of files share, and what others may call. */
export function createReading(
  core: Pick<Core, 'redis' | 'produce' | 'objects' | 'now' | 'log'>,
  { model, publishChange, onReady }: ReadingOptions,
) {
  const readings = createReadingStore(model);
  const readingFairQueue = createFairQueue(core.redis, readingJob, { weights: READING_WEIGHTS });
  const readingProducer = core.produce(readingJob);
  const readingQueue = createReadingQueue({ readingProducer, readingFairQueue });
  const { enqueue, readAgain } = createReadingService({
    ...core,
    readings,
    readingQueue,
    publishChange,
  });
  return {
    readings,
    readingFairQueue,
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
  core: Pick<Core, 'objects' | 'reader' | 'now' | 'log'>,
  reading: Reading,
): JobRun[] {
  const runner = createReadingRunner({ ...core, ...reading, sleep: (ms) => sleep(ms) });
  return [
    runJob(readingJob, runner.run, {
      releaseAll: runner.releaseAll,
      onStart: reading.readingFairQueue.started,
    }),
  ];
}

export const readingSweeps = (core: Pick<Core, 'now' | 'log'>, reading: Reading): Sweep[] => [
  {
    name: 'files without a reading job',
    everyMs: READING_SWEEP_EVERY_MS,
    run: createReadingSweeper({ ...core, ...reading }),
  },
];
