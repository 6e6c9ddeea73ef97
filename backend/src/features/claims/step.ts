import { CHECK_BY_DEPTH, type ClaimsCheck, type ClaimsProblem } from '../../contract/claims.ts';
import type { MessageMetadata } from '../../contract/messages.ts';
import { AppError } from '../../errors.ts';
import type { JsonModel } from '../../llm/index.ts';
import type { PostStep, PostStepInput } from '../post-step.ts';
import type { UsageService } from '../usage/index.ts';
import { CHECK_LIMITS, type CheckLimits } from './calls.ts';
import { checkReply } from './check.ts';
import { EXTRACT_TOKENS, MOST_CLAIMS } from './extract.ts';
import { CLAIMS_PER_CALL, JUDGE_TOKENS } from './judge.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { createSources, type SourcesDeps } from './sources.ts';

export const STEP_NAME = 'claims';

export interface ClaimsStepDeps extends SourcesDeps {
  jsonModel: Pick<JsonModel, 'answer' | 'model'>;
  usage: Pick<UsageService, 'reserve' | 'settle' | 'release'>;
  now: () => Date;
  limits?: CheckLimits;
}

/** Compares a complete reply with its sources, and charges the calls to usage as a kind of its own. */
export function createClaimsStep(deps: ClaimsStepDeps): PostStep {
  const { jsonModel, usage, now, limits = CHECK_LIMITS } = deps;
  const sourcesOf = createSources(deps);
  const ended = (check: Omit<ClaimsCheck, 'at'>): Partial<MessageMetadata> => ({
    claims: { ...check, at: now().toISOString() },
  });
  const notChecked = (problem: ClaimsProblem) =>
    ended({ state: 'not_checked', problem, claims: [], tokens: 0 });

  /** @returns false when the user has no quota for it */
  const reserve = async (input: PostStepInput, sentences: readonly Sentence[]) => {
    try {
      await usage.reserve(input.ownerId, { ...keyOf(input), ...estimateOf(sentences, limits) });
      return true;
    } catch (error) {
      if (error instanceof AppError && error.status === 402) return false;
      throw error;
    }
  };

  return {
    name: STEP_NAME,
    isNeeded: ({ settings }) => CHECK_BY_DEPTH[settings.depth] === 'automatic',
    run: async (input) => {
      const { ownerId, conversationId, message, reply, signal } = input;
      const sentences = sentencesOf(reply.content);
      if (sentences.length === 0) return notChecked('no_claims');
      const sources = await sourcesOf({ ownerId, conversationId, messageId: message.id, signal });
      if (sources.isEmpty) return notChecked('no_source');
      if (!(await reserve(input, sentences))) return notChecked('quota');
      const { evidenceFor } = sources;
      const check = { replyId: reply.id, sentences, evidenceFor, jsonModel, limits, signal };
      const { used, ...result } = await checkReply(check);
      const tokens = used.promptTokens + used.completionTokens;
      if (tokens > 0) await usage.settle(ownerId, keyOf(input), used);
      else await usage.release(ownerId, keyOf(input));
      return ended({ ...result, tokens });
    },
  };
}

const keyOf = ({ reply: { id, attempt }, run }: PostStepInput) => ({
  replyId: id,
  attempt,
  kind: 'check' as const,
  run,
});

/** Characters per token of English; a reservation is an estimate, and what was used is charged. */
const CHARACTERS_PER_TOKEN = 4;
/** What the instructions of a call and six claims with their passages take. */
const RULES_TOKENS = 500;
const PASSAGES_TOKENS = 2_500;

function estimateOf(sentences: readonly Sentence[], limits: CheckLimits) {
  const length = sentences.reduce((sum, { text }) => sum + text.length, 0);
  const calls = Math.ceil(Math.min(sentences.length, MOST_CLAIMS) / CLAIMS_PER_CALL) + 1;
  const promptTokens =
    RULES_TOKENS + length / CHARACTERS_PER_TOKEN + calls * (RULES_TOKENS + PASSAGES_TOKENS);
  return {
    promptTokens: Math.ceil(Math.min(promptTokens, limits.promptTokens)),
    replyTokens: Math.min(EXTRACT_TOKENS + calls * JUDGE_TOKENS, limits.completionTokens),
  };
}
