import { setImmediate as tick } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { coalesce } from './coalesce.ts';

/** A task whose runs the test ends. */
function heldTask() {
  const ends: ((error?: Error) => void)[] = [];
  const task = vi.fn<(key: string) => Promise<void>>(
    () =>
      new Promise<void>((resolve, reject) => {
        ends.push((error) => (error ? reject(error) : resolve()));
      }),
  );
  const end = async (error?: Error) => {
    ends.shift()?.(error);
    await tick();
  };
  return { task, end };
}

const options = { onError: () => undefined, pause: async () => undefined };

it('runs once for all calls in the pause before it', async () => {
  const { task } = heldTask();
  let go = () => {};
  const pause = () =>
    new Promise<void>((resolve) => {
      go = resolve;
    });
  const run = coalesce(task, { ...options, pause });
  for (let n = 0; n < 20; n += 1) run('a');
  expect(task).not.toHaveBeenCalled();
  go();
  await tick();
  expect(task).toHaveBeenCalledTimes(1);
});

it('runs once more for all calls during a run', async () => {
  const { task, end } = heldTask();
  const run = coalesce(task, options);
  run('a');
  await tick();
  for (let n = 0; n < 20; n += 1) run('a');
  expect(task).toHaveBeenCalledTimes(1);
  await end();
  expect(task).toHaveBeenCalledTimes(2);
  await end();
  expect(task).toHaveBeenCalledTimes(2);
  run('a');
  await tick();
  expect(task).toHaveBeenCalledTimes(3);
});

it('runs different keys at the same time', async () => {
  const { task } = heldTask();
  const run = coalesce(task, options);
  run('a');
  run('b');
  await tick();
  expect(task.mock.calls).toEqual([['a'], ['b']]);
});

it('reports an error and continues', async () => {
  const { task, end } = heldTask();
  const errors: unknown[] = [];
  const run = coalesce(task, { ...options, onError: (error, key) => errors.push([error, key]) });
  run('a');
  await tick();
  run('a');
  const failure = new Error('unreachable');
  await end(failure);
  expect(errors).toEqual([[failure, 'a']]);
  expect(task).toHaveBeenCalledTimes(2);
});
