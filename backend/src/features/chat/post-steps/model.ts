import type { MessageMetadata } from '../../../contract/messages.ts';
import {
  type MessageDocument,
  type MessageModel,
  type ReplyRecord,
  toReply,
} from '../messages/index.ts';
import { pendingSteps, type StepKey } from './job.ts';

/** One run of a step. `tries` is its fencing token: a run that another one has followed changes nothing by failing. */
export interface StepRun extends StepKey {
  tries: number;
}

/**
 * The pending post-steps of replies. They are stored in the update that completes the reply; every change is one update
 * that expects the step to be pending, and `null` or `false` means that it is not any more.
 */
export type StepStore = ReturnType<typeof createStepStore>;

const pending = ({ replyId, attempt, step }: StepKey, condition: object = {}) => ({
  _id: replyId,
  attempt,
  status: 'complete',
  postSteps: { $elemMatch: { name: step, ...condition } },
});

const fieldsOf = (metadata: Partial<MessageMetadata>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value]));

export const createStepStore = (model: MessageModel) => ({
  ...runStore(model),
  ...sweepStore(model),
  ...removalStore(model),
});

/** What runs of steps change. */
function runStore(model: MessageModel) {
  return {
    /**
     * Counts a try; the one before is lost when it has not ended. @returns the reply, the number of the try and of those lost, and that of the run: of all
     * tries of the step, also when it was asked for again
     */
    start: async (
      key: StepKey,
      { now, sweepAt }: { now: Date; sweepAt: Date },
    ): Promise<{ reply: ReplyRecord; tries: number; lost: number; run: number } | null> => {
      const begin = (isRunning: boolean) =>
        model
          .findOneAndUpdate(
            pending(key, { startedAt: { $exists: isRunning } }),
            {
              $inc: {
                'postSteps.$.tries': 1,
                [`stepRuns.${key.step}`]: 1,
                ...(isRunning && { 'postSteps.$.lost': 1 }),
              },
              $set: { 'postSteps.$.startedAt': now, 'postSteps.$.sweepAt': sweepAt },
            },
            { returnDocument: 'after' },
          )
          .lean<MessageDocument>();
      const doc = (await begin(false)) ?? (await begin(true));
      const { tries = 0, lost = 0 } = doc?.postSteps?.find(({ name }) => name === key.step) ?? {};
      if (!doc) return null;
      const { [key.step]: run = 1 } = (doc.stepRuns ?? {}) as Record<string, number>;
      return { reply: toReply(doc), tries: tries ?? 0, lost: lost ?? 0, run };
    },

    /** Makes a step of a complete reply pending, unless it is. @returns the reply as it is then */
    request: async (
      { replyId, attempt, step }: StepKey,
      { metadata, now }: { metadata: Partial<MessageMetadata>; now: Date },
    ): Promise<ReplyRecord | null> => {
      const doc = await model
        .findOneAndUpdate(
          { _id: replyId, attempt, status: 'complete', 'postSteps.name': { $ne: step } },
          {
            $push: { postSteps: { $each: pendingSteps([step], now) } },
            $pull: { failedSteps: step },
            $set: fieldsOf(metadata),
          },
          { returnDocument: 'after' },
        )
        .lean<MessageDocument>();
      return doc && toReply(doc);
    },

    /** Ends a step and stores its metadata. @returns the reply as it is then */
    end: async (
      key: StepKey,
      metadata: Partial<MessageMetadata> = {},
    ): Promise<ReplyRecord | null> => {
      const stored = fieldsOf(metadata);
      const doc = await model
        .findOneAndUpdate(
          pending(key),
          {
            $pull: { postSteps: { name: key.step } },
            ...(Object.keys(stored).length > 0 && { $set: stored }),
          },
          { returnDocument: 'after' },
        )
        .lean<MessageDocument>();
      return doc && toReply(doc);
    },

    /** Notes that a run has failed and another one follows. */
    retryLater: async ({ tries, ...key }: StepRun, sweepAt: Date): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(pending(key, { tries }), {
        $set: { 'postSteps.$.sweepAt': sweepAt },
        $unset: { 'postSteps.$.startedAt': 1 },
      });
      return matchedCount === 1;
    },

    /** Ends a step that has failed for the last time. */
    giveUp: async ({ tries, ...key }: StepRun): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(pending(key, { tries }), {
        $pull: { postSteps: { name: key.step } },
        $addToSet: { failedSteps: key.step },
      });
      return matchedCount === 1;
    },
  };
}

/** Queries and updates of sweepers. */
function sweepStore(model: MessageModel) {
  return {
    /** Steps that should have ended by now, those first that have waited longest. */
    findDue: async ({ now, limit }: { now: Date; limit: number }): Promise<StepKey[]> => {
      const docs = await model
        .find({ 'postSteps.sweepAt': { $lte: now } }, { attempt: 1, postSteps: 1 })
        .sort({ 'postSteps.sweepAt': 1 })
        .limit(limit)
        .lean<MessageDocument[]>();
      return docs.flatMap(({ _id, attempt, postSteps }) =>
        (postSteps ?? [])
          .filter(({ sweepAt }) => sweepAt && sweepAt <= now)
          .map(({ name }) => ({
            replyId: String(_id),
            attempt: attempt ?? 0,
            step: name ?? '',
          })),
      );
    },

    /** Lets one of several sweepers handle a step that is due; it is due again at `sweepAt`. */
    leaseDue: async (
      key: StepKey,
      { now, sweepAt }: { now: Date; sweepAt: Date },
    ): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(pending(key, { sweepAt: { $lte: now } }), {
        $set: { 'postSteps.$.sweepAt': sweepAt },
      });
      return matchedCount === 1;
    },
  };
}

/** Of all messages, few have pending steps: they are looked for among those, not among all of a user. */
const PENDING = { 'postSteps.sweepAt': { $gt: new Date(0) } };
const PENDING_INDEX = { 'postSteps.sweepAt': 1 } as const;

/** For the removal of a user. */
function removalStore(model: MessageModel) {
  return {
    /** Drops the steps of a user's replies that do not run. */
    dropWaiting: async (ownerId: string): Promise<void> => {
      await model.updateMany(
        { ownerId, ...PENDING },
        { $pull: { postSteps: { startedAt: { $exists: false } } } },
        { hint: PENDING_INDEX },
      );
    },

    /** Whether a step of the user's replies runs that has started after `since`. */
    isAnyRunning: async (ownerId: string, since: Date): Promise<boolean> =>
      (await model
        .exists({ ownerId, ...PENDING, 'postSteps.startedAt': { $gt: since } })
        .hint(PENDING_INDEX)) !== null,
  };
}
