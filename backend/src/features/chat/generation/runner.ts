import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReplyPart } from '../../../contract/messages.ts';
import type { Depth } from '../../../contract/reply-settings.ts';
import { RunLaterError } from '../../../jobs/define-job.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import { warmUpTokens } from '../../../llm/index.ts';
import type { UsageService } from '../../usage/index.ts';
import type { CompleteSend, MessageRecord, MessageTree } from '../messages/index.ts';
import type { PostSteps } from '../post-steps/index.ts';
import { AttemptAbortedError, type AttemptDeps, streamAttempt } from './attempt.ts';
import type { DepthTimes } from './depth.ts';
import type { Finisher } from './finish.ts';
import { STALE_MS, startHeartbeat } from './heartbeat.ts';
import { nextJobId, type ReplyJob } from './job.ts';
import { ACTIVE_LOG_SECONDS, FencedError, type ReplyLog } from './log.ts';
import { type ReplyStore } from './model.ts';
import { lengthOf, storedText } from './parts.ts';
import {
  createPrepare,
  createReservation,
  isShortened,
  type PrepareDeps,
  type Prepared,
  type Refused,
} from './prepare.ts';
import { MAX_PROMPT_MESSAGES } from './prompt.ts';
import {
  callsLeft,
  type GeneratedReply,
  keptParts,
  type ReplyCall,
  type ReplyEnd,
} from './reply-record.ts';
import { createTakeover } from './takeover.ts';

/**
 * The end of a reply that cannot be stored is tried again. While the database is unreachable that goes on as long as the log of the
 * reply lives: only this worker knows that the reply is whole.
 */
const MAX_FINISH_MS = ACTIVE_LOG_SECONDS * 1_000;
const FINISH_PAUSE_MS = 2_000;
/** A worker that stops tries no more often. */
const MAX_DRAIN_ATTEMPTS = 15;
/** Deltas are this far apart when many replies stream in the process; else each goes as soon as the last one is logged. */
const PACE_MS = 40;
const FAST_UP_TO = 50;
/** A job that is delivered again while its worker is running is delayed at least this long. */
const LEAST_DELAY_MS = 500;

export interface RunnerDeps extends AttemptDeps, PrepareDeps {
  replies: ReplyStore;
  replyLog: ReplyLog;
  messages: Pick<MessageTree, 'path'>;
  completeSend: CompleteSend;
  usage: Pick<UsageService, 'reserve' | 'settle' | 'release'>;
  finisher: Finisher;
  producer: Pick<JobProducer<ReplyJob>, 'add'>;
  /** What follows each complete reply. */
  postSteps: Pick<PostSteps, 'namesFor' | 'enqueue'>;
  /** Longest reply of each depth, in tokens. */
  maxTokens: Record<Depth, number>;
  /** How long replies of each depth took. */
  depthTimes: Pick<DepthTimes, 'add'>;
  sleep: (ms: number) => Promise<void>;
}

/** A reply whose attempt has started, with the path down to it. */
interface Started {
  reply: GeneratedReply;
  path: MessageRecord[];
  /** The completion of its send, which runs beside everything else. */
  completion: Promise<unknown>;
}

