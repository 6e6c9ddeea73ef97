import type { Redis } from '../db/redis.ts';

interface LeadershipOptions {
  /** What is led. */
  name: string;
  /** This process. */
  id: string;
  /** Another process leads when the leader has not asked for so long. */
  leaseMs: number;
}

/**
 * Elects one of several processes: the function answers whether this one leads, and keeps it in the lead. Around the end
 * of a lease two may be told so, so it only spares work that more than one may do.
 */
export const createLeadership =
  (redis: Redis, { name, id, leaseMs }: LeadershipOptions) =>
  async (): Promise<boolean> => {
    const key = `leader:${name}`;
    if (await redis.set(key, id, 'PX', leaseMs, 'NX')) return true;
    if ((await redis.get(key)) !== id) return false;
    return (await redis.pexpire(key, leaseMs)) === 1;
  };
