import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connectEarly, goLive } from './index.ts';
import { connectionState } from './reply-store.ts';

const network = vi.hoisted(() => ({ opened: 0, closed: 0, connect: () => {} }));
vi.mock('socket.io-client', () => ({
  io: () => {
    network.opened += 1;
    return {
      on: (event: string, handler: () => void) => {
        if (event === 'connect') network.connect = handler;
      },
      disconnect: () => {
        network.closed += 1;
      },
      active: true,
    };
  },
}));

const listeners = {
  onAccount: vi.fn<() => void>(),
  onSessionEnded: vi.fn<() => void>(),
  onSlow: vi.fn<() => void>(),
  onSent: vi.fn<() => void>(),
};

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(network, { opened: 0, closed: 0 });
  localStorage.setItem('authToken', 'one');
});

afterEach(() => void vi.useRealTimers());

it('goes live on the socket that was opened early', () => {
  connectEarly();
  connectEarly();
  network.connect();
  const end = goLive(listeners);
  expect(network.opened).toBe(1);
  expect(connectionState()).toBe('connected');
  vi.advanceTimersByTime(60_000);
  expect(network.closed).toBe(0);
  end();
  expect(network.closed).toBe(1);
});

it('opens another socket when another user has signed in meanwhile', () => {
  connectEarly();
  localStorage.setItem('authToken', 'two');
  const end = goLive(listeners);
  expect([network.opened, network.closed]).toEqual([2, 1]);
  end();
});

it('closes an unused early socket', () => {
  connectEarly();
  vi.advanceTimersByTime(10_000);
  expect(network.closed).toBe(1);
});

it('opens no socket for a browser that is not signed in', () => {
  localStorage.removeItem('authToken');
  connectEarly();
  expect(network.opened).toBe(0);
});
