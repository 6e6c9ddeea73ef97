import type { ReplyState } from '../../../contract/replies.ts';
import type { Log } from '../../../log.ts';
import type { UsageService } from '../../usage/index.ts';
import type { ReplyRecord } from '../messages/index.ts';
import type { ReplyLog } from './log.ts';
import type { ReplyEnd, ReplyStore } from './model.ts';

interface FinisherDeps {
  replies: ReplyStore;
  usage: UsageService;
  replyLog: ReplyLog;
  /** Called once a reply is charged, so that the person's tabs learn what is left. */
  onSettled: (ownerId: string) => Promise<void>;
  now: () => Date;
  log: Log;
}

/** Ends replies, in the one order that loses nothing: text to the database, usage settled, tabs told. */
export type Finisher = ReturnType<typeof createFinisher>;

/** The state of a reply as the tabs hear of it. */
export const stateOf = (
  reply: Pick<ReplyRecord, 'id' | 'conversationId' | 'attempt' | 'status' | 'error'>,
  length: number,
): ReplyState => ({
  replyId: reply.id,
  conversationId: reply.conversationId,
  attempt: reply.attempt,
  status: reply.status,
  length,
  ...(reply.error && { error: reply.error }),
});

export function createFinisher({ replies, usage, replyLog, onSettled, now, log }: FinisherDeps) {
  const settle = async (
    reply: Pick<ReplyRecord, 'id' | 'ownerId' | 'attempt'>,
    used: ReplyEnd['usage'],
  ) => {
    await usage.settle(reply.ownerId, { replyId: reply.id, attempt: reply.attempt }, used);
    await replies.markSettled(reply.id);
    await onSettled(reply.ownerId);
  };

  return {
    /**
     * Ends an attempt. False when a later attempt has the reply: then nothing is stored, charged or shown.
     * A settlement that fails is left to the sweeper; the reply itself has ended by then.
     */
    end: async (reply: ReplyRecord, end: ReplyEnd): Promise<boolean> => {
      const { id, attempt, ownerId } = reply;
      if (!(await replies.finish({ id, attempt, end, now: now() }))) return false;
      await settle(reply, end.usage).catch((error: unknown) =>
        log.warn({ err: error, replyId: id }, 'usage is settled later'),
      );
      const { status, error } = end;
      const ended: ReplyRecord = { ...reply, status };
      delete ended.error;
      if (error) ended.error = error;
      await replyLog
        .announce(stateOf(ended, end.content.length), ownerId)
        .catch((cause: unknown) => log.warn({ err: cause, replyId: id }, 'an end was not shown'));
      return true;
    },

    /** Settles replies whose worker died between their end and their settlement. */
    settleLate: async (before: Date): Promise<void> => {
      for (const reply of await replies.unsettled({ before, limit: 100 }))
        await settle(reply, reply.usage ?? { promptTokens: 0, completionTokens: 0 });
    },
  };
}
