import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { type DefaultEventsMap, type ExtendedError, Server } from 'socket.io';
import { isOlderBuild } from '../contract/build.ts';
import {
  type ClientEvents,
  type ServerEvents,
  SOCKET_PATH,
  SOCKET_UNAUTHENTICATED,
  type SocketAuth,
} from '../contract/realtime.ts';
import type { Redis } from '../db/redis.ts';
import { type Authenticate, addressKey, clientAddress, presentedToken } from '../http/index.ts';
import type { Log } from '../log.ts';
import type { SecurityLog } from '../security-log.ts';
import { conversationChannel, decodeEvent, type Payload, userChannel } from './bus.ts';
import { type ChannelSockets, createChannelSockets } from './channel-sockets.ts';
import type { Channels } from './channels.ts';
import {
  boundBuffer,
  type Connection,
  closeConnection,
  closeEvenly,
  forgetHandshake,
} from './connections.ts';
import { PresenceNotes } from './presence.ts';
import { createSessionChecks, type FindEndedSessions } from './session-checks.ts';
import type { SocketCounts } from './socket-counts.ts';
import { createWatchChecks, type FindUnreadable, type WatchChecks } from './watch-checks.ts';
import {
  createWatchHandlers,
  followReplies,
  type OpenConversation,
  type SocketData,
  type UserSocket,
  Watches,
} from './watches.ts';

/** Bytes that may wait for one tab. A tab with more is disconnected, reconnects and reads the tail. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** Tabs that may catch up in one second: each reads what is on its screen, and one that reconnects costs about 1 ms of CPU time besides. */
const CATCH_UPS_PER_SECOND = 500;
/**
 * How often each tab is asked whether it is there, and how long it may take to answer: a lost connection is found within both. Most of what an
 * idle tab costs is this; a tab that shows a running reply polls after 10 s without news of it.
 */
const PING_MS = 25_000;
const PONG_MS = 10_000;
/** A connection that has not joined by then is closed. */
const JOIN_TIMEOUT_MS = 10_000;

type IO = Server<ClientEvents, ServerEvents, DefaultEventsMap, SocketData>;

interface SocketServerOptions {
  http: HttpServer;
  config: { PUBLIC_URL?: string | undefined; TRUST_PROXY: number };
  channels: Pick<Channels, 'subscribe' | 'onGap' | 'readNumber'>;
  authenticate: Authenticate;
  findEndedSessions: FindEndedSessions;
  openConversation: OpenConversation;
  /** The name by which others know a user. */
  nameOf: (userId: string) => Promise<string>;
  redis: Redis;
  findUnreadable: FindUnreadable;
  /** Whether the handshake comes from one of our own pages. */
  isOwnOrigin: (headers: IncomingMessage['headers']) => boolean;
  /**
   * Sockets that one user and one IP address may have, and conversations that one user may begin to watch per minute on this process;
   * `Infinity` for load tests.
   */
  limits: { perUser: number; perAddress: number; watchesPerMinute: number };
  /** Counts sockets over all web processes; without it, their number is not limited. */
  counts?: Pick<SocketCounts, 'hold'> | undefined;
  /** The build of the frontend that this process serves. */
  build?: string | undefined;
  securityLog: SecurityLog;
  log: Log;
}

export interface SocketServer {
  /**
   * Closes every connection, evenly over `overMs`, and resolves when all are closed; the tabs reconnect, to another process if this one is
   * stopping, and catch up.
   */
  close: (options: { overMs: number }) => Promise<void>;
}

/**
 * Pushes events of a user, and the text of conversations that they show, to the user's tabs on this process. Only the websocket transport is
 * offered: it needs no sticky sessions, and a tab without one polls the REST API instead.
 */
