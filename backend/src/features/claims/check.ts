import type { ClaimSource, ClaimsProblem, ClaimsState, ReplyClaim } from '../../contract/claims.ts';
import type { EvidenceText } from '../files/index.ts';
import {
  CallFailedError,
  type Calls,
  type CheckLimits,
  type CheckModel,
  createCalls,
} from './calls.ts';
import {
  claimsOf,
  EXTRACT_TOKENS,
  type ExtractedClaim,
  Extraction,
  extractPrompt,
} from './extract.ts';
import { confirm, type Decision, decide, type Judgement, type SourcePassage } from './gates.ts';
import { CLAIMS_PER_CALL, JUDGE_TOKENS, judgementsOf, judgePrompt, Verdicts } from './judge.ts';
import type { Sentence } from './sentences.ts';

export interface CheckInput {
  replyId: string;
  sentences: readonly Sentence[];
  /** The passages to compare each statement with, best first. */
  evidenceFor: (statements: string[]) => Promise<EvidenceText[][]>;
  jsonModel: CheckModel;
  limits: CheckLimits;
  signal: AbortSignal;
}

export interface CheckResult {
  state: Exclude<ClaimsState, 'checking'>;
  problem?: ClaimsProblem;
  claims: ReplyClaim[];
  used: ReturnType<Calls['used']>;
}

/** The claims of one call, with their passages. */
interface Batch {
  claims: ExtractedClaim[];
  passages: SourcePassage[];
}

/**
 * Compares the statements of a reply with its sources: one call extracts the claims, others judge six claims each, and code limits each
 * judgement.
 * @throws the reason of the signal
 */
export async function checkReply(input: CheckInput): Promise<CheckResult> {
  const calls = createCalls(input.jsonModel, input);
  let problem: ClaimsProblem | undefined;
  /** A failed call does not end the check: the result has the claims found so far, and the problem. */
  const orNote = async <T>(work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof CallFailedError)) throw error;
      problem ??= error.problem;
      return undefined;
    }
  };

  const extracted = await orNote(extract(input, calls));
  if (!extracted)
    return { state: 'not_checked', ...(problem && { problem }), claims: [], used: calls.used() };
  const checkable = extracted.filter(({ isCheckable }) => isCheckable);
  const decisions = new Map<string, Decision>();
  const pending: Batch[] = [];
  for (const batch of await batchesOf(checkable, input)) {
    const judged = await orNote(judge(batch, { input, calls }));
    if (!judged) continue;
    for (const { id, text } of batch.claims)
      decisions.set(id, await decide(text, judged.get(id), batch.passages));
    const contradicted = batch.claims.filter(({ id }) => decisions.get(id)?.isPending);
    if (contradicted.length > 0) pending.push({ ...batch, claims: contradicted });
  }
  for (const batch of joined(pending)) {
    const again = await orNote(judge(batch, { input, calls, isSecond: true }));
    for (const { id } of batch.claims) {
      const first = decisions.get(id);
      if (first) decisions.set(id, await confirm(first, again?.get(id), batch.passages));
    }
  }
  const claims = extracted.flatMap((claim) => presentClaim(claim, decisions.get(claim.id)));
  const isNothing = checkable.length > 0 && decisions.size === 0;
  return {
    state: isNothing ? 'not_checked' : problem ? 'partial' : 'checked',
    ...(problem ? { problem } : claims.length === 0 && { problem: 'no_claims' as const }),
    claims,
    used: calls.used(),
  };
}

async function extract({ sentences }: CheckInput, calls: Calls): Promise<ExtractedClaim[]> {
  const answer = await calls.ask({
    name: 'claim_extraction',
    schema: Extraction,
    messages: extractPrompt(sentences),
    maxTokens: EXTRACT_TOKENS,
  });
  return claimsOf(answer, sentences);
}

interface Judging {
  input: CheckInput;
  calls: Calls;
  isSecond?: boolean;
}

async function judge(
  { claims, passages }: Batch,
  { input: { replyId }, calls, isSecond = false }: Judging,
): Promise<Map<string, Judgement>> {
  // Without passages every claim is unsupported, and no call is needed.
  if (passages.length === 0) return new Map();
  const answer = await calls.ask({
    name: 'claim_verdicts',
    schema: Verdicts,
    messages: judgePrompt({ claims, passages, replyId, isSecond }),
    maxTokens: JUDGE_TOKENS,
  });
  return judgementsOf(answer);
}

/** Six claims each, with the passages of all of them. */
async function batchesOf(
  claims: readonly ExtractedClaim[],
  { evidenceFor }: CheckInput,
): Promise<Batch[]> {
  if (claims.length === 0) return [];
  const evidence = await evidenceFor(claims.map(({ text }) => text));
  const batches: Batch[] = [];
  for (let at = 0; at < claims.length; at += CLAIMS_PER_CALL)
    batches.push({
      claims: claims.slice(at, at + CLAIMS_PER_CALL),
      passages: passagesOf(evidence.slice(at, at + CLAIMS_PER_CALL).flat()),
    });
  return batches;
}

const placeOf = ({ origin, page, start }: EvidenceText): string =>
  JSON.stringify([origin, page, start]);

function passagesOf(texts: readonly EvidenceText[]): SourcePassage[] {
  const distinct = new Map(texts.map((text) => [placeOf(text), text]));
  return [...distinct.values()].map((text, at) => ({
    id: `p${at + 1}`,
    label: labelOf(text),
    text: text.text,
    source: sourceOf(text),
  }));
}

const labelOf = ({ origin, page, pageLabel }: EvidenceText): string =>
  origin.kind === 'file'
    ? `"${origin.fileName}", page ${page}${pageLabel === undefined ? '' : ` (printed ${pageLabel})`}`
    : 'a message of the user';

function sourceOf({ origin, page, pageLabel, start, end }: EvidenceText): ClaimSource {
  if (origin.kind === 'note') return { kind: 'message', messageId: origin.id, start, end };
  const { fileId, fileName } = origin;
  const printed = pageLabel !== undefined && { pageLabel };
  return { kind: 'file', fileId, fileName, page, ...printed, start, end };
}

/** Joins contradictions of several batches into one second call when they are six claims or fewer. */
function joined(batches: readonly Batch[]): Batch[] {
  const all = batches.flatMap(({ claims }) => claims);
  if (batches.length < 2 || all.length > CLAIMS_PER_CALL) return [...batches];
  const passages = new Map(
    batches.flatMap((batch) => batch.passages).map((one) => [JSON.stringify(one.source), one]),
  );
  return [
    {
      claims: all,
      passages: [...passages.values()].map((one, at) => ({ ...one, id: `p${at + 1}` })),
    },
  ];
}

/** A claim that a limit left uncompared is not shown. */
function presentClaim(
  { id, sentence: { start, end }, text, isCheckable }: ExtractedClaim,
  decision: Decision | undefined,
): ReplyClaim[] {
  const claim = { id, start, end, text };
  if (!isCheckable)
    return [{ ...claim, verdict: 'not_checkable', reason: 'not_a_fact', evidence: [] }];
  if (!decision) return [];
  const { verdict, reason, evidence } = decision;
  return [{ ...claim, verdict, ...(reason && { reason }), evidence }];
}
