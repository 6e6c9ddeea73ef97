import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { queryClient } from '../lib/query-client.ts';
import { fakeServer } from '../lib/server.fixture.ts';
import { connectEarly, getNumbered, goLive, live, memoriesKey, POLL_MS } from './index.ts';
import { connectionState } from './reply-store.ts';
import { network } from './socket-io.fixture.ts';

const server = {
  opened: 0,
  closed: 0,
  connect: () => {},
  disconnected: (_reason: string) => {},
  end: () => {},
};

const listeners = {
  onAccount: vi.fn<() => void>(),
  onSessionEnded: vi.fn<() => void>(),
  onSlow: vi.fn<() => void>(),
  onSlowEnded: vi.fn<() => void>(),
  onSent: vi.fn<() => void>(),
};

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(server, { opened: 0, closed: 0 });
  network.io = () => {
    server.opened += 1;
    return {
      io: { on: () => {}, reconnectionDelayMax: () => {} },
      on: (event: string, handler: (reason?: string) => void) => {
        if (event === 'connect') server.connect = handler;
        if (event === 'disconnect') server.disconnected = handler;
        if (event === 'session:ended') server.end = handler;
      },
      disconnect: () => {
        server.closed += 1;
        server.disconnected('io client disconnect');
      },
      active: true,
    };
  };
  localStorage.setItem('authToken', 'one');
});

afterEach(() => void vi.useRealTimers());

it('goes live on the socket that was opened early', () => {
  connectEarly();
  connectEarly();
  server.connect();
  const end = goLive(listeners);
  expect(server.opened).toBe(1);
  expect(connectionState()).toBe('connected');
  vi.advanceTimersByTime(60_000);
  expect(server.closed).toBe(0);
  end();
  expect(server.closed).toBe(1);
});

it('opens no early socket beside the one of a screen that is live already', () => {
  const end = goLive(listeners);
  connectEarly();
  expect(server.opened).toBe(1);
  server.connect();
  vi.advanceTimersByTime(60_000);
  expect(server.closed).toBe(0);
  end();
});

it('opens another socket when another user has signed in meanwhile', () => {
  connectEarly();
  localStorage.setItem('authToken', 'two');
  const end = goLive(listeners);
  expect([server.opened, server.closed]).toEqual([2, 1]);
  end();
});

it('closes an unused early socket', () => {
  connectEarly();
  vi.advanceTimersByTime(10_000);
  expect(server.closed).toBe(1);
});

it('opens no socket for a browser that is not signed in', () => {
  localStorage.removeItem('authToken');
  connectEarly();
  expect(server.opened).toBe(0);
});

it('ends the session in a tab without a socket when a poll is refused', async () => {
  const poll = 'GET /api/replies/r1?attempt=0&offset=0';
  const { asked } = fakeServer({ [poll]: { status: 401 } });
  listeners.onSessionEnded.mockReset();
  const end = goLive(listeners);
  live.watch({
    id: 'r1',
    conversationId: 'c1',
    role: 'assistant',
    content: '',
    createdAt: '2026-01-01T00:00:00.000Z',
    parentId: 'm1',
    siblingIds: ['r1'],
    status: 'queued',
    attempt: 0,
    parts: [],
  });
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(asked.map(({ call }) => call)).toEqual([poll]);
  expect(listeners.onSessionEnded).toHaveBeenCalledOnce();
  end();
});

it('ends the session in a tab without a socket when another read is refused', async () => {
  fakeServer({ 'GET /api/memories': { status: 401 } });
  listeners.onSessionEnded.mockReset();
  const end = goLive(listeners);
  const read = queryClient.fetchQuery({
    queryKey: memoriesKey,
    queryFn: (context) => getNumbered('/api/memories', context),
  });
  await expect(read).rejects.toMatchObject({ status: 401 });
  expect(listeners.onSessionEnded).toHaveBeenCalledOnce();
  end();
});

describe('when the server ends the session', () => {
  const endSessionWith = (token: string | null) => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
    listeners.onSessionEnded.mockReset();
    const end = goLive(listeners);
    if (token === null) localStorage.removeItem('authToken');
    else localStorage.setItem('authToken', token);
    server.end();
    end();
    return { reloads: reload.mock.calls.length, ends: listeners.onSessionEnded.mock.calls.length };
  };

  it('ends it in the tab', () => {
    expect(endSessionWith('one')).toEqual({ reloads: 0, ends: 1 });
  });

  it('ends it in the tab also when a call has removed the token before', () => {
    expect(endSessionWith(null)).toEqual({ reloads: 0, ends: 1 });
  });

  it('reloads the tab when another user has signed in meanwhile', () => {
    expect(endSessionWith('two')).toEqual({ reloads: 1, ends: 0 });
  });
});
