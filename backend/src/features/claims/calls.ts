import type { ClaimsProblem } from '../../contract/claims.ts';
import {
  countPromptTokens,
  type JsonModel,
  type JsonRequest,
  ProviderError,
  type ProviderUsage,
  StructuredAnswerError,
} from '../../llm/index.ts';

/** The limits of one check. */
export const CHECK_LIMITS = {
  calls: 6,
  promptTokens: 30_000,
  completionTokens: 4_000,
  ms: 20_000,
} as const;
export type CheckLimits = Record<keyof typeof CHECK_LIMITS, number>;

/** A call was not made, or returned no answer. */
export class CallFailedError extends Error {
  override name = 'CallFailedError';
  readonly problem: Extract<ClaimsProblem, 'limit' | 'model'>;

  constructor(problem: 'limit' | 'model') {
    super(`A call of a check failed: ${problem}.`);
    this.problem = problem;
  }
}

/** The part of the model that checks use. */
export type CheckModel = Pick<JsonModel, 'answer' | 'model'>;

const NO_TOKENS = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };

/** The calls of one check, within its limits. */
export type Calls = ReturnType<typeof createCalls>;

export function createCalls(
  jsonModel: CheckModel,
  { limits, signal }: { limits: CheckLimits; signal: AbortSignal },
) {
  const timeout = AbortSignal.timeout(limits.ms);
  const either = AbortSignal.any([signal, timeout]);
  let calls = 0;
  const used: ProviderUsage = { ...NO_TOKENS, model: jsonModel.model };
  const add = (usage: ProviderUsage) => {
    used.promptTokens += usage.promptTokens;
    used.cachedTokens += usage.cachedTokens;
    used.completionTokens += usage.completionTokens;
    used.reasoningTokens += usage.reasoningTokens;
    used.model = usage.model;
  };

  return {
    /** Tokens of all calls so far. */
    used: (): ProviderUsage => ({ ...used }),

    /** @throws CallFailedError; the reason of the check's signal */
    ask: async <T>(
      request: Pick<JsonRequest<T>, 'name' | 'schema' | 'messages' | 'maxTokens'>,
    ): Promise<T> => {
      const left = limits.calls - calls;
      const promptTokens = await countPromptTokens(request.messages);
      const roomFor = limits.promptTokens - used.promptTokens;
      const tokensLeft = limits.completionTokens - used.completionTokens;
      const maxTokens = Math.min(request.maxTokens, tokensLeft);
      signal.throwIfAborted();
      if (left < 1 || promptTokens > roomFor || maxTokens < 1 || timeout.aborted)
        throw new CallFailedError('limit');
      // A second attempt sends the prompt again.
      const maxCalls =
        left > 1 && 2 * (promptTokens + maxTokens) <= roomFor && 2 * maxTokens <= tokensLeft
          ? 2
          : 1;
      try {
        const answer = await jsonModel.answer({ ...request, maxTokens, maxCalls, signal: either });
        calls += answer.calls;
        add(answer.usage);
        return answer.value;
      } catch (error) {
        signal.throwIfAborted();
        calls += maxCalls;
        if (error instanceof StructuredAnswerError) add(error.usage);
        // The prompt was sent, and the answer did not arrive in time.
        else if (timeout.aborted) add({ ...used, ...NO_TOKENS, promptTokens });
        else if (!(error instanceof ProviderError)) throw error;
        throw new CallFailedError(timeout.aborted ? 'limit' : 'model');
      }
    },
  };
}
