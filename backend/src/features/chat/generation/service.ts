import { type Actor, requireAccess } from '../../../access/index.ts';
import { isActive } from '../../../contract/messages.ts';
import type {
  ReplyResult,
  ReplyState,
  ReplyTail,
  ReplyTailQuery,
} from '../../../contract/replies.ts';
import { isDuplicateKey } from '../../../db/mongo.ts';
import type { Redis } from '../../../db/redis.ts';
import { AppError, notFound, unavailable } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { UsageService } from '../../usage/index.ts';
import type { ConversationStore } from '../conversations/index.ts';
import type { ChatFeature, Others } from '../feature.ts';
import {
  type ChosenSettings,
  type CompleteSend,
  estimateTokens,
  type MessageTree,
  presentReply,
  settingsOfReply,
} from '../messages/index.ts';
import { callsLeft } from './calls.ts';
import type { Finisher } from './finish.ts';
import { nextJobId } from './job.ts';
import { stateOf, tailOf, withLiveText } from './live.ts';
import { FencedError, type ReplyLog } from './log.ts';
import type { ReplyStore } from './model.ts';
import { lengthOf, partsOf } from './parts.ts';
import type { ReplyQueue } from './queue.ts';
import type { GeneratedReply } from './reply-record.ts';

/** Workers listen here for the ids of replies that are to stop. */
export const STOP_CHANNEL = 'replies:stop';

interface ServiceDeps extends Pick<ChatFeature, 'limits'> {
  personas: Others['personas'];
  replies: ReplyStore;
  conversations: Pick<ConversationStore, 'find'>;
  messages: Pick<MessageTree, 'children' | 'path'>;
  completeSend: CompleteSend;
  usage: Pick<UsageService, 'laneOf' | 'reserve' | 'release'>;
  replyLog: Pick<ReplyLog, 'read' | 'append'>;
  finisher: Pick<Finisher, 'end'>;
  queue: Pick<ReplyQueue, 'takePriority' | 'enqueue' | 'remove' | 'aheadOf'>;
  redis: Pick<Redis, 'publish'>;
  now: () => Date;
  log: Log;
}

type Chosen = Omit<ChosenSettings, 'remember'>;

/** Reads, stops and continues replies. A reply that the actor may not access answers 404. */
export type ReplyService = ReturnType<typeof createReplyService>;

