import { audienceOf } from '../../../access/index.ts';
import type { MessageMetadata } from '../../../contract/messages.ts';
import { RunLaterError } from '../../../jobs/define-job.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import type { Log } from '../../../log.ts';
import type { Bus } from '../../../realtime/bus.ts';
import type { ReplySettings } from '../../context.ts';
import type { PostStep } from '../../post-step.ts';
import { type MessageTree, presentReply, type ReplyRecord } from '../messages/index.ts';
import { type StepKey, SWEEP_AFTER_MS, stepJobId } from './job.ts';
import type { StepRun, StepStore } from './model.ts';

/** A run that takes longer fails. */
export const RUN_LIMIT_MS = 60_000;
/** Retries follow after 10 s, 30 s, 90 s and 270 s. */
const MAX_TRIES = 5;
/** Runs that may lose their worker: the step may be what crashes it, and with it every reply that it streams. */
const MAX_LOST = 2;
const FIRST_RETRY_MS = 10_000;
const RETRY_FACTOR = 3;

export interface PostStepsDeps {
  /** The steps of all features. */
  postSteps: readonly PostStep[];
  steps: StepStore;
  messages: Pick<MessageTree, 'find' | 'children'>;
  stepProducer: Pick<JobProducer<StepKey>, 'add'>;
  bus: Pick<Bus, 'publish'>;
  now: () => Date;
  log: Log;
  /** Milliseconds that a run may take. */
  runLimitMs?: number;
}

/** Enqueues and runs post-steps. */
export type PostSteps = ReturnType<typeof createPostSteps>;

/** @throws Error when two steps have the same name */
export function createPostSteps(deps: PostStepsDeps) {
  const { postSteps, steps, messages, stepProducer, bus, now, log } = deps;
  const { runLimitMs = RUN_LIMIT_MS } = deps;
  const byName = new Map(postSteps.map((step) => [step.name, step]));
  if (byName.size < postSteps.length) throw new Error('Two post-steps have the same name.');
  const stopping = new AbortController();

  const after = (ms: number) => new Date(now().getTime() + ms);

  const runStep = async (key: StepKey, { reply, run }: { reply: ReplyRecord; run: number }) => {
    const step = byName.get(key.step);
    if (!step) throw new Error('No feature of this worker has the post-step.');
    const { id, attempt, content, parentId, conversationId, ownerId, settings, metadata } = reply;
    const message = await messages.find(parentId, { conversationId, ownerId });
    if (!message) throw new Error('The user message of the reply is not stored.');
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(runLimitMs)]);
    const running = step.run({
      conversationId,
      ownerId,
      run,
      message: {
        id: message.id,
        content: message.content,
        createdAt: message.createdAt,
        ...(message.metadata && { metadata: message.metadata }),
      },
      reply: { id, attempt, content, settings, ...(metadata && { metadata }) },
      signal,
    });
    return Promise.race([running, rejectOnAbort(signal)]);
  };

  const publish = async (reply: ReplyRecord) => {
    const { conversationId, ownerId, parentId, depth } = reply;
    const siblings = await messages.children({ conversationId, ownerId }, { parentId, depth });
    const message = presentReply(
      reply,
      siblings.map(({ id }) => id),
    );
    for (const userId of audienceOf(reply)) await bus.publish(userId, 'message:updated', message);
  };

  const giveUp = async (run: StepRun, error: unknown) => {
    if (await steps.giveUp(run)) log.error({ err: error, ...run }, 'a post-step was given up');
  };

  const fail = async (run: StepRun, error: unknown) => {
    const { tries } = run;
    const fields = { err: error, ...run };
    if (tries >= MAX_TRIES) return giveUp(run, error);
    const delayMs = FIRST_RETRY_MS * RETRY_FACTOR ** (tries - 1);
    if (!(await steps.retryLater(run, after(delayMs + SWEEP_AFTER_MS)))) return;
    log.warn(fields, 'a post-step failed and is tried again');
    throw new RunLaterError(delayMs);
  };

  return {
    /** The names of the steps that a reply gets when it completes. */
    namesFor: (reply: {
      content: string;
      metadata?: Partial<MessageMetadata> | undefined;
      settings: ReplySettings;
      question?: string;
    }) => postSteps.filter(({ isNeeded }) => isNeeded?.(reply) ?? true).map(({ name }) => name),

    /** Enqueues these steps of a reply that has completed; the sweeper enqueues what fails here. */
    enqueue: async (
      { id: replyId, attempt }: { id: string; attempt: number },
      names: readonly string[],
    ): Promise<void> => {
      const keys = names.map((step) => ({ replyId, attempt, step }));
      await Promise.all(keys.map((key) => stepProducer.add(stepJobId(key), key))).catch(
        (error: unknown) => log.warn({ err: error, replyId }, 'post-steps are enqueued later'),
      );
    },

    /**
     * Runs one job. Nothing happens when the step is not pending any more.
     * @throws RunLaterError when the step has failed and is tried again
     */
    run: async (key: StepKey): Promise<void> => {
      const sweepAt = after(runLimitMs + SWEEP_AFTER_MS);
      const started = await steps.start(key, { now: now(), sweepAt });
      if (!started) return;
      const { tries, lost } = started;
      if (lost >= MAX_LOST)
        return giveUp({ ...key, tries }, new Error(`${lost} runs of the step lost their worker.`));
      let metadata: Partial<MessageMetadata> | undefined;
      try {
        metadata = await runStep(key, started);
      } catch (error) {
        return fail({ ...key, tries }, error);
      }
      const ended = await steps.end(key, metadata);
      if (ended && metadata) await publish(ended);
    },

    /** Ends every run; the steps are tried again by other workers. */
    releaseAll: (): void => stopping.abort(new Error('The worker stops.')),
  };
}

const rejectOnAbort = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const rejectNow = () => reject(signal.reason as Error);
    if (signal.aborted) rejectNow();
    else signal.addEventListener('abort', rejectNow, { once: true });
  });
