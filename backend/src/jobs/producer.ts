import { Queue } from 'bullmq';
import type { Redis } from '../db/redis.ts';
import type { JobDefinition } from './define-job.ts';

/** Puts jobs of one kind into the queue. */
export interface JobProducer<Payload> {
  /** Enqueues under `jobId`, to run after `delayMs`; while a job of that id exists, a second one is not made. */
  add: (jobId: string, payload: Payload, options?: { delayMs?: number }) => Promise<void>;
  /** Whether a job of that id waits or runs. */
  has: (jobId: string) => Promise<boolean>;
  /** Takes a job that has not begun out of the queue; one that runs stays. */
  remove: (jobId: string) => Promise<void>;
  close: () => Promise<void>;
}

/** `redis` should fail fast: without Redis `add` rejects instead of waiting. */
export function createProducer<Payload>(
  { name, schema, retry }: JobDefinition<Payload>,
  redis: Redis,
): JobProducer<Payload> {
  const queue = new Queue(name, {
    connection: redis,
    skipWaitingForReady: true,
    // What the job is about is itself the record of what happened; a finished job would only block its id.
    defaultJobOptions: {
      removeOnComplete: true,
      removeOnFail: true,
      ...(retry && {
        attempts: retry.attempts,
        backoff: { type: 'exponential', delay: retry.firstMs },
      }),
    },
  });
  queue.on('error', () => undefined);
  return {
    add: async (jobId, payload, { delayMs = 0 } = {}) => {
      await queue.add(name, schema.parse(payload), { jobId, delay: delayMs });
    },
    has: async (jobId) => (await queue.getJob(jobId)) !== undefined,
    remove: async (jobId) => {
      await queue.remove(jobId);
    },
    close: () => queue.close(),
  };
}
