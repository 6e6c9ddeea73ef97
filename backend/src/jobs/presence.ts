import type { Redis } from '../db/redis.ts';

// Workers announce themselves every 3 s; one without an announcement for 10 s counts as gone.
const ANNOUNCE_MS = 3_000;
const ABSENT_MS = 10_000;
const KEY = 'workers';

/** Announces a worker while it runs; the returned function ends that. */
export async function announceWorker(
  redis: Redis,
  { id, onError }: { id: string; onError: (error: unknown) => void },
): Promise<() => Promise<void>> {
  const announce = async () => {
    await redis.zadd(KEY, Date.now(), id);
    await redis.zremrangebyscore(KEY, 0, Date.now() - ABSENT_MS);
  };
  await announce();
  const timer = setInterval(() => {
    announce().catch(onError);
  }, ANNOUNCE_MS);
  return async () => {
    clearInterval(timer);
    await redis.zrem(KEY, id).catch(onError);
  };
}

/** Whether any worker is running. */
export const hasWorker = async (redis: Redis): Promise<boolean> =>
  (await redis.zcount(KEY, Date.now() - ABSENT_MS, '+inf')) > 0;