export function createSocketServer(options: SocketServerOptions): SocketServer {
  const { http, config, isOwnOrigin, limits, securityLog, log } = options;
  const addressOf = (request: IncomingMessage) => clientAddress(request, config.TRUST_PROXY);
  const io: IO = new Server(http, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: 16_384,
    pingInterval: PING_MS,
    pingTimeout: PONG_MS,
    connectTimeout: JOIN_TIMEOUT_MS,
    allowRequest: (request, decide) => {
      if (!isOwnOrigin(request.headers)) return decide('foreign origin', false);
      const ip = addressOf(request);
      const subject = `address:${addressKey(ip)}`;
      void hold(options, subject, { max: limits.perAddress, request }).then((hasRoom) => {
        if (hasRoom) return decide(null, true);
        securityLog.record({ event: 'limit_hit', limit: 'sockets-address', ip });
        return decide('too many sockets', false);
      });
    },
  });
  const connections = new Set<Connection>();
  const onExceeded = () => log.info('socket closed, client does not read');
  io.engine.on('connection', (connection: Connection) => {
    connections.add(connection);
    // A connection closes once anyway: `once` would keep three more objects for each tab, here and in other listeners for it.
    connection.on('close', () => connections.delete(connection));
    boundBuffer(connection, { maxBytes: MAX_BUFFERED_BYTES, onExceeded });
  });
  const rooms: ChannelSockets<UserSocket> = createChannelSockets({
    subscribe: options.channels.subscribe,
    deliver: (channel, text) => deliver({ io, rooms, watchChecks, presence }, channel, text),
  });
  const sockets = () => io.sockets.sockets.values() as Iterable<UserSocket>;
  const checks = createSessionChecks<UserSocket>({ ...options, sockets, onEnded: end });
  const watchChecks = createWatchChecks({ ...options, sockets });
  const presence = new PresenceNotes({
    ...options,
    emit: (now) => io.to(conversationChannel(now.conversationId)).emit('presence', now),
  });
  admitSockets(io, { ...options, rooms, presence, addressOf });

  options.channels.onGap((missed) =>
    reportGap({ io, rooms, watchChecks, channels: options.channels }, missed),
  );

  return {
    close: async ({ overMs }) => {
      await closeEvenly([...connections], { overMs });
      checks.close();
      watchChecks.close();
      presence.close();
      await io.close();
    },
  };
}

interface Admission extends SocketServerOptions {
  rooms: ChannelSockets<UserSocket>;
  presence: PresenceNotes;
  addressOf: (request: IncomingMessage) => string;
}

/** A connection joins once and ends with its socket: when the socket leaves or is refused, the connection is closed. */
function admitSockets(io: IO, admission: Admission): void {
  const { build, rooms, presence, log } = admission;
  const { watchesPerMinute } = admission.limits;
  const acceptWatches = createWatchHandlers({ ...admission, watchesPerMinute, log });
  const joined = new WeakSet<Connection>();
  const admitOnce = async (socket: UserSocket, next: (refusal?: ExtendedError) => void) => {
    const again = joined.has(socket.conn);
    joined.add(socket.conn);
    const refusal = again ? new Error('already joined') : await admit(socket, admission);
    next(refusal);
    // After the refusal was sent, which Socket.IO does in the next tick.
    if (refusal) setImmediate(() => closeConnection(socket.conn));
  };
  io.use((socket, next) => void admitOnce(socket, next));
  io.on('connection', (socket) => {
    void socket.join(userChannel(socket.data.userId));
    const { build: ofPage, watches: sendsWatch } = socket.handshake.auth as SocketAuth;
    const watches = new Watches(socket, rooms, presence);
    socket.data.watches = watches;
    if (sendsWatch) acceptWatches(socket);
    else socket.data.following = watches;
    void numberOf(admission.channels, socket.data).then((joined) =>
      socket.emit('channel:joined', joined),
    );
    if (build !== undefined && isOlderBuild(ofPage, build)) socket.emit('build:changed', { build });
    forgetHandshake(socket);
    socket.on('disconnect', () => {
      watches.end();
      closeConnection(socket.conn);
    });
  });
}

/** The number of a user's channel, read after its subscription; none while Redis is unreachable. */
const numberOf = (
  channels: Pick<Channels, 'readNumber'>,
  { userId }: Pick<SocketData, 'userId'>,
): Promise<{ number?: number }> =>
  channels.readNumber(userChannel(userId)).then(
    (number) => ({ number }),
    () => ({}),
  );

/** Counts a connection over all web processes until it closes. */
const hold = async (
  { counts }: Pick<SocketServerOptions, 'counts'>,
  subject: string,
  { max, request }: { max: number; request: IncomingMessage },
): Promise<boolean> => !counts || counts.hold(subject, { max, socket: request.socket });

