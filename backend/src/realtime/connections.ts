import type { Socket as TcpSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'socket.io';

/** One client's WebSocket connection, below Socket.IO's namespaces. */
export type Connection = Socket['conn'];

/** A client that does not close its side within this time is disconnected. */
const CLOSE_TIMEOUT_MS = 2_000;

const closing = new WeakSet<Connection>();
/** By connection, because the handshake's request is not kept. */
const tcpSockets = new WeakMap<Connection, TcpSocket>();

/** The TCP socket of a connection. */
function tcpSocketOf(connection: Connection): TcpSocket {
  const socket = tcpSockets.get(connection) ?? connection.request.socket;
  tcpSockets.set(connection, socket);
  return socket;
}

/** Releases what a joined socket keeps of its handshake: the request with all headers, and the token. */
export function forgetHandshake(socket: Pick<Socket, 'conn' | 'handshake'>): void {
  tcpSocketOf(socket.conn);
  Object.assign(socket.conn, { request: undefined });
  Object.assign(socket, { handshake: undefined });
}

/** Closes a connection; data that was sent before still arrives, unless the client has stopped reading. */
export function closeConnection(connection: Connection): void {
  if (closing.has(connection)) return;
  closing.add(connection);
  const socket = tcpSocketOf(connection);
  connection.close();
  const timeout = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS);
  timeout.unref();
  socket.once('close', () => clearTimeout(timeout));
}

/** Disconnects a client when more than `maxBytes` wait for it. */
export function boundBuffer(
  connection: Connection,
  { maxBytes, onExceeded }: { maxBytes: number; onExceeded: () => void },
): void {
  const socket = tcpSocketOf(connection);
  // Packets wait in Engine.IO until the transport is writable ('drain' reports that), then in the TCP socket.
  let queued = 0;
  connection.on('drain', () => {
    queued = 0;
  });
  connection.on('packetCreate', ({ data }: { data?: string }) => {
    queued += data?.length ?? 0;
    if (socket.destroyed || queued + socket.writableLength <= maxBytes) return;
    onExceeded();
    // A closing handshake would wait behind the unread data.
    socket.destroy();
  });
}

/** The shortest interval in which `closeEvenly` closes connections. */
const MIN_CLOSE_STEP_MS = 100;

/** Closes connections evenly over `overMs`, in their order. */
export async function closeEvenly(
  open: readonly Connection[],
  { overMs }: { overMs: number },
): Promise<void> {
  const steps = Math.max(1, Math.min(open.length, overMs / MIN_CLOSE_STEP_MS));
  const perStep = Math.ceil(open.length / steps);
  for (let start = 0; start < open.length; start += perStep) {
    if (start > 0) await sleep((overMs * perStep) / open.length);
    for (const connection of open.slice(start, start + perStep)) closeConnection(connection);
  }
}
