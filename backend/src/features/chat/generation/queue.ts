import type { FairQueue } from '../../../jobs/fair-queue.ts';
import { ensureQueued, type JobProducer } from '../../../jobs/producer.ts';
import type { Log } from '../../../log.ts';
import type { Bus } from '../../../realtime/bus.ts';
import type { Lane } from '../../usage/index.ts';
import type { ReplyRecord } from '../messages/index.ts';
import { type ReplyJob, replyIdOf } from './job.ts';
import type { ReplyStore } from './model.ts';
import { lengthOf, partsOf, stateOf } from './parts.ts';
import type { QueuedReply } from './reply-record.ts';

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

/** A queue position is published at most this often. */
export const POSITIONS_EVERY_MS = 1_000;
/** Replies behind these learn their positions when they are nearer. */
const MAX_JOBS = 10_000;
const MAX_READ = 1_000;
/** Far back, a position is published when it has changed by one in so many. */
const PRECISION = 50;

interface PositionsDeps {
  producer: Pick<JobProducer<ReplyJob>, 'waiting'>;
  replies: Pick<ReplyStore, 'findQueued'>;
  bus: Pick<Bus, 'publish'>;
  /** Whether this worker, of all, publishes the positions now. */
  isLeader: () => Promise<boolean>;
}

interface Position {
  /** Null when the reply is not queued any more. */
  reply: QueuedReply | null;
  /** What was published last; null before. */
  published: number | null;
}

/**
 * Publishes to the owners of waiting replies how many replies start before theirs. One worker does it for all: it reads
 * the queue once, each reply once, and publishes what has changed.
 */
export function createPositions({ producer, replies, bus, isLeader }: PositionsDeps) {
  let positions = new Map<string, Position>();

  /** Notes the jobs that wait now, with their replies. */
  const follow = async (jobIds: string[]) => {
    const found = jobIds.filter((jobId) => !positions.has(jobId)).slice(0, MAX_READ);
    const queued = found.length > 0 ? await replies.findQueued(found.map(replyIdOf)) : [];
    const byJob = new Map(queued.map((reply) => [reply.jobId, reply]));
    const followed = new Map<string, Position>();
    for (const jobId of jobIds) {
      const position = positions.get(jobId);
      if (position) followed.set(jobId, position);
    }
    for (const jobId of found)
      followed.set(jobId, { reply: byJob.get(jobId) ?? null, published: null });
    positions = followed;
    return new Set(found);
  };

  const publish = async (position: Position, ahead: number) => {
    const { reply } = position;
    if (!reply) return;
    position.published = ahead;
    const { id: replyId, conversationId, ownerId, attempt, keptLength: length } = reply;
    const state = { replyId, conversationId, attempt, status: 'queued' as const, length, ahead };
    await bus.publish(ownerId, 'reply:state', state);
  };

  return async (): Promise<void> => {
    const { ahead: front, jobIds } = await producer.waiting({ limit: MAX_JOBS });
    if (jobIds.length === 0 || !(await isLeader())) {
      positions.clear();
      return;
    }
    const found = await follow(jobIds);
    const publications: Promise<void>[] = [];
    for (const [index, jobId] of jobIds.entries()) {
      const position = positions.get(jobId);
      const ahead = front + index;
      // A job that has just arrived and is the next one may be on its way to a worker that is free.
      const isStarting = ahead === 0 && found.has(jobId);
      if (position && !isStarting && isNews(position, ahead))
        publications.push(publish(position, ahead));
    }
    await Promise.all(publications);
  };
}

const isNews = ({ published }: Position, ahead: number): boolean =>
  published === null ||
  (published !== ahead && Math.abs(published - ahead) >= Math.floor(ahead / PRECISION));
