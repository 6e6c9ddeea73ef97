import type { ReplyState, ReplyTail, ReplyTailQuery } from '../../../contract/replies.ts';
import type { Redis } from '../../../db/redis.ts';
import { notFound } from '../../../errors.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import type { UsageService } from '../../usage/index.ts';
import type { ReplyRecord } from '../messages/index.ts';
import { type Finisher, stateOf } from './finish.ts';
import type { ReplyJob } from './job.ts';
import { tailOf, withLiveText } from './live.ts';
import type { ReplyLog } from './log.ts';
import type { ReplyStore } from './model.ts';

/** Workers listen here for the ids of replies that are to stop. */
export const STOP_CHANNEL = 'replies:stop';

interface ServiceDeps {
  replies: ReplyStore;
  usage: UsageService;
  replyLog: ReplyLog;
  finisher: Finisher;
  producer: JobProducer<ReplyJob>;
  redis: Redis;
  now: () => Date;
}

/** What a person does with a reply. Somebody else's reply is not there: 404. */
export type ReplyService = ReturnType<typeof createReplyService>;

export function createReplyService(deps: ServiceDeps) {
  const { replies, replyLog, finisher, producer, redis } = deps;

  const own = async (id: string, ownerId: string) => {
    const reply = await replies.findOwn(id, ownerId);
    if (!reply) throw notFound('reply');
    return reply;
  };

  /** A reply that no worker has begun ends here and now; false when one was quicker. */
  const stopQueued = async (reply: ReplyRecord) => {
    const none = { promptTokens: 0, completionTokens: 0 };
    const end = { status: 'stopped' as const, content: reply.content, usage: none };
    if (!(await finisher.end(reply, end))) return false;
    await producer.remove(reply.jobId).catch(() => undefined);
    return true;
  };

  return {
    /** The text from where the reader is, and the state at that point. @throws AppError not_found */
    tail: async (id: string, ownerId: string, query: ReplyTailQuery): Promise<ReplyTail> =>
      tailOf(await withLiveText(await own(id, ownerId), replyLog), query),

    /**
     * Asks for the end of a reply; the text so far stays. Asking again, or too late, does no harm.
     * @returns the state at this moment; the end itself is pushed. @throws AppError not_found
     */
    stop: async (id: string, ownerId: string): Promise<ReplyState> => {
      await own(id, ownerId);
      const asked = await replies.requestStop(id, ownerId);
      if (asked && !(asked.status === 'queued' && (await stopQueued(asked))))
        // A worker that misses this sees the request at its next checkpoint.
        await redis.publish(STOP_CHANNEL, id).catch(() => undefined);
      const reply = await own(id, ownerId);
      return stateOf(reply, reply.content.length);
    },
  };
}