export function createReplyService(deps: ServiceDeps) {
  const { replies, conversations, messages, usage, replyLog, finisher, queue, now } = deps;

  /** A reply of a deleted conversation answers as if there were none. */
  const find = async (id: string, actor: Actor) => {
    const reply = requireAccess(actor, await replies.findOwn(id, actor.userId), 'reply');
    await conversationOf(reply);
    return reply;
  };

  const conversationOf = async ({ conversationId }: GeneratedReply) => {
    const conversation = await conversations.find(conversationId);
    if (!conversation) throw notFound('reply');
    return conversation;
  };

  /** A reply that no worker has started ends here and now; false when a worker started it first. */
  const stopQueued = async (reply: GeneratedReply) => {
    await deps.completeSend(reply);
    const attempt = reply.attempt + 1;
    const charge = { attempt, promptTokens: 0, completionTokens: 0, release: true };
    const end = { status: 'stopped' as const, parts: partsOf(reply), charge };
    if (!(await finisher.end({ ...reply, attempt }, end, { from: 'queued' }))) return false;
    await queue.remove(reply).catch(() => undefined);
    return true;
  };

  const siblingIds = async ({ conversationId, ownerId, parentId, depth }: GeneratedReply) => {
    const siblings = await messages.children({ conversationId, ownerId }, { parentId, depth });
    return siblings.map(({ id }) => id);
  };

  const isFollowed = async ({ id, conversationId, ownerId, depth }: GeneratedReply) => {
    const place = { parentId: id, depth: depth + 1 };
    return (await messages.children({ conversationId, ownerId }, place)).length > 0;
  };

  /** Reserves for the next attempt: the whole path is sent again, and what was written counts as prompt. */
  const reserve = async (reply: GeneratedReply, { settings, limits, added }: Chosen) => {
    const { id: replyId, ownerId, depth, content, pathLength = Buffer.byteLength(content) } = reply;
    const { parts, summaryBytes } = added;
    const length = pathLength + summaryBytes;
    const kept = { ...reply, keptLength: lengthOf(partsOf(reply)) };
    const calls = callsLeft(kept).length;
    const size = { length, parts, messages: depth + 1, depth: settings.depth, calls };
    const tokens = estimateTokens(size, limits);
    const attempt = reply.attempt + 1;
    // The text that it continues was published by an attempt that counted the message.
    const request = { replyId, attempt, ...tokens, isCounted: true };
    return usage.reserve(ownerId, request);
  };

  /** Queues the next attempt; a request that loses a race keeps no reservation. */
  const requeue = async (reply: GeneratedReply, actor: Actor) => {
    const { id, ownerId, attempt } = reply;
    const chosen = await settingsOfReply({ limits: deps.limits, others: deps }, actor, {
      earlier: reply.settings,
      conversation: await conversationOf(reply),
    });
    const { settings } = chosen;
    const [reserved, lane] = await Promise.all([reserve(reply, chosen), usage.laneOf(ownerId)]);
    const priority = queue.takePriority({ ownerId, lane });
    priority.catch(() => undefined);
    const queued = await replies
      .requeueToContinue({
        id,
        ownerId,
        attempt,
        jobId: nextJobId(reply),
        keptLength: lengthOf(partsOf(reply)),
        reserved,
        lane,
        settings,
        now: now(),
      })
      .catch((error: unknown) => {
        if (isDuplicateKey(error)) return 'busy' as const;
        throw error;
      });
    if (queued && queued !== 'busy') return { queued, priority };
    // Two tabs may have asked at once: then both share the reservation of the attempt.
    const current = await replies.findOwn(id, ownerId);
    const isShared = current && current.attempt <= attempt + 1 && isActive(current.status);
    if (!isShared) await usage.release(ownerId, { replyId: id, attempt: attempt + 1 });
    throw queued === 'busy' ? replyInProgress() : notRetryable();
  };

  /** Begins the next attempt in the log: the end of the last one, which a worker may still be about to publish, is no news then. */
  const publishQueued = async (reply: GeneratedReply) => {
    const { id: replyId, conversationId, ownerId } = reply;
    const writer = { replyId, conversationId, ownerId, attempt: reply.attempt + 1 };
    const state = stateOf(reply, lengthOf(partsOf(reply)));
    await replyLog.append(writer, { seq: 0, deltas: [], state }).catch((error: unknown) => {
      // A worker may have begun the attempt already.
      if (error instanceof FencedError) return;
      deps.log.warn({ err: error, replyId }, 'a continued reply was not published');
    });
  };

  return {
    /** The text from where the reader is, and the state at that point. @throws AppError not_found */
    tail: async (id: string, actor: Actor, query: ReplyTailQuery): Promise<ReplyTail> => {
      const reply = await find(id, actor);
      const [live, ahead] = await Promise.all([
        withLiveText(reply, replyLog),
        reply.status === 'queued' ? queue.aheadOf(reply) : null,
      ]);
      return { ...tailOf(live, query), ...(ahead !== null && { ahead }) };
    },

    /**
     * Requests the end of a reply; the text so far stays. Requesting it again or too late has no effect.
     * @returns the state at this moment; the end itself is pushed. @throws AppError not_found
     */
    stop: async (id: string, actor: Actor): Promise<ReplyState> => {
      await find(id, actor);
      const requested = await replies.requestStop(id, actor.userId);
      if (requested && !(requested.status === 'queued' && (await stopQueued(requested))))
        // A worker that misses this sees the request at its next checkpoint.
        await deps.redis.publish(STOP_CHANNEL, id).catch(() => undefined);
      const reply = await find(id, actor);
      return stateOf(reply, lengthOf(partsOf(reply)));
    },

    /**
     * Has a reply that failed, was stopped or interrupted continue from its text, when no message follows it.
     * @throws AppError not_found, reply_not_retryable, reply_in_progress, quota_exceeded, subscription_required,
     *   too_many_replies, unavailable
     */
    continue: async (id: string, actor: Actor): Promise<ReplyResult> => {
      const reply = await find(id, actor);
      if (isActive(reply.status) || reply.status === 'complete' || reply.content === '')
        throw notRetryable();
      if (await isFollowed(reply)) throw notRetryable();
      const { queued, priority } = await requeue(reply, actor);
      await queue.enqueue(queued, priority).catch((error: unknown) => {
        throw unavailable(error);
      });
      await publishQueued(queued);
      return { reply: presentReply(queued, await siblingIds(queued)) };
    },
  };
}

const replyInProgress = () =>
  new AppError('reply_in_progress', 'Wait for the reply that is being written, or stop it.');

const notRetryable = () =>
  new AppError(
    'reply_not_retryable',
    'Only the last reply can be continued, once it has ended early and has text.',
  );
