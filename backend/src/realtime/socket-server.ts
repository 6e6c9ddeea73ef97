import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { type DefaultEventsMap, type ExtendedError, Server, type Socket } from 'socket.io';
import {
  type ServerEvents,
  SOCKET_PATH,
  SOCKET_UNAUTHENTICATED,
  type SocketAuth,
} from '../contract/realtime.ts';
import type { Authenticate } from '../http/require-user.ts';
import { presentedToken } from '../http/session-token.ts';
import type { Log } from '../log.ts';
import { decodeEvent, userChannel } from './bus.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Sessions that end by themselves (nobody announces it) lose their sockets within this time. */
const RECHECK_MS = 30_000;

interface SocketData {
  userId: string;
  sessionId: string;
  token: string;
}

type UserSocket = Socket<DefaultEventsMap, ServerEvents, DefaultEventsMap, SocketData>;

interface SocketServerDeps {
  http: HttpServer;
  subscriptions: Subscriptions;
  authenticate: Authenticate;
  /** Whether the handshake comes from one of our own pages. */
  isOwnOrigin: (headers: IncomingMessage['headers']) => boolean;
  log: Log;
}

export interface SocketServer {
  /** Cuts every connection; the tabs reconnect, to another process if this one is going, and catch up. */
  cutAll: () => void;
  close: () => Promise<void>;
}

/**
 * Pushes what is published about a person to every tab of that person that is connected here. Only the websocket
 * transport is offered: it needs no sticky sessions, and a tab without one polls the REST API instead.
 */
export function createSocketServer(deps: SocketServerDeps): SocketServer {
  const { http, subscriptions, isOwnOrigin, log } = deps;
  const io = new Server<DefaultEventsMap, ServerEvents, DefaultEventsMap, SocketData>(http, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: 16_384,
    pingInterval: 10_000,
    pingTimeout: 10_000,
    allowRequest: (request, decide) => decide(null, isOwnOrigin(request.headers)),
  });
  const letIn = async (socket: UserSocket, next: (refusal?: ExtendedError) => void) => {
    const refusal = await admit(socket, deps).catch((error: unknown) => {
      log.warn({ err: error }, 'a socket could not be admitted');
      return new Error('unavailable');
    });
    next(refusal);
  };
  io.use((socket, next) => void letIn(socket, next));

  const cutAll = () => {
    for (const socket of io.sockets.sockets.values()) socket.conn.close();
  };
  // What was published while Redis was away reached nobody here. A new connection makes each tab catch up.
  subscriptions.onGap(cutAll);

  const recheck = setInterval(() => {
    for (const socket of io.sockets.sockets.values())
      endIfOver(socket, deps.authenticate).catch((error: unknown) =>
        log.warn({ err: error }, 'a session could not be checked again'),
      );
  }, RECHECK_MS);

  return {
    cutAll,
    close: async () => {
      clearInterval(recheck);
      cutAll();
      await io.close();
    },
  };
}

/** Lets a socket in when its session is valid; it then hears everything published about its user. */
async function admit(
  socket: UserSocket,
  { authenticate, subscriptions }: SocketServerDeps,
): Promise<ExtendedError | undefined> {
  const { token: offered } = socket.handshake.auth as SocketAuth;
  const token = offered ?? presentedToken(socket.handshake.headers)?.token;
  const principal = typeof token === 'string' ? await authenticate(token) : null;
  if (!principal || typeof token !== 'string') return new Error(SOCKET_UNAUTHENTICATED);
  socket.data = { userId: principal.user.id, sessionId: principal.session.id, token };
  // Subscribed before the tab knows that it is connected: what it reads after that leaves no hole.
  const stop = await subscriptions.listen(userChannel(principal.user.id), (text) =>
    deliver(socket, text),
  );
  // The connection's own close, since a socket that is cut before it is let in never hears 'disconnect'.
  socket.conn.once('close', stop);
  if (socket.conn.readyState === 'closed') stop();
  return undefined;
}

function deliver(socket: UserSocket, text: string): void {
  const { event, payload } = decodeEvent(text);
  if (event !== 'session:ended') socket.emit(event as 'reply:delta', payload as never);
  else if ((payload as { sessionId: string }).sessionId === socket.data.sessionId) end(socket);
}

function end(socket: UserSocket): void {
  socket.emit('session:ended');
  socket.disconnect(true);
}

async function endIfOver(socket: UserSocket, authenticate: Authenticate): Promise<void> {
  if (!(await authenticate(socket.data.token))) end(socket);
}
