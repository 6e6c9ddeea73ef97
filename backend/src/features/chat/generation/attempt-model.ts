import type { ReplyPart } from '../../../contract/messages.ts';
import { matchesOne } from '../../../db/mongo.ts';
import {
  lengthOf,
  type MessageDocument,
  type MessageModel,
  metadataFields,
  type ReservedTokens,
  storedText,
} from '../messages/index.ts';
import { pendingSteps } from '../post-steps/index.ts';
import {
  type AttemptKey,
  type Charge,
  type Checkpoint,
  type GeneratedReply,
  generatedIn,
  type ReplyEnd,
  type ReplyKey,
} from './reply-record.ts';

/** The update that stores `parts` in place of the text so far. */
function textUpdate(parts: ReplyPart[]) {
  const stored = storedText(parts);
  return { stored, dropped: { deltas: 1 as const, ...(!stored.parts && { parts: 1 as const }) } };
}

/** Changes that workers make to a reply. */
export const attemptStore = (model: MessageModel) => ({
  ...startStore(model),
  ...beatStore(model),
  ...replacingStore(model),
  ...endStore(model),
});

function startStore(model: MessageModel) {
  return {
    /** Starts an attempt at a queued reply. */
    startAttempt: ({ id, conversationId }: ReplyKey, now: Date): Promise<GeneratedReply | null> =>
      generatedIn(model).update(
        { _id: id, conversationId, active: true, status: 'queued' },
        {
          $inc: { attempt: 1 },
          $set: { status: 'streaming', heartbeatAt: now },
          $unset: { lostAttempts: 1, lane: 1, sent: 1 },
        },
      ),

    /** Takes over a reply without a heartbeat since `staleBefore` and fences off its attempt. */
    takeOver: (
      { id, conversationId }: ReplyKey,
      { now, staleBefore }: { now: Date; staleBefore: Date },
    ): Promise<GeneratedReply | null> =>
      generatedIn(model).update(
        {
          _id: id,
          conversationId,
          active: true,
          status: 'streaming',
          heartbeatAt: { $lt: staleBefore },
        },
        { $inc: { attempt: 1, takeovers: 1, lostAttempts: 1 }, $set: { heartbeatAt: now } },
      ),

    /** Records that an attempt has its reservation and calls the provider. From here on the text is its own. */
    beginStream: ({
      id,
      conversationId,
      attempt,
      reserved,
    }: AttemptKey & { reserved: ReservedTokens }): Promise<boolean> =>
      matchesOne(
        model.updateOne(
          { _id: id, conversationId, active: true, attempt, status: 'streaming' },
          { $set: { reserved }, $unset: { lostAttempts: 1, sent: 1 } },
        ),
      ),
  };
}

function beatStore(model: MessageModel) {
  return {
    /**
     * Writes the heartbeat, the text since the last checkpoint with text, and the tokens sent.
     * @returns whether a stop was requested, or null when a later attempt has the reply
     */
    checkpoint: async ({
      id,
      conversationId,
      attempt,
      ...beat
    }: Checkpoint): Promise<{ stopRequested: boolean } | null> => {
      const doc = await model
        .findOneAndUpdate(
          { _id: id, conversationId, active: true, attempt, status: 'streaming' },
          changeOfBeat(beat),
          { projection: { stopRequested: 1 } },
        )
        .lean<MessageDocument>();
      return doc && { stopRequested: doc.stopRequested ?? false };
    },

    /**
     * Writes the checkpoints of several replies.
     * @returns whether all of them go on: none has a later attempt, was removed or is to be stopped
     */
    beatAll: async (checkpoints: readonly Checkpoint[]): Promise<boolean> => {
      const writes = checkpoints.map(({ id, conversationId, attempt, ...beat }) => ({
        updateOne: {
          filter: {
            _id: id,
            conversationId,
            active: true,
            attempt,
            status: 'streaming',
            stopRequested: { $ne: true },
          },
          update: changeOfBeat(beat),
        },
      }));
      const { matchedCount } = await model.bulkWrite(writes, { ordered: false });
      return matchedCount === checkpoints.length;
    },
  };
}

const changeOfBeat = ({ deltas, sent, now }: Omit<Checkpoint, keyof AttemptKey>) => ({
  $set: { ...(sent && { sent }), heartbeatAt: now },
  ...(deltas && { $push: { deltas: { $each: deltas } } }),
});

