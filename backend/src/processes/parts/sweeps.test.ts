import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { atEnd } from '../../../test/at-end.ts';
import { startRedis } from '../../../test/processes.ts';
import { connectRedis, type Redis } from '../../db/redis.ts';
import type { Sweep } from '../../features/define-feature.ts';
import { startSweeps } from './sweeps.ts';

let redis: Redis;
let ran: string[];
const stops: (() => void)[] = [];

beforeAll(async () => {
  // A separate one: workers elect one leader for each Redis.
  const { url } = await startRedis();
  redis = await connectRedis(url, { retry: 'never', onError: () => undefined });
  atEnd(() => redis.disconnect());
});
beforeEach(async () => {
  ran = [];
  await redis.flushall();
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A worker with one task. @returns the function that stops it */
function startWorker(sweep: Sweep, onError: (error: unknown) => void = () => undefined) {
  const stop = startSweeps([sweep], { redis, onError });
  stops.push(stop);
  return stop;
}

const note = (worker: string) => async () => {
  ran.push(worker);
};
const workersThatRan = () => [...new Set(ran)].toSorted();

it('runs a task of each worker in each', async () => {
  for (const name of ['a', 'b'])
    startWorker({ name: 'task', runBy: 'each', everyMs: 50, run: note(name) });
  await expect.poll(workersThatRan).toEqual(['a', 'b']);
});

it('runs a task of the leader in one worker, and in another one when that one is gone', async () => {
  const followed: string[] = [];
  const workers = new Map(
    ['a', 'b'].map((name) => [
      name,
      startWorker({
        name: 'task',
        runBy: 'leader',
        everyMs: 50,
        run: note(name),
        onFollow: () => followed.push(name),
      }),
    ]),
  );
  await expect.poll(() => ran.length).toBeGreaterThan(5);
  const [leader = ''] = workersThatRan();
  const [other = ''] = [...workers.keys()].filter((name) => name !== leader);
  expect(workersThatRan()).toEqual([leader]);
  expect(followed).toContain(other);
  workers.get(leader)?.();
  await expect.poll(workersThatRan).toEqual(['a', 'b']);
});

it('runs a task of the leader at its interval, also after a failure', async () => {
  const errors: unknown[] = [];
  const failing = async () => {
    ran.push('a');
    throw new Error('It fails.');
  };
  startWorker({ name: 'task', runBy: 'leader', everyMs: 60_000, run: failing }, (error) =>
    errors.push(error),
  );
  await expect.poll(() => errors).toHaveLength(1);
  expect(ran).toEqual(['a']);
});

it('runs a partition of a task in one worker at a time', async () => {
  let running = 0;
  let atOnce = 0;
  for (const name of ['a', 'b', 'c'])
    startWorker({
      name: 'task',
      runBy: 'partitioned',
      everyMs: 20,
      run: async (onPartition) => {
        await onPartition('7', async () => {
          running += 1;
          atOnce = Math.max(atOnce, running);
          await sleep(5);
          ran.push(name);
          running -= 1;
        });
      },
    });
  await expect.poll(workersThatRan).toEqual(['a', 'b', 'c']);
  expect(atOnce).toBe(1);
});
