import { Queue } from 'bullmq';
import type { Redis } from '../db/redis.ts';
import { type JobDefinition, queuePrefix } from './define-job.ts';
import { createUserJobIndex } from './user-jobs.ts';

/** Puts jobs of one kind into the queue. */
export interface JobProducer<Payload> {
  /**
   * Enqueues under `jobId`, to run after `delayMs`; while a job with this id exists, no second one is created. Jobs with a smaller
   * `priority` (from 1) start first; those without one start before all that have one.
   */
  add: (
    jobId: string,
    payload: Payload,
    options?: { delayMs?: number; priority?: number | undefined },
  ) => Promise<void>;
  /** The number of jobs that start before this one; null unless it waits with a priority. */
  ahead: (jobId: string) => Promise<number | null>;
  /** The jobs that wait with a priority, next one first; `ahead` jobs without one start before them. */
  waiting: (options: { limit: number }) => Promise<{ ahead: number; jobIds: string[] }>;
  /** The number of jobs that wait, without those that wait for their time. */
  size: () => Promise<number>;
  /** Whether a job with this id waits or runs; false for one that has ended or is in no list of the queue. */
  canRun: (jobId: string) => Promise<boolean>;
  /** Removes a job from the queue, unless a worker runs it. */
  remove: (jobId: string) => Promise<void>;
  /** The number of a user's jobs that wait or run; 0 when jobs of this kind name no user. */
  countOf: (userId: string) => Promise<number>;
  /** Removes the jobs of a user that are not running. */
  removeAllOf: (userId: string) => Promise<void>;
  close: () => Promise<void>;
}

/** Calls `add` unless a job with this id can run. */
export async function ensureQueued(
  producer: Pick<JobProducer<never>, 'canRun' | 'remove'>,
  jobId: string,
  add: () => Promise<void>,
): Promise<void> {
  if (await producer.canRun(jobId)) return;
  // A job that exists but cannot run, as after a loss in Redis, would block its id.
  await producer.remove(jobId);
  await add();
}

const RUNNABLE = new Set(['waiting', 'active', 'delayed', 'prioritized', 'waiting-children']);

/** `redis` should fail fast: without Redis `add` rejects instead of waiting. */
export function createProducer<Payload>(
  definition: JobDefinition<Payload>,
  redis: Redis,
): JobProducer<Payload> {
  const { name, schema, userOf } = definition;
  const queue = openQueue(definition, redis);
  const byUser = createUserJobIndex(redis, definition);
  const canRun = async (jobId: string) => RUNNABLE.has(await queue.getJobState(jobId));
  const idsOf = async (userId: string) => (userOf ? byUser.idsOf(userId) : []);
  /** The user's jobs, and whether each can still run. */
  const jobsOf = async (userId: string) =>
    Promise.all((await idsOf(userId)).map(async (id) => ({ id, canRun: await canRun(id) })));
  const [front, prioritized] = [queue.toKey('wait'), queue.toKey('prioritized')];
  return {
    add: async (jobId, payload, { delayMs = 0, priority = 0 } = {}) => {
      const data = schema.parse(payload);
      if (userOf) await byUser.add(userOf(data), jobId);
      await queue.add(name, data, { jobId, delay: delayMs, priority });
    },
    ahead: async (jobId) => {
      const [before, rank] = await Promise.all([
        redis.llen(front),
        redis.zrank(prioritized, jobId),
      ]);
      return rank === null ? null : before + rank;
    },
    waiting: async ({ limit }) => {
      const [ahead, jobIds] = await Promise.all([
        redis.llen(front),
        redis.zrange(prioritized, 0, String(limit - 1)),
      ]);
      return { ahead, jobIds };
    },
    size: async () => {
      const [before, waiting] = await Promise.all([redis.llen(front), redis.zcard(prioritized)]);
      return before + waiting;
    },
    canRun,
    remove: async (jobId) => {
      await queue.remove(jobId);
    },
    countOf: async (userId) => (await jobsOf(userId)).filter((job) => job.canRun).length,
    removeAllOf: async (userId) => {
      for (const id of await idsOf(userId)) await queue.remove(id);
      // A running job stays, and in the index, until it has ended.
      const ended = (await jobsOf(userId)).filter((job) => !job.canRun);
      await byUser.remove(
        userId,
        ended.map(({ id }) => id),
      );
    },
    close: () => queue.close(),
  };
}

function openQueue<Payload>(definition: JobDefinition<Payload>, redis: Redis): Queue {
  const { name, retry } = definition;
  const queue = new Queue(name, {
    connection: redis,
    prefix: queuePrefix(definition),
    skipWaitingForReady: true,
    // Finished jobs are removed: they would block their id, and the result is in the record that they worked on.
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
  return queue;
}
