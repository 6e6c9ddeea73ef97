import type { DepthReceipt } from '../../../contract/messages.ts';
import { DEPTHS, type Depth } from '../../../contract/reply-settings.ts';
import type { Redis } from '../../../db/redis.ts';
import type { Log } from '../../../log.ts';

/** The last replies that count. */
const KEPT = 50;

const keyOf = (depth: Depth) => `depth-times:${depth}`;

/** How long the last replies of each depth took, in all conversations. Losing them loses nothing but the figures. */
export type DepthTimes = ReturnType<typeof createDepthTimes>;

export const createDepthTimes = (redis: Redis, log: Log) => ({
  /** Counts a complete reply, without being waited for. */
  add: (receipt: DepthReceipt | undefined): void => {
    if (!receipt) return;
    const key = keyOf(receipt.requested);
    redis
      .multi()
      .lpush(key, receipt.totalMs)
      .ltrim(key, 0, KEPT - 1)
      .exec()
      .catch((error: unknown) => log.warn({ err: error }, 'the time of a reply is not counted'));
  },

  /** The median of each depth in milliseconds; null before its first reply. */
  medians: async (): Promise<Record<Depth, number | null>> => {
    const lists = await Promise.all(DEPTHS.map((depth) => redis.lrange(keyOf(depth), 0, -1)));
    const [fast = null, balanced = null, deep = null] = lists.map((list) =>
      medianOf(list.map(Number)),
    );
    return { fast, balanced, deep };
  },
});

/** The middle one, or the mean of the two in the middle; null of none. */
function medianOf(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? null : Math.round((upper + lower) / 2);
}
