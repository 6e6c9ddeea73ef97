import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { pauseWhenNeeded } from './pauses.ts';

function start(running: number) {
  const events = new EventEmitter();
  let isPaused = false;
  const worker = {
    on: events.on.bind(events),
    closing: undefined,
    pause: async () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
    },
  };
  let window: (delayMs: number) => void = () => undefined;
  const state = { running };
  pauseWhenNeeded(worker as never, {
    loopDelay: {
      onWindow: (handler) => {
        window = handler;
      },
      stop: () => undefined,
    },
    running: () => state.running,
  });
  const refuse = () => events.emit('error', Object.assign(new Error(), { name: 'ReplyError' }));
  return { state, refuse, window: (ms: number) => window(ms), isPaused: () => isPaused };
}

it('takes no jobs while the event loop is late, and again when it is free', () => {
  const worker = start(100);
  worker.window(49);
  expect(worker.isPaused()).toBe(false);
  worker.window(50);
  expect(worker.isPaused()).toBe(true);
  worker.window(12);
  expect(worker.isPaused()).toBe(false);
});

it('always runs a few jobs: they are not what makes the event loop late', () => {
  const worker = start(7);
  worker.window(400);
  expect(worker.isPaused()).toBe(false);
  worker.state.running = 8;
  worker.window(400);
  expect(worker.isPaused()).toBe(true);
  worker.state.running = 7;
  worker.window(400);
  expect(worker.isPaused()).toBe(false);
});

it('stays paused while one of two reasons holds', () => {
  vi.useFakeTimers();
  const worker = start(100);
  worker.refuse();
  worker.window(80);
  vi.runAllTimers();
  expect(worker.isPaused()).toBe(true);
  worker.window(3);
  expect(worker.isPaused()).toBe(false);
  worker.window(80);
  worker.refuse();
  worker.window(3);
  expect(worker.isPaused()).toBe(true);
  vi.runAllTimers();
  expect(worker.isPaused()).toBe(false);
  vi.useRealTimers();
});
