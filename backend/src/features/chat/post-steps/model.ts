import type { MessageMetadata } from '../../../contract/messages.ts';
import { type Change, createTaskStore, type TaskShape } from '../../../jobs/durable-model.ts';
import {
  type MessageDocument,
  type MessageModel,
  metadataFields,
  type ReplyRecord,
  repliesIn,
  toReply,
} from '../messages/index.ts';
import { pendingSteps, type StepKey } from './job.ts';

/** The reply of a step. */
export interface StepReply {
  reply: ReplyRecord;
  /** The number of runs of each step by name, requested repetitions included. */
  runs: Record<string, number>;
}

/** The pending post-steps of replies. They are stored in the update that completes the reply. */
export type StepStore = ReturnType<typeof createStepStore>;

/** Few messages have pending steps, so this index is searched instead of all messages of a user. */
const PENDING = { 'postSteps.sweepAt': { $gt: new Date(0) } };
const PENDING_INDEX = { 'postSteps.sweepAt': 1 } as const;

const taskShape: TaskShape<StepKey, MessageDocument, StepReply> = {
  path: 'postSteps',
  names: { attempt: 'tries', dueAt: 'sweepAt' },
  key: ({ replyId, conversationId, attempt }) => ({
    _id: replyId,
    conversationId,
    attempt,
    status: 'complete',
  }),
  element: ({ step }) => ({ name: step }),
  pending: {},
  keyFields: { conversationId: 1, attempt: 1 },
  keysOf: ({ _id, conversationId, attempt, postSteps }) =>
    (postSteps ?? []).map(({ name }) => ({
      replyId: String(_id),
      conversationId: String(conversationId),
      attempt: attempt ?? 0,
      step: name ?? '',
    })),
  toDoc: (doc) => ({
    reply: toReply(doc),
    runs: (doc.stepRuns ?? {}) as Record<string, number>,
  }),
};

export const createStepStore = (model: MessageModel) => ({
  tasks: createTaskStore(model, taskShape),

  /**
   * Makes a step of a complete reply pending, unless it is pending.
   * @returns the current reply
   */
  request: (
    { replyId, conversationId, attempt, step }: StepKey,
    { metadata, now }: { metadata: Partial<MessageMetadata>; now: Date },
  ): Promise<ReplyRecord | null> =>
    repliesIn(model).update(
      {
        _id: replyId,
        conversationId,
        attempt,
        status: 'complete',
        'postSteps.name': { $ne: step },
      },
      {
        $push: { postSteps: { $each: pendingSteps([step], now) } },
        $pull: { failedSteps: step },
        $set: metadataFields(metadata),
      },
    ),

  /** Drops the pending steps of a user's replies that are not running. */
  dropWaiting: async (ownerId: string): Promise<void> => {
    await model.updateMany(
      { ownerId, ...PENDING },
      { $pull: { postSteps: { heartbeatAt: { $exists: false } } } },
      { hint: PENDING_INDEX },
    );
  },

  /** Whether a step of the user's replies runs with a heartbeat after `since`. */
  isAnyRunning: async (ownerId: string, since: Date): Promise<boolean> =>
    (await model
      .exists({ ownerId, ...PENDING, 'postSteps.heartbeatAt': { $gt: since } })
      .hint(PENDING_INDEX)) !== null,
});

/** Changes of the reply when a run starts, and when the step has ended or was given up. */
export const countedRun = ({ step }: StepKey): Change => ({ $inc: { [`stepRuns.${step}`]: 1 } });
export const withMetadata = (metadata: Partial<MessageMetadata> = {}): Change => {
  const fields = metadataFields(metadata);
  return Object.keys(fields).length > 0 ? { $set: fields } : {};
};
export const withFailedStep = ({ step }: StepKey): Change => ({
  $addToSet: { failedSteps: step },
});
