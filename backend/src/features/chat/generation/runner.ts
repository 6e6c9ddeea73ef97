import type { JobProducer } from '../../../jobs/producer.ts';
import type { CompleteSend, MessageTree, ReplyRecord } from '../messages/index.ts';
import { AttemptAborted, type AttemptDeps, lostWorker, streamAttempt } from './attempt.ts';
import { type Finisher, stateOf } from './finish.ts';
import { nextJobId, type ReplyJob } from './job.ts';
import { FencedError } from './log.ts';
import type { ReplyEnd } from './model.ts';
import { buildPrompt } from './prompt.ts';
import { joinPieces } from './text.ts';

/** Attempts that may lose their worker before the reply is given up. */
const MAX_TAKEOVERS = 2;
/** While the database is away, the end of a reply is tried again for half a minute. */
const FINISH_TRIES = 15;
const FINISH_PAUSE_MS = 2_000;

export interface RunnerDeps extends AttemptDeps {
  messages: MessageTree;
  completeSend: CompleteSend;
  finisher: Finisher;
  producer: JobProducer<ReplyJob>;
  budgetTokens: number;
  sleep: (ms: number) => Promise<void>;
}

/** Makes replies: what a worker does with its jobs. */
export function createRunner(deps: RunnerDeps) {
  const { replies, messages, completeSend, replyLog, finisher, now, log } = deps;
  const running = new Map<string, AbortController>();

  /** The text people have seen of a reply whose worker was lost; read after the fence, so it grows no more. */
  const shownText = async (reply: ReplyRecord) => {
    for (let attempt = reply.attempt - 1; attempt > 0; attempt -= 1) {
      const pieces = await replyLog.read(reply.id, attempt);
      if (pieces.length > 0) return joinPieces(reply.content, pieces);
    }
    return reply.content;
  };

  const finish = async (reply: ReplyRecord, end: ReplyEnd) => {
    for (let tries = 1; ; tries += 1) {
      try {
        await finisher.end(reply, end);
        return;
      } catch (error) {
        // Given up here, the sweeper ends the reply as interrupted once the database is back.
        if (tries === FINISH_TRIES) throw error;
        log.warn({ err: error, replyId: reply.id }, 'the end of a reply could not be stored yet');
        await deps.sleep(FINISH_PAUSE_MS);
      }
    }
  };

  const release = async ({ id, attempt }: ReplyRecord) => {
    const jobId = nextJobId({ id, attempt });
    if (await replies.release({ id, attempt, jobId, now: now() }))
      await deps.producer.add(jobId, { replyId: id });
  };

  const write = async (reply: ReplyRecord) => {
    const controller = new AbortController();
    running.set(reply.id, controller);
    try {
      if (reply.keepText && reply.content !== '') await showAgain(reply, reply.content);
      await replyLog.announce(stateOf(reply, reply.content.length), reply.ownerId);
      const prompt = await buildPrompt(reply, { messages, budgetTokens: deps.budgetTokens });
      const outcome = await streamAttempt(reply, { prompt, controller }, deps);
      if (outcome === 'released') await release(reply);
      else if (outcome !== 'fenced') await finish(reply, outcome);
    } finally {
      if (running.get(reply.id) === controller) running.delete(reply.id);
    }
  };

  const begin = async (reply: ReplyRecord) => {
    await replyLog.begin(reply.id, reply.attempt);
    if (reply.stopRequested) await finish(reply, lostWorker(reply));
    else await write(reply);
  };

  const resume = async (reply: ReplyRecord) => {
    await replyLog.begin(reply.id, reply.attempt);
    const content = await shownText(reply);
    const givenUp = reply.takeovers >= MAX_TAKEOVERS;
    if (content === '' && !givenUp && !reply.stopRequested) return write(reply);
    if (content !== '') await showAgain(reply, content);
    return finish(reply, lostWorker({ content, stopRequested: reply.stopRequested }));
  };

  const showAgain = ({ id, conversationId, attempt, ownerId }: ReplyRecord, delta: string) =>
    replyLog.append(
      { replyId: id, conversationId, attempt, offset: 0, delta },
      { ownerId, seq: 1 },
    );

  return {
    /** Runs one job. Nothing happens when the reply has ended or was taken by somebody else meanwhile. */
    run: async ({ replyId }: ReplyJob): Promise<void> => {
      try {
        const found = await replies.find(replyId);
        if (found) await completeSend(found);
        const claimed = await replies.claim(replyId, now());
        if (claimed) return await begin(claimed);
        const lost = await replies.takeOver(replyId, now());
        if (lost) await resume(lost);
      } catch (error) {
        if (!(error instanceof FencedError)) throw error;
      }
    },

    /** Stops a reply if it runs here; what was written stays. */
    stop: (replyId: string): void => {
      running.get(replyId)?.abort(new AttemptAborted('stopped'));
    },

    /** Ends everything in hand: what has shown text is interrupted, the rest goes back to the queue. */
    handOver: (): void => {
      for (const controller of running.values()) controller.abort(new AttemptAborted('draining'));
    },
  };
}
