import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReplyPart } from '../../../contract/messages.ts';
import { RunLaterError } from '../../../jobs/define-job.ts';
import { MIN_DELAY_MS } from '../../../jobs/durable.ts';
import {
  deltasFrom,
  joinDeltas,
  lengthOf,
  type MessageRecord,
  partsOf,
} from '../messages/index.ts';
import {
  AttemptAbortedError,
  abortWith,
  endOfLost,
  MAX_CONTINUATIONS,
  streamAttempt,
} from './attempt.ts';
import type { ReplyWorker } from './feature.ts';
import {
  finishAttempt,
  lostReply,
  releaseAttempt,
  type Started,
  settleNow,
  unused,
} from './finish.ts';
import { STALE_MS, startHeartbeat } from './heartbeat.ts';
import { FencedError } from './log.ts';
import {
  isShortened,
  type Prepared,
  preparePrompt,
  type Refused,
  reserveAttempt,
} from './prepare.ts';
import { MAX_PROMPT_MESSAGES, maxBytesOf } from './prompt.ts';
import type { ReplyJob } from './reply-queues.ts';
import {
  callsLeft,
  type GeneratedReply,
  keptParts,
  type ReplyCall,
  type ReplyEnd,
} from './reply-record.ts';

/** The interval of a reply's deltas while more replies than this stream in the process; below, each follows once the last one is logged. */
const PACES = [
  { above: 150, ms: 100 },
  { above: 49, ms: 40 },
];
/** The number of lost workers after which the reply is given up. */
const MAX_TAKEOVERS = 2;

/**
 * Runs one job. Nothing happens when the reply has ended or a later attempt has it.
 * @throws RunLaterError while another attempt is running
 */
export async function runReply(
  worker: ReplyWorker,
  { replyId, conversationId }: ReplyJob,
): Promise<void> {
  const { replies, replyLog, now, log } = worker;
  const key = { id: replyId, conversationId };
  try {
    const reading = readPath(worker, { conversationId, leafId: replyId });
    reading.catch(() => undefined);
    const started = await replies.startAttempt(key, now());
    if (started) {
      // A started attempt continues: it reads the path again.
      const path = await reading.catch(() => []);
      const completion = completeSendOf(worker, started, path);
      return await runQueued(worker, { reply: started, path, completion });
    }
    const reply = await replies.find(key);
    if (reply?.status === 'streaming') await runStreaming(worker, { reply, path: await reading });
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
    log.warn({ replyId }, 'attempt lost its reply');
    // A reply may have been removed just before its attempt began the log.
    if (!(await replies.find(key))) await replyLog.remove([key]);
  }
}

/**
 * Stops a reply if it runs here and its stop is stored; its text stays. The event may be late: the stop has then ended an earlier attempt.
 */
export async function stopHere(
  { running, replies }: Pick<ReplyWorker, 'running' | 'replies'>,
  replyId: string,
): Promise<void> {
  const controller = running.get(replyId);
  if (!controller) return;
  // When this fails, the next checkpoint sees the request.
  const reply = await replies.findById(replyId).catch(() => null);
  if (reply?.stopRequested) abortWith(controller)('stopped');
}

/** Ends all running attempts: the replies return to the queue, and other workers continue their text. */
export function releaseAll(worker: ReplyWorker): void {
  worker.isDraining = true;
  for (const controller of worker.running.values()) abortWith(controller)('draining');
}

async function runQueued(worker: ReplyWorker, started: Started) {
  if (!started.reply.stopRequested) return write(worker, started);
  return finishAttempt(worker, started, { ...unused(started.reply), status: 'stopped' });
}

/**
 * The queue has redelivered the job of a streaming reply: its worker is lost only if its heartbeat has expired too. A worker that lost only
 * its lock continues, and the job is delayed.
 */
async function runStreaming(worker: ReplyWorker, { reply, path }: Omit<Started, 'completion'>) {
  const { running, replies, now } = worker;
  const staleBefore = new Date(now().getTime() - STALE_MS);
  const lost = running.has(reply.id)
    ? null
    : await replies.takeOver(reply, { now: now(), staleBefore });
  if (lost)
    return takeOver(worker, { reply: lost, path, completion: completeSendOf(worker, lost, path) });
  const untilStale = reply.heartbeatAt.getTime() - staleBefore.getTime();
  throw new RunLaterError(Math.max(MIN_DELAY_MS, untilStale));
}

