import { audienceOf } from '../../../access/index.ts';
import type { MessageMetadata } from '../../../contract/messages.ts';
import { durable, type TaskQueue } from '../../../jobs/durable.ts';
import type { Log } from '../../../log.ts';
import type { Bus } from '../../../realtime/bus.ts';
import type { ReplySettings } from '../../context.ts';
import type { PostStep } from '../../post-step.ts';
import { type MessageTree, presentReply, type ReplyRecord } from '../messages/index.ts';
import type { StepKey } from './job.ts';
import {
  countedRun,
  type StepReply,
  type StepStore,
  withFailedStep,
  withMetadata,
} from './model.ts';

/** A run that takes longer fails. */
export const RUN_LIMIT_MS = 60_000;
/** Retries follow after 10 s, 30 s, 90 s and 270 s. */
const RETRIES = 4;
/** Runs that may lose their worker: the step may be what crashes it, and with it every reply that it streams. */
const MAX_LOST = 2;
const FIRST_RETRY_MS = 10_000;
const RETRY_FACTOR = 3;

export interface PostStepsDeps {
  /** The steps of all features. */
  postSteps: readonly PostStep[];
  steps: StepStore;
  messages: Pick<MessageTree, 'find' | 'children'>;
  stepQueue: TaskQueue<StepKey>;
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
  const { postSteps, steps, messages, stepQueue, bus, now, log } = deps;
  const { runLimitMs = RUN_LIMIT_MS } = deps;
  const byName = new Map(postSteps.map((step) => [step.name, step]));
  if (byName.size < postSteps.length) throw new Error('Two post-steps have the same name.');

  const runStep = async (key: StepKey, { reply, runs }: StepReply, ended: AbortSignal) => {
    const step = byName.get(key.step);
    if (!step) throw new Error('No feature of this worker has the post-step.');
    const { id, attempt, content, parentId, conversationId, ownerId, settings, metadata } = reply;
    const message = await messages.find(parentId, { conversationId, ownerId });
    if (!message) throw new Error('The user message of the reply is not stored.');
    const signal = AbortSignal.any([ended, AbortSignal.timeout(runLimitMs)]);
    const running = step.run({
      conversationId,
      ownerId,
      run: runs[key.step] ?? 1,
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

  const { run, releaseAll } = durable<StepKey, StepReply>({
    tasks: steps.tasks,
    queue: stepQueue,
    retries: RETRIES,
    retryMs: (failures) => FIRST_RETRY_MS * RETRY_FACTOR ** (failures - 1),
    maxLost: MAX_LOST,
    starting: countedRun,
    givenUp: (_error, key) => withFailedStep(key),
    onEnd: async ({ reply }, { $set }) => {
      if ($set) await publish(reply);
    },
    run: async ({ key, doc, signal }) => ({ end: withMetadata(await runStep(key, doc, signal)) }),
    now,
    log,
  });

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
      await Promise.all(names.map((step) => stepQueue.enqueue({ replyId, attempt, step })));
    },

    run,
    releaseAll,
  };
}

const rejectOnAbort = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const rejectNow = () => reject(signal.reason as Error);
    if (signal.aborted) rejectNow();
    else signal.addEventListener('abort', rejectNow, { once: true });
  });