/** Generates replies: runs the jobs of a worker. */
export function createRunner(deps: RunnerDeps) {
  const { replies, messages, finisher, producer, completeSend, now, log } = deps;
  const running = new Map<string, AbortController>();
  let isDraining = false;
  const reserve = createReservation(deps);
  const prepare = createPrepare(deps);
  warmUpTokens();

  /** Begins once the provider was called: after a send that nothing cut off there is nothing to complete. */
  const complete = (reply: GeneratedReply) => {
    const completion = nextTurn().then(() => completeSend(reply));
    completion.catch(() => undefined);
    return completion;
  };

  const finish = async ({ reply, path, completion }: Started, end: ReplyEnd) => {
    const parentPathLength = path.find(({ id }) => id === reply.parentId)?.pathLength;
    const { content } = storedText(end.parts);
    const { metadata } = end;
    const question = path.find(({ id }) => id === reply.parentId)?.content ?? '';
    const completed = { content, metadata, settings: reply.settings, question };
    const postSteps = end.status === 'complete' ? deps.postSteps.namesFor(completed) : [];
    const store = async () => {
      // The end drops the outbox.
      await completion.catch(() => completeSend(reply));
      return finisher.end(reply, end, { from: 'streaming', parentPathLength, postSteps });
    };
    if (!(await storeAtLast(reply.id, store))) throw lostReply();
    const { panel, trial } = reply.settings;
    const isTypical = end.status === 'complete' && !panel && !trial;
    if (isTypical) deps.depthTimes.add(end.metadata?.depthReceipt);
    if (postSteps.length > 0) await deps.postSteps.enqueue(reply, postSteps);
  };

  const storeAtLast = async (replyId: string, store: () => Promise<boolean>) => {
    const until = now().getTime() + MAX_FINISH_MS;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await store();
      } catch (error) {
        // Then another worker takes the reply over once the database answers again.
        if (isDraining ? attempts >= MAX_DRAIN_ATTEMPTS : now().getTime() >= until) throw error;
        log.warn({ err: error, replyId }, 'the end of a reply could not be stored yet');
        await deps.sleep(FINISH_PAUSE_MS);
      }
    }
  };

  const release = async ({ id, attempt, conversationId, ownerId }: GeneratedReply) => {
    const jobId = nextJobId({ id, attempt });
    if (!(await replies.requeueLost({ id, attempt, jobId, now: now() }))) throw lostReply();
    const nothing = { promptTokens: 0, completionTokens: 0, release: true };
    await finisher.settleNow({ replyId: id, ownerId, attempt, ...nothing });
    await producer.add(jobId, { replyId: id, conversationId });
  };

  /** The path with the user message; a crash may have kept it from being stored, or the path from being read. */
  const readWhole = async (started: Started): Promise<Started> => {
    const { reply, path, completion } = started;
    const isWhole = (messages: MessageRecord[]) => messages.some(({ id }) => id === reply.parentId);
    if (isWhole(path)) return started;
    await completion;
    const whole = await readPath(reply.conversationId, reply.id);
    if (!isWhole(whole)) throw lostReply();
    return { ...started, path: whole };
  };

  /** The messages that the reply is to sum up, without their files. */
  const readSummarised = async ({ ownerId, settings: { summaryOf } }: GeneratedReply) => {
    if (!summaryOf) return [];
    const { conversationId, leafId } = summaryOf;
    const path = { ownerId, conversationId, leafId, limit: MAX_PROMPT_MESSAGES };
    return (await messages.path(path)).map(({ metadata: _files, ...message }) => message);
  };

  const readPath = (conversationId: string, leafId: string) =>
    messages.path({ conversationId, leafId, limit: MAX_PROMPT_MESSAGES });

  /** Reserves while the heartbeat goes on: a prompt may wait for files that are being read. */
  const reserveAlive = async (
    reply: GeneratedReply,
    { prepare, controller }: { prepare: () => Promise<Prepared>; controller: AbortController },
  ) => {
    const { reserved } = reply;
    if (reserved && !isShortened(reply, reserved, deps.maxTokens)) return reserved;
    const parts = keptParts(reply);
    const writer = { parts, length: lengthOf(parts) };
    const abort = (why: AttemptAbortedError['why']) =>
      controller.abort(new AttemptAbortedError(why));
    const heartbeat = startHeartbeat({ reply, writer, abort, deps });
    try {
      return await reserve(reply, prepare);
    } catch (error) {
      const { reason } = controller.signal as { reason: unknown };
      if (reason instanceof AttemptAbortedError) return reason;
      throw error;
    } finally {
      heartbeat.stop();
    }
  };

  const endUnsent = async (started: Started, { why }: AttemptAbortedError) => {
    if (why === 'draining') await release(started.reply);
    if (why === 'stopped') await finish(started, { ...unused(started.reply), status: 'stopped' });
  };

  const write = async (begun: Started) => {
    const controller = new AbortController();
    running.set(begun.reply.id, controller);
    try {
      const started = await readWhole(begun);
      const { reply } = started;
      const summarised = await readSummarised(reply);
      const history = [...summarised, ...started.path.filter(({ id }) => id !== reply.id)];
      const { signal } = controller;
      const calls = callsLeft(reply);
      // The reservation and the first call have the same prompt.
      const preparing = new Map<ReplyCall, Promise<Prepared>>();
      const prepareOnce = (call: ReplyCall, parts: readonly ReplyPart[]) => {
        const prompt = preparing.get(call) ?? prepare({ reply, call, parts, history, signal });
        preparing.set(call, prompt);
        return prompt;
      };
      const prepareFirst = () => prepareOnce(calls[0] ?? {}, keptParts(reply));
      const reserved = await reserveAlive(reply, { prepare: prepareFirst, controller });
      if (reserved instanceof AttemptAbortedError) return await endUnsent(started, reserved);
      if ('refused' in reserved) return await finish(started, endOfRefused(reply, reserved));
      const outcome = await streamAttempt(
        reply,
        {
          calls,
          prepare: prepareOnce,
          maxTokens: reserved.replyTokens,
          isShortened: isShortened(reply, reserved, deps.maxTokens),
          paceMs: () => (running.size < FAST_UP_TO ? 0 : PACE_MS),
          controller,
        },
        deps,
      );
      if (outcome === 'fenced') throw lostReply();
      if (outcome === 'released') await release(reply);
      else await finish(started, outcome);
    } finally {
      if (running.get(begun.reply.id) === controller) running.delete(begun.reply.id);
    }
  };

  const takeOver = createTakeover({ ...deps, finish, write });

  const runQueued = async (started: Started) => {
    if (!started.reply.stopRequested) return write(started);
    return finish(started, { ...unused(started.reply), status: 'stopped' });
  };

  /**
   * The queue has delivered the job of a reply that streams: its worker is lost only if its heartbeat is stale too. A
   * worker that lost only its lock continues, and the job is looked at again later.
   */
  const runStreaming = async ({ reply, path }: Omit<Started, 'completion'>) => {
    const staleBefore = new Date(now().getTime() - STALE_MS);
    const lost = running.has(reply.id)
      ? null
      : await replies.takeOver(reply.id, { now: now(), staleBefore });
    if (lost) return takeOver({ reply: lost, path, completion: complete(lost) });
    const untilStale = reply.heartbeatAt.getTime() - staleBefore.getTime();
    throw new RunLaterError(Math.max(LEAST_DELAY_MS, untilStale));
  };

  return {
    /**
     * Runs one job. Nothing happens when the reply has ended or a later attempt has it.
     * @throws RunLaterError while another attempt is alive
     */
    run: async ({ replyId, conversationId }: ReplyJob): Promise<void> => {
      try {
        const reading = readPath(conversationId, replyId);
        reading.catch(() => undefined);
        const started = await replies.startAttempt(replyId, now());
        if (started) {
          // An attempt that has started goes on: it reads the path again.
          const path = await reading.catch(() => []);
          return await runQueued({ reply: started, path, completion: complete(started) });
        }
        const reply = await replies.find(replyId);
        if (reply?.status === 'streaming') await runStreaming({ reply, path: await reading });
      } catch (error) {
        if (!(error instanceof FencedError)) throw error;
        log.warn({ replyId }, 'an attempt has lost its reply');
        // A reply may have been removed just before its attempt began the log.
        if (!(await replies.find(replyId))) await deps.replyLog.remove([replyId]);
      }
    },

    /** Stops a reply if it runs here; what was written stays. */
    stop: (replyId: string): void => {
      running.get(replyId)?.abort(new AttemptAbortedError('stopped'));
    },

    /** Ends everything that runs: what has published text is interrupted, the rest goes back to the queue. */
    releaseAll: (): void => {
      isDraining = true;
      for (const controller of running.values())
        controller.abort(new AttemptAbortedError('draining'));
    },
  };
}

const lostReply = () => new FencedError('A later attempt has this reply, or it was removed.');

/** Of an attempt that has not called the provider. */
const unused = (reply: GeneratedReply) => ({
  parts: keptParts(reply),
  charge: { attempt: reply.attempt, promptTokens: 0, completionTokens: 0, release: true },
});

const endOfRefused = (reply: GeneratedReply, { refused, code }: Refused): ReplyEnd => ({
  ...unused(reply),
  status: 'failed',
  error: { code, message: `This reply was interrupted. ${refused}` },
});
