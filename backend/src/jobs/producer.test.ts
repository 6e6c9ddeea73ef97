import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { connectRedis, type Redis } from '../db/redis.ts';
import { defineJob } from './define-job.ts';
import { createProducer, ensureQueued, type JobProducer } from './producer.ts';
import { type ErrorPlace, startWorker } from './worker.ts';

let redis: Redis;
let retrying: Redis;
let definition: ReturnType<typeof jobs>;
let producer: JobProducer<Record<string, never>>;
const closings: (() => Promise<void>)[] = [];

const jobs = () =>
  defineJob({
    name: `producer-${randomUUID()}`,
    schema: z.object({}),
    retry: { attempts: 2, firstMs: 1 },
  });

beforeAll(async () => {
  const url = process.env.REDIS_URL ?? '';
  const onError = () => undefined;
  redis = await connectRedis(url, { retry: 'never', onError });
  retrying = await connectRedis(url, { retry: 'always', onError });
});
beforeEach(() => {
  definition = jobs();
  producer = createProducer(definition, redis);
  closings.push(producer.close);
});
afterAll(async () => {
  for (const close of closings) await close();
  redis.disconnect();
  retrying.disconnect();
});

const keyOf = (list: string) => `{${definition.name}}:${definition.name}:${list}`;

describe('a job that must be queued', () => {
  let added = 0;
  const ensure = () =>
    ensureQueued(producer, 'one', async () => {
      added += 1;
      await producer.add('one', {});
    });
  beforeEach(() => {
    added = 0;
  });

  it('is added once while it can run', async () => {
    for (let n = 0; n < 3; n += 1) await ensure();
    expect(added).toBe(1);
    await producer.remove('one');
    await producer.add('one', {}, { delayMs: 60_000 });
    await ensure();
    expect(added).toBe(1);
  });

  // The remains of a job when Redis has lost a part of its keys.
  it.each([
    ['waited', {}, 'wait'],
    ['was delayed', { delayMs: 60_000 }, 'delayed'],
    ['waited with a priority', { priority: 2 }, 'prioritized'],
  ])('is added again when it %s and its list is lost', async (_, options, list) => {
    await producer.add('one', {}, options);
    await redis.del(keyOf(list));
    expect(await redis.exists(keyOf('one'))).toBe(1);
    await ensure();
    expect(added).toBe(1);
    expect(await redis.lrange(keyOf('wait'), 0, -1)).toEqual(['one']);
  });
});

it('a job that fails is reported with its queue, its id and the attempt', async () => {
  const failures: [unknown, ErrorPlace][] = [];
  const worker = await startWorker(definition, {
    redis: retrying,
    handle: async () => {
      throw new Error('It fails.');
    },
    onError: (...failure) => failures.push(failure),
  });
  await producer.add('one', {});
  const places = () => failures.map(([, place]) => place);
  await expect
    .poll(places)
    .toEqual([1, 2].map((attempt) => ({ queue: definition.name, jobId: 'one', attempt })));
  await worker.close();
});

describe('a job of a newer version', () => {
  const name = `versions-${randomUUID()}`;
  const newer = defineJob({ name, schema: z.object({ replyId: z.string() }) });
  const older = defineJob({ name, schema: z.object({ id: z.string() }) });
  let ofNewer: JobProducer<{ replyId: string }>;
  let failures: [unknown, ErrorPlace][];
  let handled: string[];
  beforeEach(async () => {
    failures = [];
    handled = [];
    ofNewer = createProducer(newer, redis);
    closings.push(ofNewer.close);
    await redis.del(...(await redis.keys(`{${name}}*`)), 'none');
  });
  const startOlder = () =>
    startWorker(older, {
      redis: retrying,
      handle: async ({ id }) => {
        handled.push(id);
      },
      onError: (...failure) => failures.push(failure),
    });
  const keyOfJob = `{${name}}:${name}:one`;

  it('goes back to its queue, with a line in the log, and is run by a worker that can read it', async () => {
    const worker = await startOlder();
    await ofNewer.add('one', { replyId: 'reply' });
    const delayed = `{${name}}:${name}:delayed`;
    await expect.poll(() => redis.zcard(delayed)).toBe(1);
    expect(failures).toMatchObject([[{ message: expect.stringContaining('cannot read') }, {}]]);
    await worker.close();
    // Its wait is over.
    await redis.zadd(delayed, 1, 'one');
    const done: string[] = [];
    const able = await startWorker(newer, {
      redis: retrying,
      handle: async ({ replyId }) => {
        done.push(replyId);
      },
      onError: (...failure) => failures.push(failure),
    });
    await expect.poll(() => done).toEqual(['reply']);
    await able.close();
    expect([handled, failures.length]).toEqual([[], 1]);
  });

  it('is given up a day after it was enqueued, with a line in the log', async () => {
    await ofNewer.add('one', { replyId: 'reply' });
    await redis.hset(keyOfJob, 'timestamp', Date.now() - 25 * 3600 * 1_000);
    const worker = await startOlder();
    await expect.poll(() => redis.exists(keyOfJob)).toBe(0);
    await worker.close();
    expect(failures).toMatchObject([
      [{ message: expect.stringContaining('nor did any other within a day') }, { jobId: 'one' }],
    ]);
  });
});

describe('the jobs of a user', () => {
  const define = () =>
    defineJob({
      name: `of-users-${randomUUID()}`,
      schema: z.object({ ownerId: z.string() }),
      userOf: ({ ownerId }) => ownerId,
    });
  let ofUsers: ReturnType<typeof define>;
  let jobsOfUsers: JobProducer<{ ownerId: string }>;
  beforeEach(async () => {
    ofUsers = define();
    jobsOfUsers = createProducer(ofUsers, redis);
    closings.push(jobsOfUsers.close);
    for (const [jobId, options] of [
      ['one', {}],
      ['two', { delayMs: 60_000 }],
      ['three', { priority: 3 }],
    ] as const)
      await jobsOfUsers.add(jobId, { ownerId: 'ada' }, options);
    await jobsOfUsers.add('other', { ownerId: 'ben' });
  });

  it('are counted and removed, and no trace of the user stays', async () => {
    expect(await jobsOfUsers.countOf('ada')).toBe(3);
    await jobsOfUsers.removeAllOf('ada');
    expect([await jobsOfUsers.countOf('ada'), await jobsOfUsers.countOf('ben')]).toEqual([0, 1]);
    expect(await redis.keys(`{${ofUsers.name}}*ada*`)).toEqual([]);
  });

  it('are counted until they have ended; the ids of ended ones expire', async () => {
    let release = () => {};
    const started: string[] = [];
    const worker = await startWorker(ofUsers, {
      redis: retrying,
      handle: async ({ ownerId }) => {
        started.push(ownerId);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      },
      concurrency: 1,
      onError: () => undefined,
    });
    await expect.poll(() => started).toEqual(['ada']);
    await jobsOfUsers.removeAllOf('ada');
    expect(await jobsOfUsers.countOf('ada')).toBe(1);
    release();
    await expect.poll(() => jobsOfUsers.countOf('ada')).toBe(0);
    expect(await redis.pttl(`{${ofUsers.name}}:of:ada`)).toBeGreaterThan(0);
    release();
    await expect.poll(() => started).toEqual(['ada', 'ben']);
    release();
    await worker.close();
  });
});
