import { beforeAll, describe, expect, it } from 'vitest';
import { LEASE_MS, latch, laterOf, SHAPES, startTasks, type TaskKey } from './durable.fixture.ts';
import { createTaskQueue, SWEEP_AFTER_MS } from './durable.ts';
import { startWorker } from './worker.ts';

type Rig = Awaited<ReturnType<typeof startTasks>>;

describe.each(Object.keys(SHAPES))('the sweep of tasks in %s', (shape) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startTasks(shape);
  });
  /** Removes the data of earlier tests. */
  const fresh = async () => {
    await rig.model.deleteMany({});
  };

  it('enqueues each task without a job once, with any number of sweeps', async () => {
    await fresh();
    const keys = await Promise.all(Array.from({ length: 5 }, () => rig.insert()));
    const added: string[] = [];
    const ensure = async (key: TaskKey) => {
      added.push(key.id);
      await rig.queue.ensure(key);
    };
    await Promise.all([1, 2, 3].map(() => rig.sweep({ queue: { ensure } })));
    expect(added.toSorted()).toEqual(keys.map(({ id }) => id).toSorted());
    await rig.sweep({ queue: { ensure } });
    expect(added).toHaveLength(5);
  });

  it('enqueues the rest again when Redis was emptied, or has lost half of it', async () => {
    await fresh();
    const [gone, half] = [await rig.insert(), await rig.insert()];
    await rig.queue.enqueue(gone);
    await rig.queue.enqueue(half);
    const prefix = `{${rig.job.name}}:${rig.job.name}`;
    await rig.redis.del(`${prefix}:wait`, `${prefix}:${gone.id}`);
    expect(await rig.redis.exists(`${prefix}:${half.id}`)).toBe(1);
    await rig.sweep();
    expect(await rig.producer.canRun(gone.id)).toBe(true);
    expect(await rig.producer.canRun(half.id)).toBe(true);
  });

  it('ignores tasks that have ended, that run, or that wait for their time', async () => {
    await fresh();
    const [ended, running, waiting] = [await rig.insert(), await rig.insert(), await rig.insert()];
    await rig.worker({}).run(ended);
    const begun = latch();
    const run = () => {
      begun.open();
      return new Promise<never>(() => {});
    };
    rig
      .worker({ run, heartbeatMs: 60_000 })
      .run(running)
      .catch(() => undefined);
    await begun.opened;
    await laterOf(
      rig.worker({ run: async () => Promise.reject(new Error('It fails.')) }).run(waiting),
    );
    const ensured: string[] = [];
    const ensure = async ({ id }: TaskKey) => void ensured.push(id);
    await rig.sweep({ queue: { ensure } });
    expect(ensured).toEqual([]);
    rig.wait(SWEEP_AFTER_MS + LEASE_MS);
    await rig.sweep({ queue: { ensure } });
    expect(ensured.toSorted()).toEqual([running.id, waiting.id].toSorted());
  });

  it('takes the longest due tasks first', async () => {
    await fresh();
    const keys: TaskKey[] = [];
    for (let n = 0; n < 6; n += 1) keys.push(await rig.insert());
    // Each becomes due at another time, in an order that differs from their ids.
    const order = [3, 0, 5, 1, 4, 2].flatMap((n) => keys[n] ?? []);
    for (const [n, key] of order.entries())
      await rig.tasks.lease(key, { now: rig.now(), dueAt: new Date(rig.now().getTime() + n * 10) });
    rig.wait(1_000);
    expect(await rig.tasks.findDue({ now: rig.now(), limit: 100 })).toEqual(order);
    expect(await rig.tasks.findDue({ now: rig.now(), limit: 2 })).toEqual(order.slice(0, 2));
  });

  it('continues after a task that cannot be enqueued, and handles the tasks after many such ones', async () => {
    await fresh();
    const bad = await Promise.all(Array.from({ length: 250 }, () => rig.insert()));
    const isBad = new Set(bad.map(({ id }) => id));
    const swept: string[] = [];
    const ensure = async ({ id }: TaskKey) => {
      if (isBad.has(id)) throw new Error('Redis refuses.');
      swept.push(id);
    };
    // More than one sweep takes, all before the valid one.
    await expect(rig.sweep({ queue: { ensure } })).rejects.toThrow('200 items have failed');
    const good = await rig.insert();
    rig.wait(SWEEP_AFTER_MS / 2);
    await rig.sweep({ queue: { ensure } }).catch(() => undefined);
    expect(swept).toEqual([good.id]);
  });
});

describe('a durable task in a queue', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startTasks('a document');
  });

  it('is run once each by two workers, and a failing one is retried', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => rig.insert()));
    const runs = new Map<string, number>();
    const task = rig.worker({
      retryMs: () => 1,
      run: async ({ key, failures }) => {
        runs.set(key.id, (runs.get(key.id) ?? 0) + 1);
        if (failures === 0) throw new Error('It fails.');
        return { end: rig.endOf('ready') };
      },
    });
    const connections = [await rig.connectWaiting(), await rig.connectWaiting()];
    const workers = await Promise.all(
      connections.map((redis) =>
        startWorker(rig.job, { redis, handle: task.run, onError: () => undefined }),
      ),
    );
    await Promise.all(keys.flatMap((key) => [rig.queue.enqueue(key), rig.queue.ensure(key)]));
    const results = async () => (await Promise.all(keys.map(rig.view))).map(({ result }) => result);
    await expect.poll(results).toEqual(keys.map(() => 'ready'));
    expect([...runs.values()]).toEqual(keys.map(() => 2));
    for (const worker of workers) await worker.close();
    for (const redis of connections) redis.disconnect();
  });

  it('that Redis cannot take is left to the sweep, and the log names its job', async () => {
    const key = await rig.insert();
    const warned: object[] = [];
    const add = async () => Promise.reject(new Error('Redis is unreachable'));
    const queue = createTaskQueue(rig.job, {
      producer: { ...rig.producer, add },
      idOf: ({ id }: TaskKey) => id,
      log: { warn: (about: object) => void warned.push(about) } as never,
    });
    await queue.enqueue(key);
    expect(warned).toMatchObject([{ queue: rig.job.name, jobId: key.id }]);
    await rig.sweep();
    expect(await rig.producer.canRun(key.id)).toBe(true);
  });

  it('that fails or is given up is logged with its queue, its job and the attempt', async () => {
    const key = await rig.insert();
    const lines: object[] = [];
    const note = (about: object, text: string) => void lines.push({ ...about, text });
    const log = { warn: note, error: note } as never;
    const run = async () => Promise.reject(new Error('It fails.'));
    const worker = rig.worker({ run, log, retries: 1 });
    await laterOf(worker.run(key));
    await worker.run(key);
    const place = { queue: rig.job.name, jobId: key.id };
    expect(lines).toMatchObject([
      { ...place, attempt: 1, text: 'task failed, will be retried' },
      { ...place, attempt: 2, text: 'task given up' },
    ]);
  });
});
