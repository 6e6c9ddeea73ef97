import type { Redis } from '../db/redis.ts';

interface LeadershipOptions {
  /** The name of the work. */
  name: string;
  /** This process. */
  id: string;
  /** Another process becomes leader when the leader has not asked for this long. */
  leaseMs: number;
}

/**
 * Elects one of several processes: the function returns whether this one leads, and extends its lead. Around the end of a lease two may
 * lead, so it only saves work that several may do.
 */
export const createLeadership =
  (redis: Redis, { name, id, leaseMs }: LeadershipOptions) =>
  async (): Promise<boolean> => {
    const key = `leader:${name}`;
    if (await redis.set(key, id, 'PX', leaseMs, 'NX')) return true;
    if ((await redis.get(key)) !== id) return false;
    return (await redis.pexpire(key, leaseMs)) === 1;
  };

interface LeaseOptions {
  /** The name of the work. */
  name: string;
  /** Another process may begin the work after this time, although its process has not ended it. */
  leaseMs: number;
}

/**
 * Runs `work` unless another process does. Work that takes longer than its lease may be done by two, so it only saves work that several may
 * do.
 * @returns what `work` returned, or null when another process does it
 */
export async function withLease<T>(
  redis: Redis,
  { name, leaseMs }: LeaseOptions,
  work: () => Promise<T>,
): Promise<T | null> {
  const key = `lease:${name}`;
  if (!(await redis.set(key, '', 'PX', leaseMs, 'NX'))) return null;
  try {
    return await work();
  } finally {
    await redis.unlink(key);
  }
}