function replacingStore(model: MessageModel) {
  return {
    /** Returns an attempt to the queue under a new job, with its charge. The next one continues its text. */
    requeue: ({
      id,
      conversationId,
      attempt,
      jobId,
      ...replaced
    }: Replaced & { jobId: string }): Promise<boolean> => {
      const { $set, ...change } = changeOfReplaced(replaced);
      return matchesOne(
        model.updateOne(
          { _id: id, conversationId, active: true, attempt, status: 'streaming' },
          { ...change, $set: { ...$set, status: 'queued', jobId } },
        ),
      );
    },

    /** Begins to continue the text of a lost attempt, whose charge it stores. */
    continueLost: ({
      id,
      conversationId,
      attempt,
      ...replaced
    }: Replaced): Promise<GeneratedReply | null> =>
      generatedIn(model).update(
        { _id: id, conversationId, active: true, attempt, status: 'streaming' },
        changeOfReplaced(replaced),
      ),
  };
}

/** An attempt that another one replaces, with its text and its charge. */
interface Replaced extends AttemptKey {
  parts: ReplyPart[];
  charge: Charge;
  /** Whether the attempt counts as a lost worker. */
  isLost?: boolean;
  now: Date;
}

function changeOfReplaced({ parts, charge, isLost, now }: Omit<Replaced, keyof AttemptKey>) {
  const { stored, dropped } = textUpdate(parts);
  return {
    $set: { ...stored, keptLength: lengthOf(parts), heartbeatAt: now },
    $unset: { ...dropped, reserved: 1 as const, sent: 1 as const, lostAttempts: 1 as const },
    $push: { charges: { ...charge, at: now } },
    ...(isLost && { $inc: { takeovers: 1 } }),
  };
}

interface Ending extends AttemptKey {
  from: 'queued' | 'streaming';
  end: ReplyEnd;
  pathLength?: number | undefined;
  /** Names of the following post-steps. */
  postSteps?: readonly string[] | undefined;
  now: Date;
}

function endStore(model: MessageModel) {
  return {
    /**
     * Ends an attempt with its whole text, its charge and the following post-steps. The end of a queued reply uses up the next attempt.
     * Also true when the same end was already stored and only the answer was lost; false when a later attempt has the reply.
     */
    finish: async (ending: Ending): Promise<boolean> => {
      const { id, conversationId, attempt, from, end } = ending;
      const before = from === 'queued' ? attempt - 1 : attempt;
      const hasEnded = await matchesOne(
        model.updateOne(
          { _id: id, conversationId, active: true, attempt: before, status: from },
          changeOfEnd(ending),
        ),
      );
      const stored = { _id: id, conversationId, attempt, status: end.status };
      return hasEnded || (await model.exists(stored)) !== null;
    },

    /** Removes a charge from the reply once it is in the usage ledger. */
    markSettled: async ({ id, conversationId, attempt }: AttemptKey): Promise<void> => {
      await model.updateOne({ _id: id, conversationId }, { $pull: { charges: { attempt } } });
    },
  };
}

function changeOfEnd({ attempt, end, pathLength, postSteps = [], now }: Ending) {
  const { status, parts, charge, error, ending, metadata = {}, persona } = end;
  const { stored, dropped } = textUpdate(parts);
  const { promptTokens, completionTokens } = charge;
  return {
    $set: {
      ...stored,
      attempt,
      status,
      unindexed: attempt,
      usage: { promptTokens, completionTokens },
      heartbeatAt: now,
      ...(pathLength !== undefined && { pathLength }),
      ...(error && { error }),
      ...(ending && { ending }),
      ...metadataFields(metadata),
      ...(persona && { 'settings.persona': persona }),
      ...(postSteps.length > 0 && { postSteps: pendingSteps(postSteps, now) }),
    },
    $unset: {
      ...dropped,
      active: 1 as const,
      keptLength: 1 as const,
      lostAttempts: 1 as const,
      reserved: 1 as const,
      sent: 1 as const,
      stopRequested: 1 as const,
      sweptAt: 1 as const,
      outbox: 1 as const,
      ...(!error && { error: 1 as const }),
      ...(!ending && { ending: 1 as const }),
      ...(persona === null && { 'settings.persona': 1 as const }),
    },
    $push: { charges: { ...charge, at: now } },
  };
}
