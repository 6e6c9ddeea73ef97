import { once } from 'node:events';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectRedis, type Redis } from '../../../db/redis.ts';
import { createFairQueue } from '../../../jobs/fair-queue.ts';
import { createProducer, type JobProducer } from '../../../jobs/producer.ts';
import type { Entitlements } from '../../billing/index.ts';
import type { FilesFeature } from '../feature.ts';
import { guestReadingJob, READING_WEIGHTS, type ReadingJob, readingJob } from './lanes.ts';
import { readingQueue } from './queue.ts';
import { readAgain } from './read-again.ts';
import { fakeReader, newId, READ, startReading } from './reading.fixture.ts';
import { readingJobs, readingSweep } from './task.ts';
import { waitUntilRead } from './waiting.ts';

let rig: Awaited<ReturnType<typeof startReading>>;
let redis: Redis;
let readingProducer: JobProducer<ReadingJob>;
let guestProducer: JobProducer<ReadingJob>;
const guests = new Set<string>();
const PAST = new Date(Date.now() - 60_000);
const PROBLEM = { code: 'damaged', message: 'Broken.' };
const LATE = { reading: { tries: 1, dueAt: PAST } };

beforeAll(async () => {
  rig = await startReading();
  redis = await connectRedis(process.env.REDIS_URL ?? '', {
    retry: 'never',
    onError: () => undefined,
  });
  readingProducer = createProducer(readingJob, redis);
  guestProducer = createProducer(guestReadingJob, redis);
  return async () => {
    await Promise.all([readingProducer.close(), guestProducer.close()]);
    redis.disconnect();
  };
});

/** The feature with queues in Redis; a test may replace calls of the users' queue. */
const onQueue = (producer: Partial<typeof readingProducer> = {}): FilesFeature => ({
  ...rig.files,
  readingLanes: {
    users: laneOf(readingJob, { ...readingProducer, ...producer }),
    guests: laneOf(guestReadingJob, guestProducer),
  },
  others: { ...rig.files.others, billing: { entitlementsOf } },
});
const entitlementsOf = async (userId: string) =>
  ({ kind: guests.has(userId) ? 'guest' : 'user' }) as Entitlements;
const queue = () => readingQueue(onQueue());
const laneOf = (job: typeof readingJob, producer: typeof readingProducer) => ({
  producer,
  fairQueue: createFairQueue(redis, job, { weights: READING_WEIGHTS }),
});
const jobOf = ({ id, ownerId }: { id: string; ownerId: string }) => ({ fileId: id, ownerId });
const unreachable = async () => Promise.reject(new Error('Redis is unreachable'));

/** A queue that records the enqueued files. */
function countingQueue() {
  const added: string[] = [];
  const files = onQueue({
    add: async (id, ...rest) => {
      added.push(id);
      await readingProducer.add(id, ...rest);
    },
  });
  return { added, sweep: readingSweep(files).run };
}

describe('a file without a job', () => {
  it.each([
    ['that waits', { ...LATE, state: 'waiting' }],
    ['that never had one', {}],
    ['whose worker was lost', { ...LATE, state: 'reading' }],
  ])('%s is enqueued once, with any number of sweeps', async (_, fields) => {
    const { id } = await rig.insert(fields);
    const { added, sweep } = countingQueue();
    await sweep();
    await Promise.all([sweep(), sweep()]);
    expect(added.filter((one) => one === id)).toEqual([id]);
    expect(await readingProducer.canRun(id)).toBe(true);
  });

  it.each([
    ['ready', { ...LATE, state: 'ready' }],
    [
      'being read',
      { state: 'reading', reading: { tries: 1, dueAt: new Date(Date.now() + 60_000) } },
    ],
  ])('is not enqueued when it is %s', async (_, fields) => {
    const { id } = await rig.insert(fields);
    const { added, sweep } = countingQueue();
    await sweep();
    expect(added).not.toContain(id);
  });

  it('is enqueued although its job exists, when that can never run', async () => {
    const { id, key } = await rig.insert(LATE);
    await readingProducer.add(id, { fileId: id, ownerId: key.ownerId });
    await redis.lrem('{file-reading}:file-reading:wait', 0, id);
    await readingSweep(onQueue()).run();
    expect(await readingProducer.canRun(id)).toBe(true);
  });
});

