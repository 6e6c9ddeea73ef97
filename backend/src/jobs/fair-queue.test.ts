import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { startRedis } from '../../test/processes.ts';
import { connectRedis, type Redis } from '../db/redis.ts';
import { defineJob, RunLaterError } from './define-job.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';
import { createProducer, type JobProducer } from './producer.ts';
import { type JobWorker, startWorker } from './worker.ts';

type Group = 'gold' | 'silver' | 'tin';
type Payload = { name: string };

const WEIGHTS = { gold: 4, silver: 2, tin: 1 };
const onError = () => undefined;
const closings: (() => Promise<unknown>)[] = [];
const anyUser = () => randomUUID();

let redis: Redis;
let retrying: Redis;
let definition: ReturnType<typeof jobs>;
let producer: JobProducer<Payload>;
let fair: FairQueue<Group>;

const jobs = (name: string) =>
  defineJob<Payload>({
    name,
    schema: z.object({ name: z.string() }),
    // Longer than a test takes on a busy machine: a lock that cannot be renewed in time is a failure.
    lockMs: 120_000,
    stallCheckMs: 200,
    maxStalls: 5,
  });

const open = (on: Redis, lowestPriority?: number) => {
  definition = jobs(`fair-${randomUUID()}`);
  producer = createProducer(definition, on);
  closings.push(producer.close);
  const bound = lowestPriority === undefined ? {} : { lowestPriority };
  fair = createFairQueue<Group>(on, definition, { weights: WEIGHTS, ...bound });
};

beforeAll(async () => {
  const url = process.env.REDIS_URL ?? '';
  redis = await connectRedis(url, { retry: 'never', onError });
  retrying = await connectRedis(url, { retry: 'always', onError });
});
beforeEach(() => open(redis));
afterAll(async () => {
  for (const close of closings) await close();
  redis.disconnect();
  retrying.disconnect();
});

/** Enters and enqueues jobs named `<member><number>`, one after the other. */
const enqueue = async (group: Group, member: string, count = 1) => {
  for (let n = 1; n <= count; n += 1) {
    const priority = await fair.enter({ group, member });
    await producer.add(`${member}${n}`, { name: member }, { priority });
  }
};

/** Runs `count` jobs, one at a time, and returns the order of their members. */
const run = async (
  count: number,
  {
    on = retrying,
    from = definition,
    onRun,
  }: { on?: Redis; from?: typeof definition; onRun?: (name: string) => Promise<void> } = {},
) => {
  const order: string[] = [];
  const failures: unknown[] = [];
  const starting: Promise<JobWorker> = startWorker(from, {
    redis: on,
    concurrency: 1,
    onError: (error) => failures.push(error),
    onStart: fair.started,
    handle: async ({ name }) => {
      await onRun?.(name);
      order.push(name);
      // A closing worker takes no other job.
      if (order.length === count) void (await starting).close();
    },
  });
  await expect.poll(() => order.length + failures.length).toBeGreaterThanOrEqual(count);
  await (await starting).close();
  expect(failures).toEqual([]);
  return order;
};

const countOf = (order: string[], name: string) => order.filter((one) => one === name).length;

describe('shares of groups', () => {
  it('follow the weights while every group has waiting jobs', async () => {
    for (let n = 0; n < 20; n += 1) {
      await enqueue('tin', `tin-${n}.`);
      await enqueue('silver', `silver-${n}.`);
      await enqueue('gold', `gold-${n}.`);
    }
    const order = (await run(60)).map((name) => name.split('-')[0] ?? '');
    const first = order.slice(0, 28);
    expect(countOf(first, 'gold')).toBeGreaterThanOrEqual(15);
    expect(countOf(first, 'silver')).toBeGreaterThanOrEqual(7);
    expect(countOf(first, 'tin')).toBeGreaterThanOrEqual(3);
    expect(order.slice(0, 7)).toContain('tin');
  });

  it('do not depend on how many members a group has', async () => {
    for (let n = 0; n < 40; n += 1) await enqueue('tin', `tin-${n}.`);
    await enqueue('gold', 'gold', 8);
    const first = (await run(48)).slice(0, 11);
    expect(countOf(first, 'gold')).toBe(8);
  });

  it('let a new job of a greater group start before a crowd of a smaller one', async () => {
    for (let n = 0; n < 30; n += 1) await enqueue('tin', `tin-${n}.`);
    await enqueue('silver', 'silver');
    await enqueue('gold', 'gold');
    expect((await run(32)).slice(0, 2)).toEqual(['gold', 'silver']);
  });

  it('let a job of the smallest group start among jobs of the greatest that keep coming', async () => {
    await enqueue('gold', 'first', 2);
    await enqueue('tin', 'tin');
    let arrivals = 0;
    const order = await run(20, {
      onRun: async () => {
        arrivals += 1;
        await enqueue('gold', `gold-${arrivals}.`);
      },
    });
    expect(order.indexOf('tin')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('tin')).toBeLessThan(8);
  });

  it('give everything to a single group', async () => {
    await enqueue('tin', 'a', 3);
    expect(await run(3)).toEqual(['a', 'a', 'a']);
  });
});

