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
import { callsLeft, type ReplyCall } from './calls.ts';
import type { DepthTimes } from './depth-times.ts';
import type { Finisher } from './finish.ts';
import { STALE_MS, startHeartbeat } from './heartbeat.ts';
import { nextJobId, type ReplyJob } from './job.ts';
import { FencedError, type ReplyLog } from './log.ts';
import { type ReplyStore } from './model.ts';
import { lengthOf, storedText } from './parts.ts';
import { createPrepare, type PrepareDeps, type Prepared } from './prepare.ts';
import { MAX_PROMPT_MESSAGES } from './prompt.ts';
import { type GeneratedReply, keptParts, type ReplyEnd } from './reply-record.ts';
import { createReservation, type Refused } from './reservation.ts';
import { createTakeover } from './takeover.ts';

/** While the database is unreachable, the end of a reply is tried again for half a minute. */
const FINISH_TRIES = 15;
const FINISH_PAUSE_MS = 2_000;
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
  usage: Pick<UsageService, 'reserve' | 'settle'>;
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
    for (let tries = 1; ; tries += 1) {
      try {
        // The end drops the outbox.
        await completion.catch(() => completeSend(reply));
        const options = { from: 'streaming' as const, parentPathLength, postSteps };
        const isStored = await finisher.end(reply, end, options);
        const { panel, trial } = reply.settings;
        const isTypical = end.status === 'complete' && !panel && !trial;
        if (isStored && isTypical) deps.depthTimes.add(end.metadata?.depthReceipt);
        if (isStored && postSteps.length > 0) await deps.postSteps.enqueue(reply, postSteps);
        return;
      } catch (error) {
        // After the last try, another worker takes the reply over once the database answers again.
        if (tries === FINISH_TRIES) throw error;
        log.warn({ err: error, replyId: reply.id }, 'the end of a reply could not be stored yet');
        await deps.sleep(FINISH_PAUSE_MS);
      }
    }
  };

  const release = async ({ id, attempt, conversationId, ownerId }: GeneratedReply) => {
    const jobId = nextJobId({ id, attempt });
    if (!(await replies.requeueLost({ id, attempt, jobId, now: now() }))) return;
    const nothing = { promptTokens: 0, completionTokens: 0, release: true };
    await finisher.settleNow({ replyId: id, ownerId, attempt, ...nothing });
    await producer.add(jobId, { replyId: id, conversationId });
  };

  /** The path with the user message; a crash may have kept it from being stored. */
  const readWhole = async (started: Started): Promise<Started> => {
    const { reply, path, completion } = started;
    if (path.some(({ id }) => id === reply.parentId)) return started;
    await completion;
    return { ...started, path: await readPath(reply.conversationId, reply.id) };
  };

  const readPath = (conversationId: string, leafId: string) =>
    messages.path({ conversationId, leafId, limit: MAX_PROMPT_MESSAGES });

  /** Reserves while the heartbeat goes on: a prompt may wait for files that are being read. */
  const reserveAlive = async (
    reply: GeneratedReply,
    { prepare, controller }: { prepare: () => Promise<Prepared>; controller: AbortController },
  ) => {
    if (reply.reserved) return reply.reserved;
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
      const history = started.path.filter(({ id }) => id !== reply.id);
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
          paceMs: () => (running.size < FAST_UP_TO ? 0 : PACE_MS),
          controller,
        },
        deps,
      );
      if (outcome === 'released') await release(reply);
      else if (outcome !== 'fenced') await finish(started, outcome);
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
        const [started, path] = await Promise.all([
          replies.startAttempt(replyId, now()),
          readPath(conversationId, replyId),
        ]);
        if (started)
          return await runQueued({ reply: started, path, completion: complete(started) });
        const reply = await replies.find(replyId);
        if (reply?.status === 'streaming') await runStreaming({ reply, path });
      } catch (error) {
        if (!(error instanceof FencedError)) throw error;
      }
    },

    /** Stops a reply if it runs here; what was written stays. */
    stop: (replyId: string): void => {
      running.get(replyId)?.abort(new AttemptAbortedError('stopped'));
    },

    /** Ends everything that runs: what has published text is interrupted, the rest goes back to the queue. */
    releaseAll: (): void => {
      for (const controller of running.values())
        controller.abort(new AttemptAbortedError('draining'));
    },
  };
}

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
