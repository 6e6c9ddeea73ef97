import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { connectRedis } from '../../src/db/redis.ts';
import { LANE_WEIGHTS } from '../../src/features/chat/generation/index.ts';
import { defineJob } from '../../src/jobs/define-job.ts';
import { createFairQueue } from '../../src/jobs/fair-queue.ts';
import { createProducer } from '../../src/jobs/producer.ts';
import { startWorker } from '../../src/jobs/worker.ts';

export type Lane = keyof typeof LANE_WEIGHTS;

const IDLE_SAMPLES = 200;

export interface Queued {
  lane: Lane;
  user: string;
  /** Ms of `performance.now()`. */
  queuedAt: number;
  startedAt: number;
  /** The number of replies that started before it. */
  rank: number;
}

interface Work {
  /** Replies that run at once, and the duration of each. */
  concurrency: number;
  replyMs: number;
  /** Called with the number of starts. */
  onStart?: (starts: number) => void;
}

const onError = (error: unknown) => {
  throw error;
};

export type ReplyQueues = Awaited<ReturnType<typeof openReplyQueues>>;

/** Opens queues like the product's on a Redis; without `isFair` they have no priorities: first in, first out. */
export async function openReplyQueues(redisUrl: string) {
  const redis = await connectRedis(redisUrl, { retry: 'never', onError });
  const retrying = await connectRedis(redisUrl, { retry: 'always', onError });

  const open = ({ isFair }: { isFair: boolean }) => {
    const definition = defineJob({
      name: `lanes-${randomUUID()}`,
      schema: z.object({ id: z.string() }),
    });
    const producer = createProducer(definition, redis);
    const fairQueue = createFairQueue<Lane>(redis, definition, { weights: LANE_WEIGHTS });
    const replies = new Map<string, Queued>();
    const run = (concurrency: number, handle: (payload: { id: string }) => Promise<void>) =>
      startWorker(definition, {
        redis: retrying,
        concurrency,
        onError,
        onStart: fairQueue.started,
        handle,
      });
    const priorityOf = async (lane: Lane, user: string) =>
      isFair ? fairQueue.enter({ group: lane, member: user }) : undefined;

    return {
      enqueue: async (lane: Lane, user: string): Promise<void> => {
        const id = randomUUID();
        const queuedAt = performance.now();
        replies.set(id, { lane, user, queuedAt, startedAt: Number.NaN, rank: Number.NaN });
        await producer.add(id, { id }, { priority: await priorityOf(lane, user) });
      },

      /** Runs all queued replies and returns them in the order of their starts. Waits count from the first start. */
      work: async ({ concurrency, replyMs, onStart }: Work): Promise<Queued[]> => {
        const begin = performance.now();
        let [starts, ends] = [0, 0];
        const worker = await run(concurrency, async ({ id }) => {
          const reply = replies.get(id);
          if (!reply) throw new Error('An unknown reply was started.');
          Object.assign(reply, { startedAt: performance.now(), rank: starts });
          starts += 1;
          onStart?.(starts);
          await sleep(replyMs);
          ends += 1;
        });
        while (ends < replies.size) await sleep(5);
        await worker.close();
        await producer.close();
        for (const reply of replies.values()) reply.queuedAt = Math.max(reply.queuedAt, begin);
        return [...replies.values()].toSorted((a, b) => a.rank - b.rank);
      },

      /** The time per reply with an idle worker and sequential replies, in ms. */
      measureIdle: async () => {
        let started = (_at: number): void => undefined;
        const worker = await run(1, async () => started(performance.now()));
        const delays = { priority: [] as number[], add: [] as number[], start: [] as number[] };
        for (let n = 0; n < IDLE_SAMPLES; n += 1) {
          const starting = new Promise<number>((resolve) => {
            started = resolve;
          });
          const begin = performance.now();
          const priority = await priorityOf('pro', `user-${n % 7}`);
          const taken = performance.now();
          await producer.add(randomUUID(), { id: 'idle' }, { priority });
          delays.priority.push(taken - begin);
          delays.add.push(performance.now() - taken);
          delays.start.push((await starting) - taken);
          await sleep(2);
        }
        await worker.close();
        await producer.close();
        return delays;
      },
    };
  };

  return {
    open,
    close: () => {
      redis.disconnect();
      retrying.disconnect();
    },
  };
}
