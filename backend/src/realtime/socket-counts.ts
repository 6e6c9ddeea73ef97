import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Redis } from '../db/redis.ts';

/** A web process announces itself this often. */
const BEAT_MS = 5_000;
/** The counts of a process that has not announced itself for this long are ignored: it was lost. */
const LOST_MS = 15_000;
/** Counts that do not change expire: they may be those of lost processes. */
const KEPT_MS = 24 * 3600 * 1_000;
const PROCESSES = 'web-processes';

// KEYS: counts of a subject by process. ARGV: this process, maximum, expiry in ms, the other processes.
const ENTER = `
local sum = 0
for i, process in ipairs(ARGV) do
  if i ~= 2 and i ~= 3 then
    sum = sum + math.max(0, tonumber(redis.call('HGET', KEYS[1], process) or 0))
  end
end
if sum >= tonumber(ARGV[2]) then return 0 end
redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

// KEYS: as above. ARGV: this process.
const LEAVE = `
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) <= 0 then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1`;

interface WithScripts {
  enterSocket(...args: (string | number)[]): Promise<number>;
  leaveSocket(...args: (string | number)[]): Promise<number>;
}

/** Counts the sockets of users and IP addresses over all web processes. */
export interface SocketCounts {
  /**
   * Counts a socket of a subject until it closes.
   * @returns false, without counting, when the subject has `max` sockets; without Redis nothing is counted
   */
  hold: (subject: string, options: { max: number; socket: Socket }) => Promise<boolean>;
  close: () => void;
}

export function createSocketCounts(
  redis: Redis,
  { beatMs = BEAT_MS, lostMs = LOST_MS }: { beatMs?: number; lostMs?: number } = {},
): SocketCounts {
  redis.defineCommand('enterSocket', { numberOfKeys: 1, lua: ENTER });
  redis.defineCommand('leaveSocket', { numberOfKeys: 1, lua: LEAVE });
  const scripts = redis as Redis & WithScripts;
  const id = randomUUID();
  let others: string[] = [];

  const beat = async () => {
    const now = Date.now();
    await redis.zadd(PROCESSES, now, id);
    await redis.zremrangebyscore(PROCESSES, '-inf', now - lostMs);
    others = (await redis.zrange(PROCESSES, 0, '-1')).filter((one) => one !== id);
  };
  // Without Redis the last known processes count.
  let announced = beat().catch(() => undefined);
  const timer = setInterval(() => {
    announced = beat().catch(() => undefined);
  }, beatMs);

  return {
    hold: async (subject, { max, socket }) => {
      if (max === Number.POSITIVE_INFINITY) return true;
      const key = `sockets:${subject}`;
      await announced;
      const entered = await scripts
        .enterSocket(key, id, max, KEPT_MS, ...others)
        .catch(() => undefined);
      if (entered === undefined) return true;
      if (entered === 0) return false;
      const leave = () => void scripts.leaveSocket(key, id).catch(() => undefined);
      if (socket.destroyed) leave();
      else socket.once('close', leave);
      return true;
    },
    close: () => clearInterval(timer),
  };
}
