import { beforeAll, describe, expect, it } from 'vitest';
import {
  LEASE_MS,
  latch,
  laterOf,
  mortal,
  SHAPES,
  startTasks,
  type TaskKey,
  type TaskView,
} from './durable.fixture.ts';
import { type DurableTask, SWEEP_AFTER_MS } from './durable.ts';

type Rig = Awaited<ReturnType<typeof startTasks>>;
type Changes = Partial<DurableTask<TaskKey, TaskView>>;

describe.each(Object.keys(SHAPES))('a durable task in %s', (shape) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startTasks(shape);
  });
  const fields = async (key: TaskKey) => (await rig.view(key)).fields;
  const attemptOf = ({ attempt, tries }: TaskView['fields']) => tries ?? attempt;

  /** Crashes a worker while it runs a task. */
  const crash = async (key: TaskKey, changes: Changes = {}) => {
    const { tasks, died } = mortal(rig.tasks, () => false);
    const started = latch();
    const run = () => {
      started.open();
      return new Promise<never>(() => {});
    };
    rig
      .worker({ tasks, run, heartbeatMs: 60_000, ...changes })
      .run(key)
      .catch(() => undefined);
    await Promise.race([started.opened, died]);
  };

  it('runs once and ends, however often its job is delivered', async () => {
    const key = await rig.insert();
    const attempts: number[] = [];
    const worker = rig.worker({
      run: async ({ attempt, lost, failures }) => {
        attempts.push(attempt, lost, failures);
        return { end: rig.endOf('ready') };
      },
    });
    await worker.run(key);
    await worker.run(key);
    expect(attempts).toEqual([1, 0, 0]);
    expect(await rig.view(key)).toMatchObject({ isPending: false, result: 'ready' });
    expect((await fields(key)).heartbeatAt).toBeUndefined();
  });

  const CUTS = ['start', 'heartbeat', 'putBack', 'end'].flatMap((write) => [
    `before ${write}`,
    `after ${write}`,
  ]);
  it.each(CUTS)(
    'whose worker is killed %s is ended by another one, and stored once',
    async (place) => {
      const key = await rig.insert();
      const { tasks, died } = mortal(rig.tasks, (at) => at === place);
      const beaten = latch();
      // An attempt that has a heartbeat, and then ends or waits for the next one.
      const run: Changes['run'] = async () => {
        if (place.endsWith('heartbeat')) await beaten.opened;
        if (place.endsWith('putBack')) throw new Error('It fails.');
        return { end: rig.endOf('first') };
      };
      const first = rig.worker({
        tasks,
        run,
        heartbeatMs: place.endsWith('heartbeat') ? 5 : 60_000,
      });
      first.run(key).catch(() => undefined);
      await died;
      beaten.open();

      const seen: number[] = [];
      const second = rig.worker({
        run: async ({ lost }) => {
          seen.push(lost);
          return { end: rig.endOf('second') };
        },
      });
      // The queue redelivers the job before the end of the lease, and after it.
      const isRunning = (await fields(key)).heartbeatAt !== undefined;
      const delay = await laterOf(second.run(key));
      expect(delay === undefined).toBe(!isRunning);
      rig.wait(LEASE_MS);
      await second.run(key);
      const wasEnded = place === 'after end';
      expect(seen).toEqual(wasEnded ? [] : [isRunning ? 1 : 0]);
      expect(await rig.view(key)).toMatchObject({
        isPending: false,
        result: wasEnded ? 'first' : 'second',
      });
    },
  );

  it.each(CUTS)(
    'whose worker is killed %s is found by the sweep until it has ended',
    async (place) => {
      const key = await rig.insert();
      const { tasks, died } = mortal(rig.tasks, (at) => at === place);
      const beat = place.endsWith('heartbeat');
      const run: Changes['run'] = async () => {
        if (beat) await new Promise(() => {});
        if (place.endsWith('putBack')) throw new Error('It fails.');
        return { end: rig.endOf('first') };
      };
      rig
        .worker({ tasks, run, heartbeatMs: beat ? 5 : 60_000 })
        .run(key)
        .catch(() => undefined);
      await died;
      rig.wait(SWEEP_AFTER_MS + LEASE_MS);
      await rig.sweep();
      expect(await rig.producer.canRun(key.id)).toBe(place !== 'after end');
      await rig.producer.remove(key.id);
    },
  );

  it('that crashes its worker each time is given up, and reports that', async () => {
    const key = await rig.insert();
    for (const lost of [1, 2]) {
      await crash(key);
      expect(attemptOf(await fields(key))).toBe(lost);
      rig.wait(LEASE_MS);
    }
    let runs = 0;
    const run = async () => {
      runs += 1;
      return { end: rig.endOf('ready') };
    };
    await rig.worker({ run }).run(key);
    expect(runs).toBe(0);
    expect(await rig.view(key)).toMatchObject({
      isPending: false,
      givenUp: '2 attempts have lost their worker.',
    });
    await rig.worker({ run }).run(key);
    expect(runs).toBe(0);
  });

  it('that fails waits longer each time, and is given up after its last retry', async () => {
    const key = await rig.insert();
    const worker = rig.worker({ run: async () => Promise.reject(new Error('It fails.')) });
    for (const failures of [1, 2]) {
      expect(await laterOf(worker.run(key))).toBe(failures * 1_000);
      const { dueAt, ...stored } = await fields(key);
      expect(stored).toMatchObject({ failures });
      // Not before the waiting job.
      expect((dueAt as Date).getTime()).toBeGreaterThan(rig.now().getTime() + failures * 1_000);
    }
    expect(await laterOf(worker.run(key))).toBeUndefined();
    expect(await rig.view(key)).toMatchObject({ isPending: false, givenUp: 'It fails.' });
  });

  it('is counted as failed once when the answer of the database was lost', async () => {
    const key = await rig.insert();
    let calls = 0;
    const putBack: typeof rig.tasks.putBack = async (...options) => {
      calls += 1;
      const stored = await rig.tasks.putBack(...options);
      if (calls === 1) throw new Error('Connection lost');
      return stored;
    };
    const run = async () => Promise.reject(new Error('It fails.'));
    await rig.worker({ run, tasks: { ...rig.tasks, putBack } }).run(key);
    expect(calls).toBe(2);
    expect(await fields(key)).toMatchObject({ failures: 1 });
    await rig.worker({}).run(key);
    expect(await rig.view(key)).toMatchObject({ isPending: false, result: 'done' });
  });

  it('that is to continue later is not counted as failed', async () => {
    const key = await rig.insert();
    const again = { $set: { result: 'half' } };
    const worker = rig.worker({ run: async () => ({ again, delayMs: 5_000 }) });
    for (let n = 0; n < 5; n += 1) expect(await laterOf(worker.run(key))).toBe(5_000);
    expect(await rig.view(key)).toMatchObject({ isPending: true, result: 'half' });
    const { failures, lost } = await fields(key);
    expect([failures ?? 0, lost ?? 0]).toEqual([0, 0]);
  });

  it('is given to another worker by one that stops, and nothing is counted', async () => {
    const key = await rig.insert();
    const started = latch();
    const worker = rig.worker({
      run: async ({ signal }) => {
        started.open();
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
    });
    const running = laterOf(worker.run(key));
    await started.opened;
    worker.releaseAll();
    expect(await running).toBe(0);
    const { failures, lost } = await fields(key);
    expect([failures ?? 0, lost ?? 0]).toEqual([0, 0]);
    await rig.worker({}).run(key);
    expect(await rig.view(key)).toMatchObject({ isPending: false, result: 'done' });
  });

  it('is run by one of two workers', async () => {
    const key = await rig.insert();
    const [begun, finish] = [latch(), latch()];
    let runs = 0;
    const { run } = rig.worker({
      run: async () => {
        runs += 1;
        begun.open();
        await finish.opened;
        return { end: rig.endOf('ready') };
      },
    });
    const both = [laterOf(run(key)), laterOf(run(key))];
    await begun.opened;
    const refused = await Promise.race(both);
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(LEASE_MS);
    finish.open();
    expect((await Promise.all(both)).filter((delay) => delay === undefined)).toHaveLength(1);
    expect(runs).toBe(1);
  });

  it('keeps its lease while its worker shows a heartbeat', async () => {
    const key = await rig.insert();
    const [begun, finish] = [latch(), latch()];
    const first = rig.worker({
      heartbeatMs: 5,
      run: async () => {
        begun.open();
        await finish.opened;
        return { end: rig.endOf('ready') };
      },
    });
    const running = first.run(key);
    await begun.opened;
    for (let n = 0; n < 3; n += 1) {
      rig.wait(LEASE_MS);
      const start = rig.now();
      await expect
        .poll(async () => (await fields(key)).heartbeatAt)
        .toSatisfy((at: Date) => at >= start);
      expect(await laterOf(rig.worker({}).run(key))).toBeGreaterThan(0);
    }
    finish.open();
    await running;
    expect(await rig.view(key)).toMatchObject({ result: 'ready', isPending: false });
  });

  it.each([
    ['ends', async () => ({ end: { $set: { result: 'frozen' } } })],
    ['fails', async () => Promise.reject(new Error('It fails.'))],
    ['goes on later', async () => ({ again: { $set: { result: 'frozen' } }, delayMs: 1 })],
  ])('refuses a frozen worker that %s after another one has it', async (_, outcome) => {
    const key = await rig.insert();
    const [begun, thaw] = [latch(), latch()];
    const run = async () => {
      begun.open();
      await thaw.opened;
      return outcome();
    };
    const frozen = laterOf(rig.worker({ run, heartbeatMs: 60_000 }).run(key));
    await begun.opened;
    rig.wait(LEASE_MS);
    const [secondBegun, finish] = [latch(), latch()];
    const second = rig.worker({
      run: async () => {
        secondBegun.open();
        await finish.opened;
        return { end: rig.endOf('second') };
      },
    });
    const running = second.run(key);
    await secondBegun.opened;
    const before = await rig.view(key);
    thaw.open();
    expect(await frozen).toBeUndefined();
    expect(await rig.view(key)).toEqual(before);
    finish.open();
    await running;
    expect(await rig.view(key)).toMatchObject({ result: 'second', isPending: false });
  });

  it('aborts an attempt that has lost it at the next heartbeat, and its report is not stored', async () => {
    const key = await rig.insert();
    const begun = latch();
    let reason: unknown;
    const running = rig
      .worker({
        heartbeatMs: 5,
        run: async ({ signal, report }) => {
          begun.open();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          reason = signal.reason;
          report({ $set: { result: 'late' } });
          return { end: rig.endOf('late') };
        },
      })
      .run(key);
    await begun.opened;
    await rig.model.deleteOne({ _id: key.id });
    await running;
    expect(reason).toMatchObject({ name: 'LostError' });
    expect(await rig.tasks.find(key)).toBeNull();
  });

  it('stores its reports, and notifies of its start and its end', async () => {
    const key = await rig.insert();
    const [seen, reported] = [[] as unknown[], latch()];
    await rig
      .worker({
        heartbeatMs: 5,
        onProgress: async ({ result }) => {
          seen.push(result);
          if (result) reported.open();
        },
        onEnd: async ({ result }) => void seen.push(result),
        run: async ({ report }) => {
          report({ $set: { result: 'half' } });
          await reported.opened;
          return { end: rig.endOf('ready') };
        },
      })
      .run(key);
    expect(seen).toEqual([undefined, 'half', 'ready']);
  });

  it('that was removed is not run, and the remains of attempts can be removed', async () => {
    const [removed, meanwhile] = [await rig.insert(), await rig.insert()];
    await rig.model.deleteOne({ _id: removed.id });
    const gone: string[] = [];
    const worker = rig.worker({
      heartbeatMs: 60_000,
      onGone: async ({ id }) => void gone.push(id),
      run: async ({ key }) => {
        await rig.model.deleteOne({ _id: key.id });
        return { end: rig.endOf('late') };
      },
    });
    await worker.run(removed);
    await worker.run(meanwhile);
    expect(gone).toEqual([removed.id, meanwhile.id]);
    expect(await rig.tasks.find(meanwhile)).toBeNull();
  });

  it.each(['before', 'after'] as const)(
    'stores its end although the database fails %s the write',
    async (when) => {
      const key = await rig.insert();
      let calls = 0;
      const end: typeof rig.tasks.end = async (...options) => {
        calls += 1;
        const stored = when === 'after' || calls > 2 ? await rig.tasks.end(...options) : null;
        if (calls <= 2) throw new Error('Unreachable');
        return stored;
      };
      const ended: unknown[] = [];
      const onEnd = async ({ result }: TaskView) => void ended.push(result);
      await rig.worker({ tasks: { ...rig.tasks, end }, onEnd }).run(key);
      expect(calls).toBe(3);
      expect(ended).toEqual(['done']);
      expect(await rig.view(key)).toMatchObject({ isPending: false, result: 'done' });
    },
  );
});
