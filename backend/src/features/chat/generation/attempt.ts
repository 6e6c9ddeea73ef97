import type { ReplyError } from '../../../contract/errors.ts';
import type { MessageMetadata, ReplyPart } from '../../../contract/messages.ts';
import { countTokens, ProviderError } from '../../../llm/index.ts';
import type { Log } from '../../../log.ts';
import { withoutSourceLinks } from '../../files/index.ts';
import { deltasFrom, lengthOf, storedText } from '../messages/index.ts';
import {
  type CallEnd,
  EmptyAnswerError,
  LengthLimitError,
  QuotaCutError,
  type SentPrompt,
  streamCall,
  sumMetadata,
  sumUsage,
} from './call.ts';
import type { ReplyWorker } from './feature.ts';
import { unused } from './finish.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { Prepared } from './prepare.ts';
import { type GeneratedReply, keptParts, type ReplyCall, type ReplyEnd } from './reply-record.ts';
import { DeltaWriter } from './writer.ts';

/** How often another worker continues the text of a lost one by itself; after that the reply ends as interrupted. */
export const MAX_CONTINUATIONS = 1;

/** Why an attempt was ended from outside; the reason of its AbortSignal. */
export class AttemptAbortedError extends Error {
  override name = 'AttemptAbortedError';
  constructor(readonly why: 'stopped' | 'fenced' | 'draining') {
    super(`The attempt was ${why}.`);
  }
}

/** A callback that aborts `controller`. */
export const abortWith =
  (controller: AbortController) =>
  (why: AttemptAbortedError['why']): void =>
    controller.abort(new AttemptAbortedError(why));

type Attempting = Pick<ReplyWorker, 'heartbeats' | 'replyLog' | 'bus' | 'provider' | 'now' | 'log'>;

interface AttemptInput {
  calls: readonly ReplyCall[];
  /** Builds the prompt of a call from the text so far, while the attempt begins in the reply log. */
  prepare: (call: ReplyCall, parts: readonly ReplyPart[]) => Promise<Prepared>;
  /** Maximum length of the reply, in tokens; the calls of a panel share it. */
  maxTokens: number;
  /** Whether the remaining quota allows less than the depth. */
  isShortened: boolean;
  /** Milliseconds between two deltas. */
  paceMs: () => number;
  /** Aborts the attempt with an AttemptAbortedError as reason. */
  controller: AbortController;
}

/**
 * The outcome of an attempt. `fenced`: a later attempt has the reply. `released`: the reply is to be queued again, and the next attempt
 * continues the text of this one.
 */
type Outcome = ReplyEnd | 'fenced' | { released: Pick<ReplyEnd, 'parts' | 'charge'> };

const INTERRUPTED: ReplyError = {
  code: 'interrupted',
  message: 'This reply was interrupted. The text so far is kept.',
};
const EMPTY: ReplyError = {
  code: 'provider_bad_response',
  message: 'The model sent an empty reply. Try again.',
};
const QUOTA_CUT: ReplyError = {
  code: 'quota_exceeded',
  message: 'This reply was cut off: it has used the tokens that were left.',
};
const INTERNAL: ReplyError = {
  code: 'internal',
  message: 'Something went wrong while this reply was written. Try again.',
};

/** Streams the calls of a reply into its log, with checkpoints, until it ends or `controller` aborts it. */
export async function streamAttempt(
  worker: Attempting,
  reply: GeneratedReply,
  input: AttemptInput,
): Promise<Outcome> {
  const abort = abortWith(input.controller);
  const { id: replyId, conversationId, ownerId, attempt } = reply;
  const writer = new DeltaWriter({
    writer: { replyId, conversationId, ownerId, attempt },
    kept: keptParts(reply),
    log: worker.replyLog,
    paceMs: input.paceMs,
    confirm: () => heartbeat.confirm(),
    onFenced: () => abort('fenced'),
  });
  const sent: SentPrompt[] = [];
  const sentTokens = async () =>
    sent.length === 0 ? undefined : sumOf(await Promise.all(sent.map((count) => count())));
  const heartbeat = startHeartbeat(worker, {
    reply,
    writer,
    abort,
    sentTokens,
    // For tabs that do not show the conversation and missed that the reply began.
    onBeat: () => void worker.bus.publish(ownerId, 'reply:state', writer.state()),
  });
  const ends: CallEnd[] = [];
  let failure: unknown;
  try {
    writer.start();
    failure = await streamCalls(worker, reply, { ...input, writer, sent, ends });
  } catch (error) {
    failure = error;
  }
  await writer.close();
  heartbeat.stop();
  const { parts } = writer;
  const ended = {
    parts,
    charge: { attempt, ...(await sumUsage(ends)) },
    metadata: continued(reply.metadata, await sumMetadata(ends)),
    // The members of a panel are recorded in its parts.
    persona: reply.settings.panel ? undefined : ends.at(-1)?.given?.persona,
  };
  const hasText = writer.length > reply.keptLength;
  return outcome({ failure, ended, hasText, reply, log: worker.log });
}

