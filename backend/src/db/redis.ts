import { Redis, type RedisOptions } from 'ioredis';

export type { Redis } from 'ioredis';

const reconnect = (times: number) => Math.min(50 * 2 ** Math.min(times, 5), 1_000);

/** For requests of people: without Redis they fail within 3 s, they never queue up. */
const failFast = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 3_000,
  commandTimeout: 3_000,
  retryStrategy: reconnect,
} satisfies RedisOptions;

/** For consumers (BullMQ workers, subscribers): they wait for Redis as long as it takes. */
const patient = { maxRetriesPerRequest: null, retryStrategy: reconnect } satisfies RedisOptions;

/**
 * Connects to Redis and resolves when it answers. `patience` 'none' fails commands at once while Redis is away,
 * 'endless' keeps them until it is back.
 */
export async function connectRedis(
  url: string,
  { patience, onError }: { patience: 'none' | 'endless'; onError: (error: Error) => void },
): Promise<Redis> {
  const redis = new Redis(url, {
    ...(patience === 'none' ? failFast : patient),
    lazyConnect: true,
  });
  // Without a listener ioredis prints every failed reconnect; callers log what matters to them.
  redis.on('error', onError);
  await redis.connect();
  return redis;
}
