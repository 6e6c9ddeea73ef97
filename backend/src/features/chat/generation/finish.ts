import type { Log } from '../../../log.ts';
import type { UsageService } from '../../usage/index.ts';
import type { ReplyRecord } from '../messages/index.ts';
import type { ReplyLog } from './log.ts';
import type { ReplyStore } from './model.ts';
import { lengthOf, stateOf, storedText } from './parts.ts';
import type { OpenCharge, ReplyEnd } from './reply-record.ts';

const SETTLE_BATCH = 100;

interface FinisherDeps {
  replies: Pick<ReplyStore, 'finish' | 'markSettled' | 'openCharges'>;
  usage: Pick<UsageService, 'settle' | 'release'>;
  replyLog: Pick<ReplyLog, 'end'>;
  now: () => Date;
  log: Log;
}

interface EndOptions {
  /** The state that the reply is in. */
  from: 'queued' | 'streaming';
  /** `pathLength` of the message above, when known. */
  parentPathLength?: number | undefined;
  /** Names of the post-steps that follow. */
  postSteps?: readonly string[];
}

/** Ends replies, in the only order that loses nothing: store the text, settle usage, publish the state. */
export type Finisher = ReturnType<typeof createFinisher>;

export function createFinisher({ replies, usage, replyLog, now, log }: FinisherDeps) {
  const settle = async ({ ownerId, replyId, attempt, release, ...used }: OpenCharge) => {
    if (release) await usage.release(ownerId, { replyId, attempt });
    else await usage.settle(ownerId, { replyId, attempt }, used);
    await replies.markSettled({ id: replyId, attempt });
  };

  /** A settlement that fails is left to the sweeper. */
  const settleNow = (charge: OpenCharge) =>
    settle(charge).catch((error: unknown) =>
      log.warn({ err: error, replyId: charge.replyId }, 'usage is settled later'),
    );

  return {
    /**
     * Ends an attempt of a reply. False when a later attempt has the reply: then nothing is stored, charged or
     * published.
     */
    end: async (
      reply: ReplyRecord,
      end: ReplyEnd,
      { from, parentPathLength, postSteps }: EndOptions,
    ): Promise<boolean> => {
      const { id, attempt, ownerId } = reply;
      const { content } = storedText(end.parts);
      const pathLength =
        parentPathLength === undefined ? undefined : parentPathLength + Buffer.byteLength(content);
      const stored = { id, attempt, from, end, pathLength, postSteps, now: now() };
      if (!(await replies.finish(stored))) return false;
      await settleNow({ ...end.charge, replyId: id, ownerId });
      const { status, error } = end;
      const metadata = { ...reply.metadata, ...end.metadata };
      const known = Object.keys(metadata).length > 0 ? { metadata } : {};
      const state = stateOf({ ...reply, ...known, status }, lengthOf(end.parts));
      delete state.error;
      if (error) state.error = error;
      await replyLog
        .end(ownerId, state)
        .catch((cause: unknown) =>
          log.warn({ err: cause, replyId: id }, 'the end of a reply was not published'),
        );
      return true;
    },

    settleNow,

    /** Settles what workers left between the end of a reply and the usage ledger; one failure stops no other. */
    settleLate: async (before: Date): Promise<void> => {
      for (const charge of await replies.openCharges({ before, limit: SETTLE_BATCH }))
        await settleNow(charge);
    },
  };
}
