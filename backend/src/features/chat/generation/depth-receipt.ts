import type { DepthReceipt, ReplyPartType } from '../../../contract/messages.ts';
import type { Depth } from '../../../contract/reply-settings.ts';
import type { AppliedReasoning, ProviderUsage, ReasoningLevel } from '../../../llm/index.ts';

/** How much reasoning each depth asks for. */
export const LEVELS: Record<Depth, ReasoningLevel> = {
  fast: 'lowest',
  balanced: 'medium',
  deep: 'highest',
};
const DEPTH_OF: Record<ReasoningLevel, Depth> = {
  lowest: 'fast',
  medium: 'balanced',
  highest: 'deep',
};

type Times = Pick<DepthReceipt, 'firstTokenMs' | 'totalMs' | 'reasoningMs'>;

/** Measures a call. @param now milliseconds of a clock that never goes back */
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

/** What is stored of a reply's depth. */
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
  /** Figures of the provider; absent when it has none. */
  reported: ProviderUsage | undefined;
  /** The model that was asked. */
  model: string;
  /** The model that should have been asked, when it is another one. */
  requestedModel?: string | undefined;
  times: Times;
}): DepthReceipt {
  return {
    requested: depth,
    applied: applied === 'default' ? 'default' : DEPTH_OF[applied],
    model: reported?.model ?? model,
    ...(requestedModel !== undefined && { requestedModel }),
    parameter,
    ...(refused && { refused }),
    reasoningTokens: reported?.reasoningTokens ?? null,
    ...times,
  };
}