describe('members of a group', () => {
  it('take turns, also when one has enqueued twenty jobs before the other', async () => {
    await enqueue('silver', 'many', 20);
    await enqueue('silver', 'one');
    expect((await run(21)).indexOf('one')).toBeLessThanOrEqual(2);
  });

  it('take turns however many jobs each has', async () => {
    for (let n = 1; n <= 6; n += 1)
      for (const member of ['a', 'b', 'c']) {
        const priority = await fair.enter({ group: 'gold', member });
        await producer.add(`${member}${n}`, { name: member }, { priority });
      }
    const order = await run(18);
    for (let turn = 0; turn < 18; turn += 3)
      expect(new Set(order.slice(turn, turn + 3))).toEqual(new Set(['a', 'b', 'c']));
  });

  it('owe nothing for jobs that have started', async () => {
    await enqueue('silver', 'regular', 10);
    await run(10);
    await enqueue('silver', 'new');
    await enqueue('silver', 'regular');
    expect(await run(2)).toEqual(['new', 'regular']);
    const [first, second] = [
      await fair.enter({ group: 'silver', member: 'regular' }),
      await fair.enter({ group: 'silver', member: anyUser() }),
    ];
    expect(second - first).toBeLessThanOrEqual(2);
  });

  it('are counted while their jobs wait, and not after', async () => {
    const first = await fair.enter({ group: 'tin', member: 'a' });
    const second = await fair.enter({ group: 'tin', member: 'b' });
    expect([first, second]).toEqual([4, 8]);
    await fair.started(8);
    expect(await fair.enter({ group: 'tin', member: 'c' })).toBe(12);
  });

  it('do not count from a time that was never given, or that has passed', async () => {
    await fair.started(1_000);
    expect(await fair.enter({ group: 'gold', member: 'a' })).toBe(1);
    await fair.started(1_000);
    await fair.started(0);
    expect(await fair.enter({ group: 'silver', member: 'b' })).toBe(3);
  });

  it('expire from an idle queue', async () => {
    await fair.enter({ group: 'tin', member: 'a' });
    const state = `{${definition.name}}:fair`;
    const keys = [state, `${state}:tin`];
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });
});

describe('jobs without a priority', () => {
  it('start before all others and change nothing', async () => {
    await enqueue('gold', 'gold', 2);
    await producer.add('urgent', { name: 'urgent' });
    expect(await run(3)).toEqual(['urgent', 'gold', 'gold']);
  });

  it('are those that run later: they have had their turn', async () => {
    await producer.add('later', { name: 'later' }, { priority: 1_000 });
    let isFirst = true;
    const order = await run(31, {
      onRun: async (name) => {
        if (name !== 'later' || !isFirst) return;
        isFirst = false;
        await enqueue('gold', 'gold', 30);
        throw new RunLaterError(0);
      },
    });
    expect(order.at(-1)).toBe('gold');
  });
});

describe('the place of a job', () => {
  it('counts the jobs that start before it, and ends when it runs', async () => {
    await enqueue('tin', 'tin', 3);
    expect(await Promise.all(['tin1', 'tin2', 'tin3'].map(producer.ahead))).toEqual([0, 1, 2]);
    await producer.add('urgent', { name: 'urgent' });
    await enqueue('gold', 'gold');
    expect(await Promise.all(['gold1', 'tin1', 'tin3'].map(producer.ahead))).toEqual([1, 2, 4]);
    expect(await producer.waiting({ limit: 2 })).toEqual({ ahead: 1, jobIds: ['gold1', 'tin1'] });
    expect(await producer.ahead('urgent')).toBeNull();
    await run(5);
    expect(await producer.ahead('tin1')).toBeNull();
  });

  it('moves up when a job before it is removed', async () => {
    await enqueue('tin', 'tin', 3);
    expect(await producer.canRun('tin1')).toBe(true);
    await producer.remove('tin1');
    expect(await producer.canRun('tin1')).toBe(false);
    expect(await producer.ahead('tin3')).toBe(1);
  });
});

