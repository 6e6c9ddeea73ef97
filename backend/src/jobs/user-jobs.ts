import type { Redis } from '../db/redis.ts';
import { type JobDefinition, queuePrefix } from './define-job.ts';

/** Longer than any job waits. A job that an index has lost finds that the record it names is gone. */
const KEPT_MS = 7 * 24 * 3600 * 1_000;

/** The ids of each user's jobs in a queue, ended ones included, so that a deletion reads no jobs of others. */
export function createUserJobIndex(
  redis: Redis,
  definition: Pick<JobDefinition<never>, 'name'>,
  now: () => number = Date.now,
) {
  const keyOf = (userId: string) => `${queuePrefix(definition)}:of:${userId}`;
  return {
    add: async (userId: string, jobId: string): Promise<void> => {
      const [key, at] = [keyOf(userId), now()];
      await redis
        .multi()
        .zremrangebyscore(key, '-inf', at - KEPT_MS)
        .zadd(key, at, jobId)
        .pexpire(key, KEPT_MS)
        .exec();
    },
    idsOf: (userId: string): Promise<string[]> => redis.zrange(keyOf(userId), 0, '-1'),
    remove: async (userId: string, jobIds: readonly string[]): Promise<void> => {
      if (jobIds.length > 0) await redis.zrem(keyOf(userId), ...jobIds);
    },
  };
}
