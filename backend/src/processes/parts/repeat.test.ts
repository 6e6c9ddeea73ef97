import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { repeat } from './repeat.ts';

const HOUR_MS = 3_600_000;
let stop: () => void;
const task = vi.fn<() => Promise<void>>();
const onError = vi.fn<(error: unknown) => void>();
beforeEach(() => {
  vi.useFakeTimers();
  task.mockReset().mockResolvedValue(undefined);
  onError.mockReset();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

const start = (everyMs: number) => {
  stop = repeat(task, { everyMs, onError });
};

it('runs an hourly task soon after the start, then every hour', async () => {
  start(HOUR_MS);
  expect(task).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(task).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
  expect(task).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(1);
  expect(task).toHaveBeenCalledTimes(2);
});

it('runs a frequent task at its own interval from the start', async () => {
  start(1_000);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(task).toHaveBeenCalledTimes(3);
});

it('waits for a long run, reports a failed one, and continues', async () => {
  let fail = (_error: Error) => {};
  task.mockReturnValueOnce(
    new Promise<void>((_resolve, reject) => {
      fail = reject;
    }),
  );
  start(1_000);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(task).toHaveBeenCalledOnce();
  const error = new Error('no');
  fail(error);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(onError).toHaveBeenCalledExactlyOnceWith(error);
  expect(task).toHaveBeenCalledTimes(2);
});

it('ends, also while a run is under way', async () => {
  let finish = () => {};
  task.mockReturnValueOnce(
    new Promise<void>((resolve) => {
      finish = resolve;
    }),
  );
  start(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  stop();
  finish();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(task).toHaveBeenCalledOnce();
});