/** The memories that earlier attempts saved stay in the receipt of the attempt that continues them. */
function continued(
  { memoryReceipt: former }: MessageMetadata = {},
  added: Partial<MessageMetadata>,
): Partial<MessageMetadata> {
  if (!former || !added.memoryReceipt) return added;
  const { written, refused, isUndone } = former;
  const saved = { written, refused, ...(isUndone !== undefined && { isUndone }) };
  return { ...added, memoryReceipt: { ...added.memoryReceipt, ...saved } };
}

/**
 * Streams one call after the other, until one fails.
 * @returns the failure of the last one
 */
async function streamCalls(
  { provider }: Pick<ReplyWorker, 'provider'>,
  reply: GeneratedReply,
  {
    calls,
    prepare,
    maxTokens,
    isShortened,
    controller,
    writer,
    sent,
    ends,
  }: AttemptInput & { writer: DeltaWriter; sent: SentPrompt[]; ends: CallEnd[] },
): Promise<unknown> {
  for (const [at, call] of calls.entries()) {
    // A synthesis needs text to sum up.
    if (call.panel && !call.member && writer.length === 0) break;
    const end = await streamCall({
      reply,
      call,
      prepare: () => prepare(call, writer.parts),
      maxTokens: Math.floor(maxTokens / calls.length),
      isShortened,
      isFollowed: at < calls.length - 1,
      writer,
      signal: controller.signal,
      provider,
      onSent: (prompt) => sent.push(prompt),
    });
    ends.push(end);
    if (end.failure !== undefined) return end.failure;
  }
  return undefined;
}

interface Ended {
  failure: unknown;
  ended: Pick<ReplyEnd, 'parts' | 'charge' | 'metadata' | 'persona'>;
  hasText: boolean;
  reply: GeneratedReply;
  log: Log;
}

function outcome({ failure, ended, hasText, reply, log }: Ended): Outcome {
  const isAtLimit = failure instanceof LengthLimitError;
  const isDone = failure === undefined || isAtLimit;
  // A reply that is continued may have had its whole text before: then the model adds nothing.
  const isEmpty = isDone && storedText(ended.parts).content === '';
  if (isEmpty || failure instanceof EmptyAnswerError)
    return { ...ended, status: 'failed', error: EMPTY };
  if (isDone) return { ...ended, status: 'complete', ...(isAtLimit && { ending: 'length' }) };
  if (failure instanceof QuotaCutError)
    return { ...ended, status: hasText ? 'interrupted' : 'failed', error: QUOTA_CUT };
  if (failure instanceof AttemptAbortedError) {
    if (failure.why === 'fenced') return 'fenced';
    if (failure.why === 'stopped') return { ...ended, status: 'stopped' };
    if (!hasText) return { released: unused(reply) };
    return reply.takeovers < MAX_CONTINUATIONS
      ? { released: ended }
      : { ...ended, status: 'interrupted', error: INTERRUPTED };
  }
  if (failure instanceof ProviderError) {
    const { code, message, cause, shownCause } = failure;
    log.warn({ code, cause }, 'model provider failed');
    const error = { code, message, ...(shownCause !== undefined && { cause: shownCause }) };
    return { ...ended, status: 'failed', error };
  }
  log.error({ err: failure }, 'attempt failed');
  return { ...ended, status: 'failed', error: INTERNAL };
}

const sumOf = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0);

/**
 * The end of a reply whose worker was lost, with the published text. The charge of the lost attempt covers the tokens it is known to have
 * sent and the text it wrote.
 */
export async function endOfLost(reply: GeneratedReply): Promise<ReplyEnd> {
  const { parts = [], keptLength, stopRequested, sent } = reply;
  const written = deltasFrom(parts, keptLength).map(({ delta }) => delta);
  const charge = {
    attempt: reply.attempt - reply.lostAttempts,
    promptTokens: sent?.promptTokens ?? 0,
    completionTokens: await countTokens(withoutSourceLinks(written.join(''))),
    ...(!sent && written.length === 0 && { release: true }),
  };
  if (stopRequested) return { status: 'stopped', parts, charge };
  if (lengthOf(parts) > 0) return { status: 'interrupted', parts, charge, error: INTERRUPTED };
  const message = 'This reply failed several times before its first word. Try again.';
  return { status: 'failed', parts, charge, error: { code: 'worker_crashed', message } };
}