describe('the queue', () => {
  it('lets the single file of a user start before the many files of another', async () => {
    const [many, one] = [newId(), newId()];
    const ids = Array.from({ length: 20 }, newId);
    for (const id of ids) await queue().ensure({ fileId: id, ownerId: many });
    const single = newId();
    await queue().ensure({ fileId: single, ownerId: one });
    const ahead = await Promise.all([...ids, single].map(readingProducer.ahead));
    expect(ahead).not.toContain(null);
    const before = ids.filter((_, n) => (ahead[n] ?? 0) < (ahead.at(-1) ?? 0));
    expect(before.length).toBeLessThanOrEqual(2);
  });

  it('has files of guests in separate jobs, once', async () => {
    const file = { id: newId(), ownerId: newId() };
    guests.add(file.ownerId);
    await queue().ensure(jobOf(file));
    const canRun = () =>
      Promise.all([readingProducer, guestProducer].map((it) => it.canRun(file.id)));
    expect(await canRun()).toEqual([false, true]);
    guests.delete(file.ownerId);
    await queue().ensure(jobOf(file));
    expect(await canRun()).toEqual([false, true]);
  });

  it('leaves a reader to users with a plan while guests upload files that take long', async () => {
    const started: string[] = [];
    const reader = fakeReader({
      read: async ({ name, signal }) => {
        if (['slow.html', 'quick.txt'].includes(name)) started.push(name);
        if (name !== 'slow.html') return READ;
        await once(signal ?? new EventTarget(), 'abort');
        throw new Error('Stopped.');
      },
    });
    const retrying = await connectRedis(process.env.REDIS_URL ?? '', {
      retry: 'always',
      onError: () => undefined,
    });
    const slow = await Promise.all([1, 2, 3, 4].map(() => rig.insert({ name: 'slow.html' })));
    for (const { key } of slow) {
      guests.add(key.ownerId);
      await queue().ensure(jobOf(key));
    }
    const options = { redis: retrying, onError: () => undefined };
    const config = { ...rig.files.config, FILE_READERS: 3 };
    const jobs = readingJobs({ ...onQueue(), reader, config });
    const workers = await Promise.all(jobs.map((job) => job.start(options)));
    onTestFinished(async () => {
      for (const { releaseAll } of jobs) releaseAll?.();
      await Promise.all(workers.map((worker) => worker.close()));
      retrying.disconnect();
    });
    await expect.poll(() => started).toEqual(['slow.html', 'slow.html']);
    const { key, id } = await rig.insert({ name: 'quick.txt' });
    await queue().ensure(jobOf(key));
    await expect.poll(async () => (await rig.stored(id)).state).toBe('ready');
    expect(started).toEqual(['slow.html', 'slow.html', 'quick.txt']);
  });

  it('being unreachable does not fail an upload: the sweeper enqueues the file', async () => {
    const file = await rig.insert();
    const { enqueue } = readingQueue(onQueue({ canRun: unreachable }));
    await expect(enqueue(jobOf(file))).resolves.toBeUndefined();
  });
});

describe('a file that is to be read again', () => {
  const failed = { state: 'failed', problem: PROBLEM, reading: { tries: 3, lost: 2 } };

  it('waits, has a job, and its tabs are notified', async () => {
    const { id, key } = await rig.insert(failed);
    const actor = { userId: key.ownerId };
    expect(await readAgain(onQueue(), actor, id)).toMatchObject({ state: 'waiting' });
    expect(await readAgain(onQueue(), actor, id)).toMatchObject({ state: 'waiting' });
    expect(await readingProducer.canRun(id)).toBe(true);
    expect(rig.statesOf(id)).toEqual(['waiting']);
    await rig.task().run({ fileId: id, ownerId: key.ownerId });
    expect(await rig.readings.find(key)).toMatchObject({ state: 'ready' });
  });

  it('is published as waiting before a worker can read it', async () => {
    const { id, key } = await rig.insert(failed);
    let published: string[] = [];
    const canRun = async () => {
      published = rig.statesOf(id);
      return true;
    };
    await readAgain(onQueue({ canRun }), { userId: key.ownerId }, id);
    expect(published).toEqual(['waiting']);
  });

  it('stays unchanged when it has not failed', async () => {
    const { id, key } = await rig.insert({ state: 'ready' });
    expect(await readAgain(onQueue(), { userId: key.ownerId }, id)).toMatchObject({
      state: 'ready',
    });
    expect(rig.statesOf(id)).toEqual([]);
  });

  it.each(['timed_out', 'too_complex'])('is read again once when it was %s', async (code) => {
    const problem = { code, message: 'Too much.' };
    const { id, key } = await rig.insert({ ...failed, problem });
    const actor = { userId: key.ownerId };
    expect(await readAgain(onQueue(), actor, id)).toMatchObject({ state: 'waiting' });
    await rig.model.updateOne({ _id: id }, { state: 'failed', problem });
    await expect(readAgain(onQueue(), actor, id)).rejects.toMatchObject({ code: 'file_not_ready' });
    expect(await rig.stored(id)).toMatchObject({ state: 'failed', problem: { code } });
    // A failure of the server is no problem of the file.
    await rig.model.updateOne({ _id: id }, { problem: PROBLEM });
    expect(await readAgain(onQueue(), actor, id)).toMatchObject({ state: 'waiting' });
  });

  it('of another user does not exist', async () => {
    const { id } = await rig.insert(failed);
    await expect(readAgain(onQueue(), { userId: newId() }, id)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await rig.stored(id)).toMatchObject({ state: 'failed' });
  });
});

describe('waiting until files are read', () => {
  const { signal } = new AbortController();
  const wait = (options: object) =>
    waitUntilRead(rig.files, { ownerId: '', fileIds: [], timeoutMs: 60_000, signal, ...options });

  it('ends when none of them is being read, and ignores files of others', async () => {
    const ownerId = newId();
    const [ready, reading] = [
      await rig.insert({ ownerId, state: 'ready' }),
      await rig.insert({ ownerId, state: 'reading' }),
    ];
    await wait({ ownerId, fileIds: [ready.id] });
    await wait({ ownerId: newId(), fileIds: [reading.id] });
    const ended: string[] = [];
    const waiting = wait({ ownerId, fileIds: [ready.id, reading.id] }).then(() =>
      ended.push('wait'),
    );
    await rig.model.findById(reading.id);
    ended.push('failed');
    await rig.model.updateOne({ _id: reading.id }, { state: 'failed' });
    await waiting;
    expect(ended).toEqual(['failed', 'wait']);
  });

  it('ends at its timeout', async () => {
    const { id, ownerId } = await rig.insert();
    await expect(wait({ ownerId, fileIds: [id], timeoutMs: 1 })).resolves.toBeUndefined();
  });

  it('rejects with the reason of its signal', async () => {
    const { id, ownerId } = await rig.insert();
    const controller = new AbortController();
    const waiting = wait({ ownerId, fileIds: [id], signal: controller.signal });
    controller.abort(new Error('Stopped'));
    await expect(waiting).rejects.toThrow('Stopped');
  });
});
