import type { DepthReceipt, ReplyPartType } from '../../../contract/messages.ts';
import { DEPTHS, type Depth } from '../../../contract/reply-settings.ts';
import type { Redis } from '../../../db/redis.ts';
import type { AppliedReasoning, ProviderUsage, ReasoningLevel } from '../../../llm/index.ts';
import type { Log } from '../../../log.ts';

/** The reasoning level of each depth. */
export const LEVELS: Record<Depth, ReasoningLevel> = {
  fast: 'lowest',
  balanced: 'medium',
  deep: 'highest',
};

type Times = Pick<DepthReceipt, 'firstTokenMs' | 'totalMs' | 'reasoningMs'>;

/**
 * Measures a call.
 * @param now milliseconds of a monotonic clock
 */
export function createTiming(now: () => number) {
  let startedAt = now();
  let firstAt: number | undefined;
  let reasoningAt: number | undefined;
  let answerAt: number | undefined;
  return {
    start: (): void => {
      startedAt = now();
    },
    delta: (part: ReplyPartType): void => {
      firstAt ??= now();
      if (part === 'reasoning') reasoningAt ??= now();
      else answerAt ??= now();
    },
    end: (): Times => {
      const endedAt = now();
      const reasoned = reasoningAt !== undefined && (answerAt ?? endedAt) - reasoningAt;
      return {
        firstTokenMs: firstAt === undefined ? null : Math.round(firstAt - startedAt),
        totalMs: Math.round(endedAt - startedAt),
        ...(reasoned !== false && reasoned >= 0 && { reasoningMs: Math.round(reasoned) }),
      };
    },
  };
}

/** The stored receipt of a reply's depth. */
export function depthReceiptOf({
  depth,
  applied: { applied, parameter, refused },
  reported,
  model,
  requestedModel,
  times,
}: {
  depth: Depth;
  applied: AppliedReasoning;
  /** The provider's figures, if any. */
  reported: ProviderUsage | undefined;
  /** The model that was called. */
  model: string;
  /** The requested model, when it differs. */
  requestedModel?: string | undefined;
  times: Times;
}): DepthReceipt {
  return {
    requested: depth,
    applied: DEPTHS.find((one) => LEVELS[one] === applied) ?? 'default',
    model: reported?.model ?? model,
    ...(requestedModel !== undefined && { requestedModel }),
    parameter,
    ...(refused && { refused }),
    reasoningTokens: reported?.reasoningTokens ?? null,
    ...times,
  };
}

/** Number of recent replies that are counted. */
const KEPT = 50;

const keyOf = (depth: Depth) => `depth-times:${depth}`;

/** The durations of the last replies of each depth, in all conversations. Losing them loses only the figures. */
export const createDepthTimes = (redis: Redis, log: Log) => ({
  /** Counts a complete reply, in the background. */
  add: (receipt: DepthReceipt | undefined): void => {
    if (!receipt) return;
    const key = keyOf(receipt.requested);
    redis
      .multi()
      .lpush(key, receipt.totalMs)
      .ltrim(key, 0, KEPT - 1)
      .exec()
      .catch((error: unknown) => log.warn({ err: error }, 'duration of reply not counted'));
  },

  /** The median duration of each depth in milliseconds; null before its first reply. */
  medians: async (): Promise<Record<Depth, number | null>> => {
    const lists = await Promise.all(DEPTHS.map((depth) => redis.lrange(keyOf(depth), 0, -1)));
    const [fast = null, balanced = null, deep = null] = lists.map((list) =>
      medianOf(list.map(Number)),
    );
    return { fast, balanced, deep };
  },
});

/** The middle value, or the mean of the two middle values; null for none. */
function medianOf(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? null : Math.round((upper + lower) / 2);
}
