import { setImmediate as tick } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { coalesce } from './coalesce.ts';

/** A task whose runs end when the test says so. */
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

it('runs once more for all calls that came while it ran', async () => {
  const { task, end } = heldTask();
  const run = coalesce(task, () => undefined);
  for (let n = 0; n < 20; n += 1) run('a');
  expect(task).toHaveBeenCalledTimes(1);
  await end();
  expect(task).toHaveBeenCalledTimes(2);
  await end();
  expect(task).toHaveBeenCalledTimes(2);
  run('a');
  expect(task).toHaveBeenCalledTimes(3);
});

it('runs different keys at the same time', () => {
  const { task } = heldTask();
  const run = coalesce(task, () => undefined);
  run('a');
  run('b');
  expect(task.mock.calls).toEqual([['a'], ['b']]);
});

it('reports an error and goes on', async () => {
  const { task, end } = heldTask();
  const errors: unknown[] = [];
  const run = coalesce(task, (error, key) => errors.push([error, key]));
  run('a');
  run('a');
  const failure = new Error('unreachable');
  await end(failure);
  expect(errors).toEqual([[failure, 'a']]);
  expect(task).toHaveBeenCalledTimes(2);
});