/** Admits a socket with a valid session; it then receives all events of its user. */
async function admit(socket: UserSocket, admission: Admission): Promise<ExtendedError | undefined> {
  const { authenticate, rooms, addressOf, config, limits, securityLog, log } = admission;
  try {
    const { token: offered } = socket.handshake.auth as SocketAuth;
    const token = offered ?? presentedToken(socket.handshake.headers, config)?.token;
    const actor = typeof token === 'string' ? await authenticate(token) : null;
    if (!actor || typeof token !== 'string') return new Error(SOCKET_UNAUTHENTICATED);
    const { userId, sessionId } = actor;
    socket.data = { userId, sessionId };
    const channel = userChannel(userId);
    // The connection's close, because a socket that was never admitted emits no 'disconnect'.
    socket.conn.on('close', () => rooms.remove(channel, socket));
    const { request } = socket.conn;
    const hasRoom = await hold(admission, `user:${userId}`, { max: limits.perUser, request });
    // Its listener for the close has run, so nothing would remove the socket.
    if (socket.conn.readyState !== 'open') return new Error('closed');
    if (hasRoom) {
      // Subscribed before the tab learns that it is connected, so that its later reads have no gap.
      await rooms.add(channel, socket);
      return undefined;
    }
    const ip = addressOf(socket.request);
    securityLog.record({ event: 'limit_hit', limit: 'sockets-user', userId, ip });
    return new Error('too many sockets');
  } catch (error) {
    log.warn({ err: error }, 'socket could not be admitted');
    return new Error('unavailable');
  }
}

interface Delivery {
  io: IO;
  rooms: ChannelSockets<UserSocket>;
  watchChecks: Pick<WatchChecks, 'check'>;
  presence: Pick<PresenceNotes, 'endWriting'>;
}

/** Parses a published text once and encodes its packet once, for all sockets in the channel. */
function deliver(delivery: Delivery, channel: string, text: string): void {
  const { io, rooms, watchChecks } = delivery;
  const { event, payload, previous, number } = decodeEvent(text);
  const sockets = rooms.socketsOf(channel);
  if (event !== 'session:ended') {
    followReplies(sockets, event, payload);
    if (event === 'access:changed') {
      for (const { data } of sockets) data.watches?.doubtOwn();
      watchChecks.check(sockets);
    }
    notePresent(delivery, sockets, { event, payload });
    const at = number === undefined ? [] : [{ previous, number }];
    io.to(channel).emit(event as 'reply:delta', ...([payload, ...at] as [never]));
    return;
  }
  const { sessionId } = payload as { sessionId: string };
  for (const socket of sockets) if (socket.data.sessionId === sessionId) end(socket);
}

/** What the events of users tell about who is there: sharing begins and ends, and a message that was being written is sent. */
function notePresent(
  { presence }: Pick<Delivery, 'presence'>,
  sockets: Iterable<UserSocket>,
  { event, payload }: { event: string; payload: unknown },
): void {
  if (event === 'conversation:changed') {
    const { id, shared } = payload as Payload<'conversation:changed'>;
    for (const { data } of sockets)
      if (!data.following) data.watches?.noteShared(id, shared !== undefined);
  } else if (event === 'message:created') {
    const { conversationId, author } = (payload as Payload<'message:created'>).message;
    if (author) presence.endWriting(conversationId, author.id);
  }
}

/** Tells the tabs in channels that events may be missing, and how long to spread what they read again. */
function reportGap(
  {
    io,
    rooms,
    watchChecks,
    channels,
  }: Pick<Delivery, 'io' | 'rooms' | 'watchChecks'> & Pick<SocketServerOptions, 'channels'>,
  missed: readonly string[],
): void {
  const sockets = new Set(missed.flatMap((channel) => [...rooms.socketsOf(channel)]));
  // `access:changed` may be among the missed events.
  watchChecks.check(sockets);
  const spreadMs = (sockets.size / CATCH_UPS_PER_SECOND) * 1_000;
  const users = new Set([...sockets].map(({ data }) => data.userId));
  for (const userId of users)
    void numberOf(channels, { userId }).then((number) =>
      io.to(userChannel(userId)).emit('gap', { spreadMs, ...number }),
    );
  // A tab of the former build catches up when it reconnects.
  const former = [...sockets].filter(({ data }) => data.following);
  void closeEvenly(
    former.map(({ conn }) => conn),
    { overMs: spreadMs },
  );
}

function end(socket: UserSocket): void {
  socket.emit('session:ended');
  // Leaves the rooms at once, so that nothing more is delivered even if the client delays the close.
  socket.disconnect(true);
  closeConnection(socket.conn);
}