describe('priorities at their bound', () => {
  const priorities = async () => {
    const key = `{${definition.name}}:${definition.name}:prioritized`;
    const flat = await redis.zrange(key, 0, '-1', 'WITHSCORES');
    return flat.filter((_, at) => at % 2 === 1).map((score) => Math.floor(Number(score) / 2 ** 32));
  };

  it('are lowered with the jobs that wait, which keep their order', async () => {
    open(redis, 40);
    const order: string[] = [];
    let next = 0;
    // The queue is never empty: three jobs always wait.
    for (; next < 3; next += 1) await enqueue('tin', `m${next}.`);
    await run(60, {
      onRun: async (name) => {
        order.push(name);
        await enqueue('tin', `m${next}.`);
        next += 1;
        expect(Math.max(...(await priorities()))).toBeLessThanOrEqual(40);
      },
    });
    expect(order).toEqual(Array.from({ length: order.length }, (_, n) => `m${n}.`));
    expect(next).toBeGreaterThanOrEqual(60);
  });

  it('are those of the jobs as well, so that a job that starts says the right time', async () => {
    open(redis, 40);
    for (let n = 0; n < 9; n += 1) await enqueue('tin', `m${n}.`);
    await run(6);
    expect(await fair.enter({ group: 'tin', member: anyUser() })).toBe(40);
    expect(await priorities()).toEqual([28, 32, 36]);
    expect(await fair.enter({ group: 'tin', member: anyUser() })).toBe(20);
    expect(await priorities()).toEqual([4, 8, 12]);
    expect(await redis.hget(`{${definition.name}}:${definition.name}:m6.1`, 'priority')).toBe('4');
    await run(1);
    expect(await fair.enter({ group: 'gold', member: anyUser() })).toBe(5);
  });

  it('are the lowest one when more jobs wait than there are priorities', async () => {
    open(redis, 40);
    for (let n = 0; n < 15; n += 1) await enqueue('tin', `m${n}.`);
    expect(Math.max(...(await priorities()))).toBe(40);
    expect(await run(15)).toEqual(Array.from({ length: 15 }, (_, n) => `m${n}.`));
  });

  it('do not delay a job that was added after they were lowered', async () => {
    open(redis, 100);
    for (let n = 0; n < 20; n += 1) await enqueue('tin', `m${n}.`);
    const late = await fair.enter({ group: 'tin', member: 'late' });
    await run(18);
    for (let n = 0; n < 4; n += 1) await fair.enter({ group: 'tin', member: anyUser() });
    await enqueue('tin', 'lowers');
    expect(await priorities()).toEqual([4, 8, 32]);
    await producer.add('late', { name: 'late' }, { priority: late });
    await enqueue('tin', 'after');
    expect(await run(5)).toEqual(['m18.', 'm19.', 'lowers', 'late', 'after']);
  });
});

describe('Redis', () => {
  it('may restart empty: shares begin again and jobs run', async () => {
    const server = await startRedis();
    const own = await connectRedis(server.url, { retry: 'never', onError });
    const waiting = await connectRedis(server.url, { retry: 'always', onError });
    closings.push(async () => [own.disconnect(), waiting.disconnect()]);
    open(own);
    await enqueue('tin', 'lost', 5);
    await server.restart();
    await expect.poll(() => own.ping().catch(() => null)).toBe('PONG');
    await own.flushall();
    await enqueue('tin', 'tin');
    await enqueue('gold', 'gold');
    expect(await run(2, { on: waiting })).toEqual(['gold', 'tin']);
  });

  it('may lose only the times: waiting jobs run', async () => {
    await enqueue('tin', 'tin', 3);
    await redis.del(`{${definition.name}}:fair`, `{${definition.name}}:fair:tin`);
    await enqueue('gold', 'gold');
    expect(await run(4)).toEqual(['gold', 'tin', 'tin', 'tin']);
  });
});
