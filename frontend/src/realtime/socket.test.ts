import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeSetting } from '../lib/page-settings.fixture.ts';
import { openSocket } from './socket.ts';
import { network } from './socket-io.fixture.ts';

type Handler = (argument?: unknown) => void;

/** Stands in for Socket.IO's client at the network's edge. */
const fake = {
  handlers: new Map<string, Handler>(),
  options: {} as { auth?: (give: (auth: unknown) => void) => void; transports?: string[] },
  active: false,
  connected: false,
  connects: 0,
  closed: 0,
  longestDelay: 0,
};

const connect = (options: typeof fake.options) => {
  fake.options = options;
  const socket = {
    on: (event: string, handler: Handler) => fake.handlers.set(event, handler),
    connect: () => {
      fake.connects += 1;
    },
    disconnect: () => {
      fake.closed += 1;
      return socket;
    },
    io: {
      on: (event: string, handler: Handler) => fake.handlers.set(event, handler),
      reconnectionDelayMax: (ms: number) => {
        fake.longestDelay = ms;
      },
    },
    get active() {
      return fake.active;
    },
    get connected() {
      return fake.connected;
    },
  };
  return socket;
};

const emit = (event: string, argument?: unknown) => fake.handlers.get(event)?.(argument);

describe('the socket', () => {
  const onConnect = vi.fn<() => void>();
  const onDisconnect = vi.fn<() => void>();
  const onUnauthenticated = vi.fn<() => void>();
  const onDelta = vi.fn<() => void>();
  const nothing = () => {};
  let close: () => void;

  beforeEach(() => {
    vi.useFakeTimers();
    for (const spy of [onConnect, onDisconnect, onUnauthenticated, onDelta]) spy.mockReset();
    Object.assign(fake, { active: false, connected: false, connects: 0, closed: 0 });
    network.io = connect;
    close = openSocket({
      token: () => 'a-token',
      handlers: {
        'reply:delta': onDelta,
        presence: nothing,
        'reply:state': nothing,
        'message:created': nothing,
        'message:updated': nothing,
        'conversation:changed': nothing,
        'conversation:deleted': nothing,
        'access:changed': nothing,
        'conversation:shared': nothing,
        'account:changed': nothing,
        'file:changed': nothing,
        'file:deleted': nothing,
        'persona:summary': nothing,
        'persona:deleted': nothing,
        'export:changed': () => undefined,
        'sessions:changed': () => undefined,
        'memory:changed': () => {},
        'workspace:changed': nothing,
        'channel:joined': nothing,
        gap: nothing,
        'build:changed': nothing,
        'session:ended': nothing,
      },
      onConnect,
      onDisconnect,
      onUnauthenticated,
    });
  });

  afterEach(() => {
    close();
    vi.useRealTimers();
  });

  it('sends the token and the build of the page, and uses websocket only', () => {
    writeSetting('build', '20261127190000-0123456789ab');
    const give = vi.fn<(auth: unknown) => void>();
    fake.options.auth?.(give);
    expect(give).toHaveBeenCalledWith({
      token: 'a-token',
      build: '20261127190000-0123456789ab',
      watches: true,
    });
    expect(fake.options.transports).toEqual(['websocket']);
  });

  it('forwards the events of the server', () => {
    emit('connect');
    emit('reply:delta', { replyId: 'r1' });
    expect(onConnect).toHaveBeenCalledOnce();
    expect(onDelta).toHaveBeenCalledWith({ replyId: 'r1' });
  });

  it('reconnects when the server disconnects, as a draining one does', () => {
    emit('disconnect', 'io server disconnect');
    expect(onDisconnect).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(1_000);
    expect(fake.connects).toBe(1);
  });

  it('leaves a broken connection to Socket.IO, which reconnects by itself', () => {
    fake.active = true;
    emit('disconnect', 'transport close');
    vi.advanceTimersByTime(10_000);
    expect(fake.connects).toBe(0);
  });

  it('retries when the handshake failed because a service was unavailable', () => {
    emit('connect_error', new Error('unavailable'));
    vi.advanceTimersByTime(1_000);
    expect(fake.connects).toBe(1);
    expect(onUnauthenticated).not.toHaveBeenCalled();
  });

  it('asks a server that refuses it less and less often, up to once a minute', () => {
    const pauses: number[] = [];
    for (let refusals = 0; refusals < 9; refusals += 1) {
      const before = fake.connects;
      emit('connect_error', new Error('too many sockets'));
      let waited = 0;
      for (; fake.connects === before; waited += 100) vi.advanceTimersByTime(100);
      pauses.push(waited);
    }
    for (const [n, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(Math.min(500 * 2 ** n, 30_000));
      expect(pause).toBeLessThanOrEqual(60_100);
    }
    expect(onDisconnect).toHaveBeenCalledTimes(9);
    // After a successful connection, a server that disconnects is asked again at once.
    emit('connect');
    const before = fake.connects;
    emit('disconnect', 'io server disconnect');
    vi.advanceTimersByTime(1_000);
    expect(fake.connects).toBe(before + 1);
  });

  it('tries again within 5 s for half a minute, then up to once a minute', () => {
    fake.active = true;
    for (let failures = 0; failures < 7; failures += 1) emit('connect_error', new Error('failed'));
    expect(fake.longestDelay).toBe(5_000);
    emit('connect_error', new Error('failed'));
    expect(fake.longestDelay).toBe(60_000);
    // A user who looks at the page again does not wait.
    document.dispatchEvent(new Event('visibilitychange'));
    expect(fake.connects).toBe(1);
    expect(fake.longestDelay).toBe(5_000);
  });

  it.each([
    ['shown', () => document.dispatchEvent(new Event('visibilitychange'))],
    ['online', () => window.dispatchEvent(new Event('online'))],
  ])(
    'is replaced when the page is %s again after a sleep in which the server gave it up',
    (_when, wake) => {
      fake.connected = true;
      emit('connect');
      vi.setSystemTime(Date.now() + 30_000);
      emit('ping');
      vi.setSystemTime(Date.now() + 30_000);
      wake();
      expect(fake.connects).toBe(0);
      vi.setSystemTime(Date.now() + 30_000);
      wake();
      expect(fake.connects).toBe(1);
    },
  );

  it('stops when the session has ended', () => {
    emit('connect_error', new Error('unauthenticated'));
    vi.advanceTimersByTime(10_000);
    expect(onUnauthenticated).toHaveBeenCalledOnce();
    expect(fake.connects).toBe(0);
  });

  it('does not wait when the browser is online again', () => {
    window.dispatchEvent(new Event('online'));
    expect(fake.connects).toBe(1);
  });
});
