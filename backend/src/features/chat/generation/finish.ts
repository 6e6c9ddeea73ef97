import { lengthOf, type MessageRecord, type ReplyRecord, storedText } from '../messages/index.ts';
import type { GenerationFeature, ReplyWorker } from './feature.ts';
import { stateOf } from './live-text.ts';
import { ACTIVE_LOG_SECONDS, FencedError } from './log.ts';
import { nextJobId } from './queue.ts';
import { type GeneratedReply, keptParts, type OpenCharge, type ReplyEnd } from './reply-record.ts';

const SETTLE_BATCH = 100;
/**
 * The end of a reply that cannot be stored is retried. While the database is unreachable, retries continue until the reply log expires:
 * only this worker has the whole text.
 */
const MAX_FINISH_MS = ACTIVE_LOG_SECONDS * 1_000;
const FINISH_PAUSE_MS = 2_000;
/** The maximum number of attempts while the worker shuts down. */
const MAX_DRAIN_ATTEMPTS = 15;

/** A reply whose attempt has started, with the path down to it. */
export interface Started {
  reply: GeneratedReply;
  path: MessageRecord[];
  /** The completion of its send, which runs in parallel. */
  completion: Promise<unknown>;
}

interface EndOptions {
  /** The current state of the reply. */
  from: 'queued' | 'streaming';
  /** `pathLength` of the parent message, if known. */
  parentPathLength?: number | undefined;
  /** Names of the following post-steps. */
  postSteps?: readonly string[];
}

/**
 * Ends an attempt of a reply: stores the text, settles usage, publishes the state. No other order is safe against loss.
 * @returns false when a later attempt has the reply: then nothing is stored, charged or published
 */
export async function endReply(
  generation: Pick<GenerationFeature, 'replies' | 'replyLog' | 'others' | 'now' | 'log'>,
  reply: ReplyRecord,
  { end, from, parentPathLength, postSteps }: EndOptions & { end: ReplyEnd },
): Promise<boolean> {
  const { replies, replyLog, now, log } = generation;
  const { id, conversationId, attempt, ownerId, payer } = reply;
  const { content } = storedText(end.parts);
  const pathLength =
    parentPathLength === undefined ? undefined : parentPathLength + Buffer.byteLength(content);
  const stored = { id, conversationId, attempt, from, end, pathLength, postSteps, now: now() };
  if (!(await replies.finish(stored))) return false;
  await settleNow(generation, { ...end.charge, replyId: id, conversationId, payer });
  await replyLog
    .end(ownerId, stateOfEnded(reply, end))
    .catch((error: unknown) => log.warn({ err: error, replyId: id }, 'end of reply not published'));
  return true;
}

function stateOfEnded(
  reply: ReplyRecord,
  { status, error, ending, metadata: added, parts }: ReplyEnd,
) {
  const metadata = { ...reply.metadata, ...added };
  const known = Object.keys(metadata).length > 0 ? { metadata } : {};
  const state = stateOf({ ...reply, ...known, status }, lengthOf(parts));
  const { error: _error, ending: _ending, ...rest } = state;
  return { ...rest, ...(error && { error }), ...(ending && { ending }) };
}

/** Settles a charge; after a failure the sweep settles it. */
export const settleNow = (
  generation: Pick<GenerationFeature, 'replies' | 'others' | 'log'>,
  charge: OpenCharge,
): Promise<void> =>
  settle(generation, charge).catch((error: unknown) =>
    generation.log.warn({ err: error, replyId: charge.replyId }, 'usage will be settled later'),
  );

/** Settles charges of workers that were lost between the end of the reply and the usage ledger. A failure does not stop the others. */
export async function settleLate(
  generation: Pick<GenerationFeature, 'replies' | 'others' | 'log'>,
  before: Date,
): Promise<void> {
  for (const charge of await generation.replies.openCharges({ before, limit: SETTLE_BATCH }))
    await settleNow(generation, charge);
}

async function settle(
  { replies, others: { usage } }: Pick<GenerationFeature, 'replies' | 'others'>,
  { payer, replyId, conversationId, attempt, release, ...used }: OpenCharge,
) {
  if (release) await usage.release(payer, { replyId, attempt });
  else await usage.settle(payer, { replyId, attempt }, used);
  await replies.markSettled({ id: replyId, conversationId, attempt });
}

/**
 * Ends an attempt of this worker, with the following post-steps. Waits while the database is unreachable.
 * @throws FencedError when a later attempt has the reply
 */
export async function finishAttempt(
  worker: ReplyWorker,
  { reply, path, completion }: Started,
  end: ReplyEnd,
): Promise<void> {
  const message = path.find(({ id }) => id === reply.parentId);
  const isComplete = end.status === 'complete';
  const { settings } = reply;
  const completed = {
    content: storedText(end.parts).content,
    metadata: { ...reply.metadata, ...end.metadata },
    settings,
    question: message?.content ?? '',
  };
  const postSteps = isComplete ? worker.postSteps.namesFor(completed) : [];
  const options = { end, from: 'streaming' as const, postSteps };
  const store = async () => {
    // The end removes the outbox entry.
    await completion.catch(() => worker.completeSend(reply));
    return endReply(worker, reply, { ...options, parentPathLength: message?.pathLength });
  };
  if (!(await storeAtLast(worker, reply.id, store))) throw lostReply();
  const isTypical = isComplete && !settings.panel && !settings.trial;
  if (isTypical) worker.depthTimes.add(end.metadata?.depthReceipt);
  if (postSteps.length > 0) await worker.postSteps.enqueue(reply, postSteps);
}

async function storeAtLast(worker: ReplyWorker, replyId: string, store: () => Promise<boolean>) {
  const { now, log, sleep } = worker;
  const until = now().getTime() + MAX_FINISH_MS;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await store();
    } catch (error) {
      // Another worker takes the reply over once the database answers again.
      const isLast = worker.isDraining ? attempts >= MAX_DRAIN_ATTEMPTS : now().getTime() >= until;
      if (isLast) throw error;
      log.warn({ err: error, replyId }, 'end of reply not stored yet');
      await sleep(FINISH_PAUSE_MS);
    }
  }
}

/**
 * Returns an attempt that a stopping worker cannot finish to the queue; another worker continues its text, if it has any.
 * @throws FencedError when a later attempt has the reply
 */
export async function releaseAttempt(
  worker: ReplyWorker,
  reply: GeneratedReply,
  { parts, charge }: Pick<ReplyEnd, 'parts' | 'charge'>,
) {
  const { id, attempt, conversationId, payer, keptLength } = reply;
  const jobId = nextJobId(worker, { id, conversationId, attempt });
  const isLost = lengthOf(parts) > keptLength;
  const left = { id, conversationId, attempt, jobId, parts, charge, isLost, now: worker.now() };
  if (!(await worker.replies.requeue(left))) throw lostReply();
  await settleNow(worker, { ...charge, replyId: id, conversationId, payer });
  const { producer } = worker.replyQueues.ofJob(jobId);
  await producer.add(jobId, { replyId: id, conversationId });
}

export const lostReply = () =>
  new FencedError('A later attempt has this reply, or it was removed.');

/** The end of an attempt that has not called the provider. */
export const unused = (reply: GeneratedReply) => ({
  parts: keptParts(reply),
  charge: { attempt: reply.attempt, promptTokens: 0, completionTokens: 0, release: true },
});
