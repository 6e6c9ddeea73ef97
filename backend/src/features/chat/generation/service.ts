import { isActive } from '../../../contract/messages.ts';
import type {
  ReplyState,
  ReplyTail,
  ReplyTailQuery,
  RetryReplyBody,
} from '../../../contract/replies.ts';
import { isDuplicateKey } from '../../../db/mongo.ts';
import type { Redis } from '../../../db/redis.ts';
import { AppError, notFound, unavailable } from '../../../errors.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import type { Person, UsageService } from '../../usage/index.ts';
import type { ReplyRecord, TurnStore } from '../messages/index.ts';
import { type Finisher, stateOf } from './finish.ts';
import { nextJobId, type ReplyJob } from './job.ts';
import { tailOf, withLiveText } from './live.ts';
import type { ReplyLog } from './log.ts';
import type { ReplyStore } from './model.ts';

/** Workers listen here for the ids of replies that are to stop. */
export const STOP_CHANNEL = 'replies:stop';

interface ServiceDeps {
  replies: ReplyStore;
  turns: TurnStore;
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
  const { replies, turns, usage, replyLog, finisher, producer, redis, now } = deps;

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

  /** Queues the reply again; the two ways to lose are told apart, and neither keeps the reservation. */
  const requeue = async (reply: ReplyRecord, keepText: boolean) => {
    const { id, ownerId, attempt } = reply;
    const jobId = nextJobId(reply);
    const queued = await replies
      .requeue({ id, ownerId, attempt, jobId, keepText, now: now() })
      .catch((error: unknown) => {
        if (isDuplicateKey(error)) return 'busy' as const;
        throw error;
      });
    if (queued && queued !== 'busy') return queued;
    // Two tabs may have asked at once: then the reservation belongs to the one that won.
    const current = await replies.findOwn(id, ownerId);
    if (!current || !isActive(current.status)) await usage.release(ownerId, id);
    throw queued === 'busy'
      ? new AppError('reply_in_progress', 'Wait for the reply that is being written, or stop it.')
      : notRetryable();
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

    /**
     * Has the last reply of a conversation written again, or continued, after it failed, was stopped or interrupted.
     * @throws AppError not_found, reply_not_retryable, reply_in_progress, quota_exceeded,
     *   subscription_required, unavailable
     */
    retry: async (id: string, person: Person, { mode }: RetryReplyBody): Promise<ReplyRecord> => {
      const reply = await own(id, person.id);
      if (isActive(reply.status) || reply.status === 'complete') throw notRetryable();
      if ((await turns.lastId(reply.conversationId)) !== id) throw notRetryable();
      await usage.reserve(person, id, reply.content);
      const queued = await requeue(reply, mode === 'continue' && reply.content !== '');
      await producer.add(queued.jobId, { replyId: id }).catch((error: unknown) => {
        throw unavailable(error);
      });
      await replyLog.announce(stateOf(queued, queued.content.length), person.id);
      return queued;
    },
  };
}

const notRetryable = () =>
  new AppError('reply_not_retryable', 'Only the last reply can be tried again, once it has ended.');
