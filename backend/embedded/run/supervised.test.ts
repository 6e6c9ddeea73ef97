import { expect, it } from 'vitest';
import type { Ending, Running } from './running.ts';
import { StartError } from './start-error.ts';
import { SupervisedService } from './supervised.ts';

/** A service that serves at once, until `end` or a stop. */
function aRun() {
  let end: (how: Ending) => void = () => undefined;
  const ended = new Promise<Ending>((resolve) => {
    end = resolve;
  });
  const stop = async () => end({ code: 0, signal: null });
  const running: Running = { pid: 1, ready: Promise.resolve(), ended, stop, kill: () => undefined };
  return { running, end };
}

it('starts a service again after a restart that could not begin', async () => {
  const [first, second] = [aRun(), aRun()];
  const starts = [
    async () => first.running,
    async () => Promise.reject(new StartError('Redis was not found.')),
    async () => second.running,
  ];
  const said: string[] = [];
  const start = async () => (starts.shift() ?? expect.unreachable)();
  const options = { output: () => undefined, say: (text: string) => said.push(text) };
  const service = new SupervisedService({ name: 'redis', start }, options);
  await service.start();
  first.end({ code: null, signal: 'SIGKILL' });
  await expect.poll(() => said.at(-1)).toBe('redis runs again');
  expect(said).toEqual([
    'redis ended (SIGKILL); it starts again in 0.5 s',
    'Redis was not found.',
    'redis did not start; it starts again in 1 s',
    'redis runs again',
  ]);
  await service.stop({ graceMs: 0 });
});