/**
 * Handles a reply whose worker was lost, under a new attempt: a reply without published text is restarted, one with published text is
 * continued once. After the next loss it ends as interrupted.
 */
export async function takeOver(worker: ReplyWorker, lost: Started): Promise<void> {
  const { replyLog } = worker;
  const { id: replyId, conversationId, ownerId, attempt, keptLength } = lost.reply;
  const writer = { replyId, conversationId, ownerId, attempt };
  await replyLog.fence(writer);
  const reply = { ...lost.reply, parts: await publishedParts(worker, lost.reply) };
  const isGivenUp = reply.takeovers >= MAX_TAKEOVERS || reply.stopRequested;
  if (!isGivenUp && lengthOf(reply.parts) <= keptLength) return restart(worker, { ...lost, reply });
  if (!isGivenUp && reply.takeovers <= MAX_CONTINUATIONS)
    return continueText(worker, { ...lost, reply });
  const deltas = deltasFrom(reply.parts, 0);
  if (deltas.length > 0) await replyLog.append(writer, { seq: 1, deltas });
  return finishAttempt(worker, { ...lost, reply }, await endOfLost(reply));
}

/** The published text. Only the lost attempt counts; it is fenced off, so its text does not grow. */
async function publishedParts({ replyLog }: ReplyWorker, reply: GeneratedReply) {
  const stored = partsOf(reply);
  const lost = reply.attempt - reply.lostAttempts;
  const deltas = await replyLog.read(reply, lost, Math.max(0, lengthOf(stored) - 1));
  return joinDeltas(stored, deltas);
}

async function restart(worker: ReplyWorker, lost: Started) {
  const { usage } = worker.others;
  const { reserved: _ofLost, sent, ...reply } = lost.reply;
  const { id: replyId, payer, attempt, lostAttempts } = reply;
  const key = { replyId, attempt: attempt - lostAttempts };
  if (sent) await usage.settle(payer, key, { ...sent, completionTokens: 0 });
  else await usage.release(payer, key);
  await write(worker, { ...lost, reply });
}

/** Continues the published text of a lost attempt. */
async function continueText(worker: ReplyWorker, lost: Started) {
  const { id, conversationId, attempt, payer } = lost.reply;
  const { parts, charge } = await endOfLost(lost.reply);
  const reply = await worker.replies.continueLost({
    id,
    conversationId,
    attempt,
    parts,
    charge,
    now: worker.now(),
  });
  if (!reply) throw lostReply();
  await settleNow(worker, { ...charge, replyId: id, conversationId, payer });
  await write(worker, { ...lost, reply });
}

async function write(worker: ReplyWorker, begun: Started) {
  const { running } = worker;
  const controller = new AbortController();
  running.set(begun.reply.id, controller);
  try {
    const started = await readWhole(worker, begun);
    const { reply } = started;
    const prepare = await createPreparing(worker, started, controller.signal);
    const calls = callsLeft(reply);
    const prepareFirst = () => prepare(calls[0] ?? {}, keptParts(reply));
    const reserved = await reserveAlive(worker, reply, { prepare: prepareFirst, controller });
    if (reserved instanceof AttemptAbortedError) return await endUnsent(worker, started, reserved);
    if ('refused' in reserved)
      return await finishAttempt(worker, started, endOfRefused(reply, reserved));
    const outcome = await streamAttempt(worker, reply, {
      calls,
      prepare,
      maxTokens: reserved.replyTokens,
      isShortened: isShortened(worker, reply, reserved),
      paceMs: () => paceOf(running.size),
      controller,
    });
    if (outcome === 'fenced') throw lostReply();
    if ('released' in outcome) await releaseAttempt(worker, reply, outcome.released);
    else await finishAttempt(worker, started, outcome);
  } finally {
    if (running.get(begun.reply.id) === controller) running.delete(begun.reply.id);
  }
}

