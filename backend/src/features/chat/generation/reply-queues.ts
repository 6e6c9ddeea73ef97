import * as z from 'zod';
import { MAX_REPLY_QUEUES } from '../../../config.ts';
import type { Redis } from '../../../db/redis.ts';
import { defineJob, type JobDefinition, queuePrefix } from '../../../jobs/define-job.ts';
import { createFairQueue, type FairQueue } from '../../../jobs/fair-queue.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import type { Core } from '../../define-feature.ts';
import type { Lane } from '../../usage/index.ts';
import { queueOfConversation, queueOfJob } from '../messages/index.ts';

// The queues of replies (decision 60). A job stays in the queue that its id names, whatever the number of queues is later.

// The queue redelivers the job of a crashed worker within lock + check, 11 s, so takeover stays below 15 s. BullMQ renews a lock at half
// its duration. A worker that loses its lock continues, because a takeover also needs a heartbeat that has expired.
const LOCK_MS = 8_000;
const STALL_CHECK_MS = 3_000;

/** Replies of each lane that start per cycle while all lanes have waiting replies. */
export const LANE_WEIGHTS: Record<Lane, number> = { pro: 4, starter: 2, guest: 1 };

export type ReplyJob = { replyId: string; conversationId: string };

/** Generates one reply. The payload has ids only; the job reads everything else when it runs. */
const replyJobIn = (queue: number): JobDefinition<ReplyJob> =>
  defineJob({
    name: queue === 0 ? 'replies' : `replies-${queue}`,
    schema: z.object({ replyId: z.string(), conversationId: z.string() }),
    lockMs: LOCK_MS,
    stallCheckMs: STALL_CHECK_MS,
    maxStalls: 2,
  });

/** The first queue, and the name of all in WORKER_JOBS. */
export const replyJob = replyJobIn(0);

interface ReplyQueue {
  job: JobDefinition<ReplyJob>;
  producer: JobProducer<ReplyJob>;
  fairQueue: FairQueue<Lane>;
}

const EVERY_QUEUE = Array.from({ length: MAX_REPLY_QUEUES }, (_, queue) => queue);
const LISTS = ['wait', 'prioritized', 'delayed', 'active'];
/** A waiting job and the number of jobs that start before it. */
interface Waiting {
  jobId: string;
  ahead: number;
}

/** @param count REPLY_QUEUES */
export function createReplyQueues(
  { produce, redis }: Pick<Core, 'produce' | 'redis'>,
  count: number,
) {
  const opened = new Map<number, ReplyQueue>();
  const fairQueueOf = (queue: number) =>
    createFairQueue(redis, replyJobIn(queue), { weights: LANE_WEIGHTS });
  const at = (queue: number): ReplyQueue => {
    const job = replyJobIn(queue);
    const one = opened.get(queue) ?? { job, producer: produce(job), fairQueue: fairQueueOf(queue) };
    opened.set(queue, one);
    return one;
  };
  const current = Array.from({ length: count }, (_, queue) => queue);
  for (const queue of current) at(queue);
  const ofJob = (jobId: string) => at(queueOfJob(jobId));
  return {
    /** The numbers of the queues that conversations are shared among. */
    current,
    at,
    ofJob,
    /** The queue of a conversation's next reply. */
    ofConversation: (conversationId: string) => at(queueOfConversation(conversationId, count)),
    /** The numbers of further queues that have jobs: REPLY_QUEUES was greater, or is so in other processes. */
    findFormer: async (): Promise<number[]> => {
      const others = EVERY_QUEUE.slice(count);
      const found = await Promise.all(others.map((queue) => hasJobs(redis, queue)));
      return others.filter((_, at) => found[at]);
    },
    /**
     * The number of replies that start before this one; null unless it waits with a priority. Workers serve the queues equally, so of each
     * other queue as many start before it as of its own.
     */
    ahead: async (jobId: string): Promise<number | null> => {
      const own = ofJob(jobId);
      const rank = await own.producer.ahead(jobId);
      if (rank === null) return null;
      const others = [...opened.values()].filter((queue) => queue !== own);
      const sizes = await Promise.all(others.map(({ producer }) => producer.size()));
      return aheadOfAll(rank, sizes);
    },
    /** The jobs that wait with a priority, of each queue the next ones first. */
    waiting: ({ limit }: { limit: number }): Promise<Waiting[]> =>
      waitingIn([...opened.values()], limit),
    /** The lanes that have a user, over all queues. */
    countOf: async (userId: string): Promise<number> => {
      const counts = await Promise.all(
        EVERY_QUEUE.map((queue) => fairQueueOf(queue).count(userId)),
      );
      return counts.reduce((sum, lanes) => sum + lanes, 0);
    },
    /** Removes a user from the lanes of all queues. */
    forget: async (userId: string): Promise<void> => {
      await Promise.all(EVERY_QUEUE.map((queue) => fairQueueOf(queue).forget(userId)));
    },
  };
}

async function hasJobs(redis: Redis, queue: number) {
  const { name } = replyJobIn(queue);
  const keys = LISTS.map((list) => `${queuePrefix({ name })}:${name}:${list}`);
  return (await redis.exists(...keys)) > 0;
}

async function waitingIn(opened: readonly ReplyQueue[], limit: number): Promise<Waiting[]> {
  const queues = await Promise.all(opened.map(({ producer }) => producer.waiting({ limit })));
  return queues.flatMap(({ ahead, jobIds }, own) => {
    const others = queues.filter((_, at) => at !== own);
    const sizes = others.map((other) => other.ahead + other.jobIds.length);
    return jobIds.map((jobId, at) => ({ jobId, ahead: aheadOfAll(ahead + at, sizes) }));
  });
}

const aheadOfAll = (rank: number, otherSizes: readonly number[]): number =>
  otherSizes.reduce((sum, size) => sum + Math.min(rank, size), rank);
