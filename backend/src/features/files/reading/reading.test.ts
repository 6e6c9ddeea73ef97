import { beforeAll, describe, expect, it } from 'vitest';
import { connectRedis, type Redis } from '../../../db/redis.ts';
import { createFairQueue } from '../../../jobs/fair-queue.ts';
import { createProducer, type JobProducer } from '../../../jobs/producer.ts';
import { type ReadingJob, readingJob } from './job.ts';
import { createReadingQueue, READING_WEIGHTS } from './queue.ts';
import { newId, startReading } from './reading.fixture.ts';
import { createReadingService } from './service.ts';
import { createReadingSweeper } from './sweeper.ts';
import { createWaitUntilRead } from './waiting.ts';

let rig: Awaited<ReturnType<typeof startReading>>;
let redis: Redis;
let readingProducer: JobProducer<ReadingJob>;
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
  return async () => {
    await readingProducer.close();
    redis.disconnect();
  };
});

const queue = (producer: Partial<typeof readingProducer> = {}) =>
  createReadingQueue({
    readingProducer: { ...readingProducer, ...producer },
    readingFairQueue: createFairQueue(redis, readingJob, { weights: READING_WEIGHTS }),
  });
const unreachable = async () => Promise.reject(new Error('Redis is unreachable'));

/** A queue that notes which files are enqueued. */
function countingQueue() {
  const added: string[] = [];
  const readingQueue = queue({
    add: async (id, ...rest) => {
      added.push(id);
      await readingProducer.add(id, ...rest);
    },
  });
  return { added, readingQueue };
}

describe('a file without a job', () => {
  it.each([
    ['that waits', { ...LATE, state: 'waiting' }],
    ['that never had one', {}],
    ['whose worker was lost', { ...LATE, state: 'reading' }],
  ])('%s is enqueued once, however many sweep', async (_, fields) => {
    const { id } = await rig.insert(fields);
    const { added, readingQueue } = countingQueue();
    const sweep = createReadingSweeper({ ...rig, readingQueue });
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
    const { added, readingQueue } = countingQueue();
    await createReadingSweeper({ ...rig, readingQueue })();
    expect(added).not.toContain(id);
  });

  it('is enqueued although its job exists, when that can never run', async () => {
    const { id, key } = await rig.insert(LATE);
    await readingProducer.add(id, { fileId: id, ownerId: key.ownerId });
    await redis.lrem('{file-reading}:file-reading:wait', 0, id);
    await createReadingSweeper({ ...rig, readingQueue: queue() })();
    expect(await readingProducer.canRun(id)).toBe(true);
  });

  it('is not held up by another one that cannot be enqueued', async () => {
    const [broken, { id }] = [await rig.insert(LATE), await rig.insert(LATE)];
    const add: typeof readingProducer.add = (jobId, ...rest) =>
      jobId === broken.id ? unreachable() : readingProducer.add(jobId, ...rest);
    await createReadingSweeper({ ...rig, readingQueue: queue({ add }) })();
    expect(await readingProducer.canRun(id)).toBe(true);
  });
});

describe('the queue', () => {
  it('lets the single file of a user start before the many of another', async () => {
    const [many, one] = [newId(), newId()];
    const ids = Array.from({ length: 20 }, newId);
    for (const id of ids) await queue().ensureQueued({ id, ownerId: many });
    const single = newId();
    await queue().ensureQueued({ id: single, ownerId: one });
    const ahead = await Promise.all([...ids, single].map(readingProducer.ahead));
    expect(ahead).not.toContain(null);
    const before = ids.filter((_, n) => (ahead[n] ?? 0) < (ahead.at(-1) ?? 0));
    expect(before.length).toBeLessThanOrEqual(2);
  });

  it('being unreachable does not fail an upload: the sweeper enqueues the file', async () => {
    const file = await rig.insert();
    const readingQueue = queue({ canRun: unreachable });
    const { enqueue } = createReadingService({ ...rig, readingQueue });
    await expect(enqueue(file)).resolves.toBeUndefined();
  });
});

describe('a file that is to be read again', () => {
  const failed = { state: 'failed', problem: PROBLEM, reading: { tries: 3, lost: 2 } };

  it('waits, has a job, and its tabs are told', async () => {
    const { id, key } = await rig.insert(failed);
    const { readAgain } = createReadingService({ ...rig, readingQueue: queue() });
    const actor = { userId: key.ownerId };
    expect(await readAgain(actor, id)).toMatchObject({ state: 'waiting' });
    expect(await readAgain(actor, id)).toMatchObject({ state: 'waiting' });
    expect(await readingProducer.canRun(id)).toBe(true);
    expect(rig.statesOf(id)).toEqual(['waiting']);
    await rig.runner().run({ fileId: id, ownerId: key.ownerId });
    expect(await rig.readings.find(key)).toMatchObject({ state: 'ready' });
  });

  it('is published as waiting before a worker can read it', async () => {
    const { id, key } = await rig.insert(failed);
    let published: string[] = [];
    const canRun = async () => {
      published = rig.statesOf(id);
      return true;
    };
    const { readAgain } = createReadingService({ ...rig, readingQueue: queue({ canRun }) });
    await readAgain({ userId: key.ownerId }, id);
    expect(published).toEqual(['waiting']);
  });

  it('stays as it is when it has not failed', async () => {
    const { id, key } = await rig.insert({ state: 'ready' });
    const { readAgain } = createReadingService({ ...rig, readingQueue: queue() });
    expect(await readAgain({ userId: key.ownerId }, id)).toMatchObject({ state: 'ready' });
    expect(rig.statesOf(id)).toEqual([]);
  });

  it('of another user does not exist', async () => {
    const { id } = await rig.insert(failed);
    const { readAgain } = createReadingService({ ...rig, readingQueue: queue() });
    await expect(readAgain({ userId: newId() }, id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await rig.stored(id)).toMatchObject({ state: 'failed' });
  });
});

describe('waiting until files are read', () => {
  const { signal } = new AbortController();
  const wait = (options: object) =>
    createWaitUntilRead(rig)({ ownerId: '', fileIds: [], timeoutMs: 60_000, signal, ...options });

  it('ends when none of them is being read, and does not mind the files of others', async () => {
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

  it('ends at its time limit', async () => {
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
