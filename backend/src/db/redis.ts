import { Redis, type RedisOptions } from 'ioredis';

export type { Redis } from 'ioredis';

const reconnect = (times: number) => Math.min(50 * 2 ** Math.min(times, 5), 1_000);

/** How a server answers that has become a replica. A new connection reaches the primary. */
const DEMOTED = /^(READONLY|UNBLOCKED)\b/;
const isDemoted = ({ message }: Error) => DEMOTED.test(message);

/**
 * For users' requests: without Redis they fail within 3 s and never queue up. A connection that does not answer is closed
 * (`socketTimeout`), which fails every command that waits for it; until Redis answers on a new one, commands fail at once. Otherwise each
 * command to a hung Redis would take the whole timeout and stay in memory.
 */
const failFast = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 3_000,
  commandTimeout: 3_000,
  socketTimeout: 2_500,
  retryStrategy: reconnect,
  reconnectOnError: isDemoted,
} satisfies RedisOptions;

/** For consumers (BullMQ workers, subscribers), which wait until Redis answers. 2: the command is sent again on the new connection. */
const retrying = {
  maxRetriesPerRequest: null,
  retryStrategy: reconnect,
  reconnectOnError: (error) => isDemoted(error) && 2,
} satisfies RedisOptions;

/**
 * Connects to Redis and resolves when it answers. While Redis is unreachable, `retry` 'never' fails commands at once
 * and 'always' keeps them until it is reachable again.
 */
export async function connectRedis(
  url: string,
  { retry, onError }: { retry: 'never' | 'always'; onError: (error: Error) => void },
): Promise<Redis> {
  const redis = new Redis(url, {
    ...(retry === 'never' ? failFast : retrying),
    lazyConnect: true,
  });
  // Without a listener ioredis prints every failed reconnect; callers log the relevant ones.
  redis.on('error', onError);
  await redis.connect();
  return redis;
}
