import { CHECK_BY_DEPTH, type ClaimsCheck, type ClaimsProblem } from '../../contract/claims.ts';
import type { PostStep, PostStepInput } from '../post-step.ts';
import { hasReserved } from '../usage/index.ts';
import { CHECK_LIMITS, type CheckModel } from './calls.ts';
import { checkReply } from './check.ts';
import { EXTRACT_TOKENS, MAX_CLAIMS } from './extract.ts';
import type { ClaimsFeature } from './feature.ts';
import { CLAIMS_PER_CALL, JUDGE_TOKENS } from './judge.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { sourcesOf } from './sources.ts';

export const STEP_NAME = 'claims';
/** The rest of a longer reply is not checked: to read it in one go would hold up the replies that the process streams. */
const MAX_CHECKED_LENGTH = 64_000;

/** Compares a complete reply with its sources, and charges the calls as a separate kind of usage. */
export const claimsStep = (claims: ClaimsFeature, jsonModel: CheckModel): PostStep => ({
  name: STEP_NAME,
  isNeeded: ({ settings }) => CHECK_BY_DEPTH[settings.depth] === 'automatic',
  run: async (input) => {
    const check = await chargedCheck(claims, jsonModel, input);
    if (check.problem === 'no_source' && isUnrequested(input)) return undefined;
    return { claims: { ...check, at: claims.now().toISOString() } };
  },
});

type Check = Omit<ClaimsCheck, 'at'>;

/** Whether the depth of the reply has started the check. Each later run was requested by the user, who then reads why there is none. */
const isUnrequested = ({ run, reply: { settings } }: PostStepInput): boolean =>
  run === 1 && CHECK_BY_DEPTH[settings.depth] === 'automatic';

async function chargedCheck(
  claims: ClaimsFeature,
  jsonModel: CheckModel,
  input: PostStepInput,
): Promise<Check> {
  const { ownerId, payer, conversationId, message, reply, signal } = input;
  const { usage } = claims.others;
  const sentences = sentencesOf(reply.content.slice(0, MAX_CHECKED_LENGTH));
  if (sentences.length === 0) return notChecked('no_claims');
  const place = { ownerId, conversationId, messageId: message.id, signal };
  const { isEmpty, evidenceFor } = await sourcesOf(claims, place);
  if (isEmpty) return notChecked('no_source');
  const reserved = { ...keyOf(input), ...estimateOf(sentences) };
  if (!(await hasReserved(usage, payer, reserved))) return notChecked('quota');
  const check = { replyId: reply.id, sentences, evidenceFor, jsonModel, signal };
  const checking = checkReply({ ...check, limits: CHECK_LIMITS });
  const { used, ...result } = await checking.catch(async (error: unknown) => {
    // It is made again under another reservation.
    await usage.release(payer, keyOf(input));
    throw error;
  });
  const tokens = used.promptTokens + used.completionTokens;
  if (tokens > 0) await usage.settle(payer, keyOf(input), used);
  else await usage.release(payer, keyOf(input));
  return { ...result, tokens };
}

const notChecked = (problem: ClaimsProblem): Check => ({
  state: 'not_checked',
  problem,
  claims: [],
  tokens: 0,
});

const keyOf = ({ reply: { id, attempt }, run }: PostStepInput) => ({
  replyId: id,
  attempt,
  kind: 'check' as const,
  run,
});

/** Characters per token of English. The reservation is an estimate; the charge is exact. */
const CHARACTERS_PER_TOKEN = 4;
/** The tokens of a call's instructions and of six claims with their passages. */
const RULES_TOKENS = 500;
const PASSAGES_TOKENS = 2_500;

function estimateOf(sentences: readonly Sentence[]) {
  const length = sentences.reduce((sum, { text }) => sum + text.length, 0);
  const calls = Math.ceil(Math.min(sentences.length, MAX_CLAIMS) / CLAIMS_PER_CALL) + 1;
  const promptTokens =
    RULES_TOKENS + length / CHARACTERS_PER_TOKEN + calls * (RULES_TOKENS + PASSAGES_TOKENS);
  return {
    promptTokens: Math.ceil(Math.min(promptTokens, CHECK_LIMITS.promptTokens)),
    replyTokens: Math.min(EXTRACT_TOKENS + calls * JUDGE_TOKENS, CHECK_LIMITS.completionTokens),
  };
}
