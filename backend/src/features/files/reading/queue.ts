import { createTaskQueue, type TaskQueue } from '../../../jobs/durable.ts';
import { ensureQueued } from '../../../jobs/producer.ts';
import type { FilesFeature } from '../feature.ts';
import { type ReadingJob, readingJob, recognitionJob } from './lanes.ts';

/** The queue of files to read, in the lane of their owner. */
export function readingQueue({
  readingLanes: { users, guests },
  others,
  log,
}: Pick<FilesFeature, 'readingLanes' | 'others' | 'log'>): TaskQueue<ReadingJob> {
  const placeOf = ({ fileId }: ReadingJob) => ({ queue: readingJob.name, jobId: fileId });

  const ensure = async ({ fileId, ownerId }: ReadingJob): Promise<void> => {
    const { kind } = await others.billing.entitlementsOf(ownerId);
    const [own, other] = kind === 'guest' ? [guests, users] : [users, guests];
    // A guest may have registered since.
    if (await other.producer.canRun(fileId)) return;
    await ensureQueued(own.producer, fileId, async () => {
      const priority = await own.fairQueue.enter({ group: 'files', member: ownerId });
      await own.producer.add(fileId, { fileId, ownerId }, { priority });
    });
  };

  return {
    placeOf,
    ensure,
    enqueue: (key) =>
      ensure(key).catch((error: unknown) =>
        log.warn({ err: error, ...placeOf(key) }, 'task will be enqueued later'),
      ),
  };
}

/** The place of a user's next recognition. */
export async function enterRecognition(
  { recognitionLane, others }: Pick<FilesFeature, 'recognitionLane' | 'others'>,
  { ownerId }: ReadingJob,
): Promise<number> {
  const { kind } = await others.billing.entitlementsOf(ownerId);
  const group = kind === 'guest' ? 'guests' : 'users';
  return recognitionLane.fairQueue.enter({ group, member: ownerId });
}

/** The queue of files whose pictures are recognised. */
export function recognitionQueue(
  files: Pick<FilesFeature, 'recognitionLane' | 'others' | 'log'>,
): TaskQueue<ReadingJob> {
  const { producer } = files.recognitionLane;
  return createTaskQueue(recognitionJob, {
    producer: {
      ...producer,
      add: async (id, key, options) =>
        producer.add(id, key, { ...options, priority: await enterRecognition(files, key) }),
    },
    idOf: ({ fileId }) => fileId,
    log: files.log,
  });
}
