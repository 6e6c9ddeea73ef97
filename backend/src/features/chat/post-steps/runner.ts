import type { MessageMetadata } from '../../../contract/messages.ts';
import { durable } from '../../../jobs/durable.ts';
import type { ReplySettings } from '../../context.ts';
import type { PostStep } from '../../post-step.ts';
import { type MessageRecord, publishReply, type ReplyRecord } from '../messages/index.ts';
import type { StepsFeature } from './feature.ts';
import type { StepKey } from './job.ts';
import { countedRun, type StepReply, withFailedStep, withMetadata } from './model.ts';

/** A longer run fails. */
export const RUN_LIMIT_MS = 60_000;
/** Retries follow after 10 s, 30 s, 90 s and 270 s. */
const RETRIES = 4;
/** The number of runs that may lose their worker: the step may crash it, and with it every reply that it streams. */
const MAX_LOST = 2;
const FIRST_RETRY_MS = 10_000;
const RETRY_FACTOR = 3;

export type PostSteps = ReturnType<typeof createPostSteps>;

interface StepInput {
  key: StepKey;
  doc: StepReply;
  /** Aborted when the attempt has lost its task, or the worker stops. */
  signal: AbortSignal;
  runLimitMs: number;
}

/**
 * @param postSteps the post-steps of all features
 * @throws Error when two steps have the same name
 */
export function createPostSteps(
  feature: StepsFeature,
  { postSteps, runLimitMs = RUN_LIMIT_MS }: { postSteps: readonly PostStep[]; runLimitMs?: number },
) {
  const byName = new Map(postSteps.map((step) => [step.name, step]));
  if (byName.size < postSteps.length) throw new Error('Two post-steps have the same name.');

  const { run, releaseAll } = durable<StepKey, StepReply>({
    ...feature,
    tasks: feature.steps.tasks,
    queue: feature.stepQueue,
    retries: RETRIES,
    retryMs: (failures) => FIRST_RETRY_MS * RETRY_FACTOR ** (failures - 1),
    maxLost: MAX_LOST,
    starting: countedRun,
    givenUp: (_error, key) => withFailedStep(key),
    onEnd: async ({ reply }, { $set }) => {
      if ($set) await publishReply(feature, reply);
    },
    run: async ({ key, doc, signal }) => {
      const input = { key, doc, signal, runLimitMs };
      return { end: withMetadata(await runStep(feature, byName.get(key.step), input)) };
    },
  });

  return {
    /** The names of the steps of a reply that completes. */
    namesFor: (reply: {
      content: string;
      metadata?: Partial<MessageMetadata> | undefined;
      settings: ReplySettings;
      question?: string;
    }) => postSteps.filter(({ isNeeded }) => isNeeded?.(reply) ?? true).map(({ name }) => name),

    /** Enqueues these steps of a complete reply; after a failure the sweeper enqueues them. */
    enqueue: async (
      {
        id: replyId,
        conversationId,
        attempt,
      }: Pick<ReplyRecord, 'id' | 'conversationId' | 'attempt'>,
      names: readonly string[],
    ): Promise<void> => {
      await Promise.all(
        names.map((step) => feature.stepQueue.enqueue({ replyId, conversationId, attempt, step })),
      );
    },

    run,
    releaseAll,
  };
}

async function runStep(
  { messages }: Pick<StepsFeature, 'messages'>,
  step: PostStep | undefined,
  { key, doc: { reply, runs }, signal: ended, runLimitMs }: StepInput,
) {
  if (!step) throw new Error('No feature of this worker has the post-step.');
  const { id, attempt, content, parentId, conversationId, ownerId, payer, settings, metadata } =
    reply;
  const message = await messages.find(parentId, { conversationId, ownerId });
  if (!message) throw new Error('The user message of the reply is not stored.');
  const signal = AbortSignal.any([ended, AbortSignal.timeout(runLimitMs)]);
  const running = step.run({
    conversationId,
    ownerId,
    payer,
    run: runs[key.step] ?? 1,
    message: {
      id: message.id,
      content: message.content,
      createdAt: message.createdAt,
      ...(isTypedBy(ownerId, message) && { isTypedByOwner: true as const }),
      ...(message.metadata && { metadata: message.metadata }),
    },
    reply: { id, attempt, content, settings, ...(metadata && { metadata }) },
    signal,
  });
  return Promise.race([running, rejectOnAbort(signal)]);
}

/** Every sent message has the id of its send; imported and copied ones have none. */
const isTypedBy = (
  userId: string,
  { authorId, clientMessageId }: Pick<MessageRecord, 'authorId' | 'clientMessageId'>,
): boolean => authorId === userId && clientMessageId !== undefined;

const rejectOnAbort = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const rejectNow = () => reject(signal.reason as Error);
    if (signal.aborted) rejectNow();
    else signal.addEventListener('abort', rejectNow, { once: true });
  });
