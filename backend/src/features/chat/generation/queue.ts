import type { FairQueue } from '../../../jobs/fair-queue.ts';
import { ensureQueued, type JobProducer } from '../../../jobs/producer.ts';
import type { Log } from '../../../log.ts';
import type { Bus } from '../../../realtime/bus.ts';
import type { Lane } from '../../usage/index.ts';
import type { ReplyRecord } from '../messages/index.ts';
import type { ReplyJob } from './job.ts';
import { stateOf } from './live.ts';
import { lengthOf, partsOf } from './parts.ts';

/** Replies of each lane that start while the other lanes start theirs, when all have replies that wait. */
export const LANE_WEIGHTS: Record<Lane, number> = { pro: 4, starter: 2, guest: 1 };

interface QueueDeps {
  producer: Pick<JobProducer<ReplyJob>, 'add' | 'ahead' | 'canRun' | 'remove'>;
  fairQueue: Pick<FairQueue<Lane>, 'enter'>;
  bus: Pick<Bus, 'publish'>;
  log: Log;
}

/**
 * The queue of replies (decision 16): lanes get shares of the starts, the users of a lane take turns. A reply that an
 * attempt has started already is in no lane and goes to the front.
 */
export type ReplyQueue = ReturnType<typeof createReplyQueue>;

export function createReplyQueue({ producer, fairQueue, bus, log }: QueueDeps) {
  /** Publishes how many replies start before this one, if any do. */
  const announce = async (reply: ReplyRecord) => {
    const ahead = await producer.ahead(reply.jobId);
    if (!ahead) return;
    const state = stateOf(reply, lengthOf(partsOf(reply)));
    await bus.publish(reply.ownerId, 'reply:state', { ...state, ahead });
  };

  const add = async (reply: ReplyRecord, priority: number | undefined) => {
    const { id: replyId, jobId, conversationId } = reply;
    await producer.add(jobId, { replyId, conversationId }, { priority });
    announce(reply).catch((error: unknown) =>
      log.warn({ err: error, replyId }, 'a queue position was not published'),
    );
  };

  /** Takes the priority of a user's next reply. Enqueue the reply with it: an unused one costs the user a turn. */
  const takePriority = ({ ownerId, lane }: { ownerId: string; lane: Lane }): Promise<number> =>
    fairQueue.enter({ group: lane, member: ownerId });

  /** Enqueues a reply that has no job which can run. */
  const ensureReplyQueued = (reply: ReplyRecord): Promise<void> =>
    ensureQueued(producer, reply.jobId, async () => {
      const { ownerId, lane } = reply;
      await add(reply, lane && (await takePriority({ ownerId, lane })));
    });

  return {
    takePriority,
    ensureQueued: ensureReplyQueued,

    /** Enqueues a reply with the priority that was taken for it; without one as `ensureQueued`. */
    enqueue: async (reply: ReplyRecord, priority?: Promise<number>): Promise<void> =>
      priority ? add(reply, await priority) : ensureReplyQueued(reply),

    /** How many replies start before this one; null when it does not wait, or Redis is unreachable. */
    aheadOf: ({ jobId }: ReplyRecord): Promise<number | null> =>
      producer.ahead(jobId).catch(() => null),

    /** Removes the job of a reply, unless a worker runs it. */
    remove: ({ jobId }: ReplyRecord): Promise<void> => producer.remove(jobId),
  };
}
