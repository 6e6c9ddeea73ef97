import type { JobProducer } from '../../../jobs/producer.ts';
import type { ReplyRecord } from '../messages/index.ts';
import type { Finisher } from './finish.ts';
import type { ReplyJob } from './job.ts';
import type { ReplyStore } from './model.ts';

// A worker shows that it lives every 2 s (its checkpoints), so a reply untouched for 5 s has either no worker or
// a job that waits. With a sweep every 3 s nothing stays without a job for more than 8 s.
export const SWEEP_EVERY_MS = 3_000;
const STALE_MS = 5_000;
const BATCH = 200;

interface SweeperDeps {
  replies: ReplyStore;
  finisher: Finisher;
  producer: JobProducer<ReplyJob>;
  now: () => Date;
}

/**
 * Finds replies that nobody works on: accepted but never enqueued, or dropped by the queue. Enqueues them again; the
 * worker that gets one decides whether to start, to interrupt or to give up. Any number of sweepers may run at once.
 */
export function createSweeper({ replies, finisher, producer, now }: SweeperDeps) {
  const revive = async ({ id, jobId }: ReplyRecord) => {
    if (!(await producer.has(jobId))) await producer.add(jobId, { replyId: id });
    await replies.touch(id, now());
  };

  return async (): Promise<void> => {
    const before = new Date(now().getTime() - STALE_MS);
    for (const reply of await replies.stale({ before, limit: BATCH })) await revive(reply);
    await finisher.settleLate(before);
  };
}