/** Milliseconds between two deltas of a reply while the process writes this many. */
export const paceOf = (streams: number): number =>
  PACES.find(({ above }) => streams > above)?.ms ?? 0;

/** Prepares each call once: the reservation and the first call have the same prompt. */
async function createPreparing(
  worker: ReplyWorker,
  { reply, path }: Started,
  signal: AbortSignal,
): Promise<(call: ReplyCall, parts: readonly ReplyPart[]) => Promise<Prepared>> {
  const summarised = await readSummarised(worker, reply);
  const history = [...summarised, ...path.filter(({ id }) => id !== reply.id)];
  const preparing = new Map<ReplyCall, Promise<Prepared>>();
  const { jsonModel } = worker;
  const { payer, attempt, settings } = reply;
  const isFast = settings.depth === 'fast';
  const rephrasing = isFast ? undefined : { jsonModel, payer, attempt };
  const input = { reply, history, rephrasing, signal };
  return (call, parts) => {
    const prompt = preparing.get(call) ?? preparePrompt(worker, { ...input, call, parts });
    preparing.set(call, prompt);
    return prompt;
  };
}

/** Reserves while the heartbeat continues, because a prompt may wait for files that are being read. */
async function reserveAlive(
  worker: ReplyWorker,
  reply: GeneratedReply,
  { prepare, controller }: { prepare: () => Promise<Prepared>; controller: AbortController },
) {
  const { reserved } = reply;
  if (reserved && !isShortened(worker, reply, reserved)) return reserved;
  const parts = keptParts(reply);
  const writer = { parts, length: lengthOf(parts) };
  const heartbeat = startHeartbeat(worker, { reply, writer, abort: abortWith(controller) });
  try {
    return await reserveAttempt(worker, reply, prepare);
  } catch (error) {
    const { reason } = controller.signal as { reason: unknown };
    if (reason instanceof AttemptAbortedError) return reason;
    throw error;
  } finally {
    heartbeat.stop();
  }
}

async function endUnsent(worker: ReplyWorker, started: Started, { why }: AttemptAbortedError) {
  const { reply } = started;
  if (why === 'draining') await releaseAttempt(worker, reply, unused(reply));
  if (why === 'stopped')
    await finishAttempt(worker, started, { ...unused(reply), status: 'stopped' });
}

/** Begins after the call of the provider: a send that was not interrupted needs no completion. */
function completeSendOf(
  { completeSend }: ReplyWorker,
  reply: GeneratedReply,
  path: readonly MessageRecord[],
) {
  const completion = nextTurn().then(() => completeSend(reply, path));
  completion.catch(() => undefined);
  return completion;
}

/** The path with the user message, which a crash may have kept from being stored or read. */
async function readWhole(worker: ReplyWorker, started: Started): Promise<Started> {
  const { reply, path, completion } = started;
  const isWhole = (messages: MessageRecord[]) => messages.some(({ id }) => id === reply.parentId);
  if (isWhole(path)) return started;
  await completion;
  const whole = await readPath(worker, {
    conversationId: reply.conversationId,
    leafId: reply.id,
  });
  if (!isWhole(whole)) throw lostReply();
  return { ...started, path: whole };
}

/** The messages to sum up, without their files. */
async function readSummarised(
  worker: ReplyWorker,
  { ownerId, settings: { summaryOf } }: GeneratedReply,
): Promise<MessageRecord[]> {
  if (!summaryOf) return [];
  const { conversationId, leafId } = summaryOf;
  const path = await readPath(worker, { ownerId, conversationId, leafId });
  return path.map(({ metadata: _files, ...message }) => message);
}

const readPath = (
  { messages, limits }: ReplyWorker,
  end: { conversationId: string; leafId: string; ownerId?: string },
) =>
  messages.pathOfPrompt({
    ...end,
    limit: MAX_PROMPT_MESSAGES,
    maxBytes: maxBytesOf(limits.contextTokens),
  });

const endOfRefused = (reply: GeneratedReply, { refused, code }: Refused): ReplyEnd => ({
  ...unused(reply),
  status: 'failed',
  error: { code, message: `This reply was interrupted. ${refused}` },
});
