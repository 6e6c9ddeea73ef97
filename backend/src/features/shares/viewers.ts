import { MAX_SHARE_VIEWERS, SHARE_READ_SECONDS } from '../../contract/limits.ts';
import { defineScript, type Redis } from '../../db/redis.ts';

/** A page that has not read for this long is closed. */
const GONE_MS = 3 * SHARE_READ_SECONDS * 1_000;

// KEYS: the viewers of a link, by their last read. ARGV: the viewer, now and the oldest read that counts in ms, maximum, expiry in ms.
const ENTER = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1`;

/** Counts the pages that read a live link, over all web processes. */
export function createViewers(redis: Redis, now: () => Date) {
  const enter = defineScript<number>(redis, 'enterShare', { numberOfKeys: 1, lua: ENTER });
  return {
    /** @returns false, without counting, when the link has its maximum; without Redis everybody may read */
    enter: async (shareId: string, viewer: string): Promise<boolean> => {
      const at = now().getTime();
      const args = [viewer, at, at - GONE_MS, MAX_SHARE_VIEWERS, GONE_MS];
      const entered = await enter(`share-viewers:${shareId}`, ...args).catch(() => 1);
      return entered === 1;
    },
  };
}
