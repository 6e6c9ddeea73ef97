import { Worker } from 'bullmq';
import type { Redis } from '../db/redis.ts';
import type { JobDefinition } from './define-job.ts';

// A dead worker's job is handed over within LOCK + CHECK at the latest, 11 s: below the 15 s that are promised.
// BullMQ renews a lock at half its life, so a live worker must be stuck for 4 s before it loses one.
const LOCK_MS = 8_000;
const CHECK_MS = 3_000;
/** How often a job may lose its worker before BullMQ drops it; the sweeper then settles its reply. */
const MAX_STALLS = 2;

export interface JobWorker {
  /** Takes no further jobs and resolves when those in hand are done. */
  close: () => Promise<void>;
}

interface WorkerOptions<Payload> {
  /** Should wait for Redis: a worker outlives its restarts. */
  redis: Redis;
  concurrency: number;
  handle: (payload: Payload) => Promise<void>;
  onError: (error: Error) => void;
}

/** Runs jobs of one kind: parses the payload, calls `handle`. */
export async function startWorker<Payload>(
  { name, schema }: JobDefinition<Payload>,
  { redis, concurrency, handle, onError }: WorkerOptions<Payload>,
): Promise<JobWorker> {
  const worker = new Worker(name, (job) => handle(schema.parse(job.data)), {
    connection: redis,
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: CHECK_MS,
    maxStalledCount: MAX_STALLS,
  });
  worker.on('error', onError);
  worker.on('failed', (_job, error) => onError(error));
  await worker.waitUntilReady();
  return { close: () => worker.close() };
}
