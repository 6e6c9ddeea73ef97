import type { TaskQueue } from '../../../jobs/durable.ts';
import { ensureQueued } from '../../../jobs/producer.ts';
import type { FilesFeature } from '../feature.ts';
import { type ReadingJob, readingJob } from './lanes.ts';

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
