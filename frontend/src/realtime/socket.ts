import {
  type ClientEvents,
  type ServerEvents,
  SOCKET_PATH,
  SOCKET_UNAUTHENTICATED,
} from '@stolas/backend/contract';
import { io, type Socket } from 'socket.io-client';
import { ownBuild } from '../lib/build.ts';
import type { WatchCalls } from './watching.ts';

const RECONNECT_MS = 500;
const MAX_RECONNECT_MS = 5_000;
/**
 * A server that refuses connections, for lack of capacity or of a service, is retried after growing delays, up to a
 * minute.
 */
const MAX_REFUSED_MS = 60_000;
/**
 * A failed connection may be a refusal, which browsers do not report. After so many failures, about half a minute,
 * retries are as rare as for refusals.
 */
const QUICK_RETRIES = 8;

/**
 * The server pings within 25 s and gives a tab up that does not answer within 10 s. A device that has slept does not know: its timers
 * have slept too.
 */
const MAX_SILENCE_MS = 40_000;

/** A server that does not answer a request of the tab within this time is asked again later. */
const ANSWER_MS = 10_000;

export type ServerSocket = Socket<ServerEvents, ClientEvents>;

interface SocketOptions {
  token: () => string | null;
  handlers: ServerEvents;
  /** Connected, for the first time or again. */
  onConnect: (calls: WatchCalls) => void;
  onDisconnect: () => void;
  /** The server does not accept the session (any more). */
  onUnauthenticated: () => void;
}

/** Opens the tab's one socket and keeps it open. @returns a function that closes it. */
export function openSocket(options: SocketOptions): () => void {
  const socket: ServerSocket = io({
    path: SOCKET_PATH,
    transports: ['websocket'],
    auth: (give) => give({ token: options.token() ?? undefined, build: ownBuild(), watches: true }),
    reconnectionDelay: RECONNECT_MS,
    reconnectionDelayMax: MAX_RECONNECT_MS,
    // A separate socket even if a former one is still closing.
    forceNew: true,
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Socket.IO reconnects by itself after a broken connection, but not when the server disconnected it (it may be
  // draining) or refused the handshake; `active` tells which.
  let refusals = 0;
  let failures = 0;
  const noteFailures = (count: number) => {
    failures = count;
    socket.io.reconnectionDelayMax(count < QUICK_RETRIES ? MAX_RECONNECT_MS : MAX_REFUSED_MS);
  };
  const comeBack = () => {
    if (socket.active) return;
    clearTimeout(timer);
    const pause = Math.min(RECONNECT_MS * 2 ** refusals, MAX_REFUSED_MS / 2);
    timer = setTimeout(() => socket.connect(), pause * (1 + Math.random()));
  };
  let heardAt = Date.now();
  const hear = () => {
    heardAt = Date.now();
  };
  socket.io.on('ping', hear);
  const isGivenUp = () => socket.connected && Date.now() - heardAt > MAX_SILENCE_MS;
  const reconnectNow = () => {
    refusals = 0;
    noteFailures(0);
    // Without disconnecting first, the delay of a pending reconnect would still apply.
    if (!socket.connected || isGivenUp()) socket.disconnect().connect();
  };

  for (const [event, handler] of Object.entries(options.handlers)) {
    socket.on(event as keyof ServerEvents, handler);
  }
  socket.on('connect', () => {
    hear();
    refusals = 0;
    noteFailures(0);
    options.onConnect(watchCalls(socket));
  });
  socket.on('disconnect', (reason) => {
    options.onDisconnect();
    if (reason !== 'io client disconnect') comeBack();
  });
  socket.on('connect_error', ({ message }) => {
    options.onDisconnect();
    if (message === SOCKET_UNAUTHENTICATED) options.onUnauthenticated();
    else {
      comeBack();
      if (socket.active) noteFailures(failures + 1);
      else refusals += 1;
    }
  });
  const onVisible = () => {
    if (!document.hidden && (failures >= QUICK_RETRIES || isGivenUp())) reconnectNow();
  };
  window.addEventListener('online', reconnectNow);
  document.addEventListener('visibilitychange', onVisible);

  return () => {
    clearTimeout(timer);
    window.removeEventListener('online', reconnectNow);
    document.removeEventListener('visibilitychange', onVisible);
    socket.disconnect();
  };
}

/** Requests on one connection. */
const watchCalls = (socket: ServerSocket): WatchCalls => ({
  watch: (conversationId) => socket.timeout(ANSWER_MS).emitWithAck('watch', { conversationId }),
  unwatch: (conversationId) => void socket.emit('unwatch', { conversationId }),
  typing: (conversationId) => void socket.emit('typing', { conversationId }),
});
