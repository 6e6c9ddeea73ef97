// Many users at once, in a separate process, so that their cost does not affect the measured processes.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { io } from 'socket.io-client';
import type { TokenResult } from '../../src/contract/auth.ts';
import type { Conversation } from '../../src/contract/conversations.ts';
import { SOCKET_PATH } from '../../src/contract/realtime.ts';
import type { ReplyDelta, ReplyState } from '../../src/contract/replies.ts';
import { clock, stampsIn } from './stamped-provider.ts';

/** The calls in a row that may fail by the network, such as on a kept connection that the server is closing. */
const MAX_FAILURES = 5;

/** As the page does, repeats a call that the server cannot answer yet. */
async function post<T>(url: string, token: string, body?: unknown, failures = 0): Promise<T> {
  const asked = fetch(url, {
    method: 'POST',
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await asked.catch((error: unknown) => {
    if (failures >= MAX_FAILURES) throw error;
    return null;
  });
  if (!response) return post(url, token, body, failures + 1);
  if (response.status === 503) {
    await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1));
    return post(url, token, body);
  }
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** A guest with an open socket, or several that show the same conversation, ready to send. */
export async function arrive(url: string, tabs = 1) {
  const { token } = await post<TokenResult>(`${url}/api/auth/guest`, '');
  const { id } = await post<Conversation>(`${url}/api/conversations`, token, { title: 'Bench' });
  const { socket, joined } = await openTab(url, token, id);
  const sockets = [socket];
  while (sockets.length < tabs) sockets.push((await openTab(url, token, id)).socket);
  const send = (content: string) =>
    post(`${url}/api/conversations/${id}/messages`, token, {
      content,
      clientMessageId: randomUUID(),
      parentId: null,
    });
  const read = async () => {
    const headers = { authorization: `Bearer ${token}` };
    await (await fetch(`${url}/api/conversations/${id}/messages`, { headers })).arrayBuffer();
  };
  return { socket, sockets, joined, send, read };
}

async function openTab(url: string, token: string, conversationId: string) {
  const socket = io(url, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    auth: { token, watches: true },
    forceNew: true,
  });
  const joined = new Promise<{ number?: number }>((resolve) => {
    socket.once('channel:joined', resolve);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve()).once('connect_error', reject);
  });
  await socket.emitWithAck('watch', { conversationId });
  return { socket, joined };
}

/** Delays from provider to socket, in ms. */
export interface Received {
  delays: number[];
  /** The delays of chunks after the start of the last reply, without the burst of sends. */
  steady: number[];
}

/** Users that send their first message at once, and the sockets that each reply is sent to: 1 by default. */
export interface Sends {
  replies: number;
  tabs?: number;
  /** As the stamped provider reads it. */
  message: string;
}

/** `replies` users send at once, after `onArrived`, and wait for their replies. */
export async function receive(
  url: string,
  { replies, tabs, message }: Sends,
  onArrived: () => void = () => undefined,
): Promise<Received> {
  const users = [];
  for (let n = 0; n < replies; n += 1) users.push(await arrive(url, tabs));
  onArrived();
  const arrivals: { sentAt: number; delay: number }[] = [];
  let allBegunAt = 0;
  const sockets = users.flatMap((user) => user.sockets);
  const ends = sockets.map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.on('reply:delta', ({ delta }: ReplyDelta) => {
          const now = clock();
          for (const { n, sentAt } of stampsIn(delta)) {
            if (n === 0) allBegunAt = now;
            arrivals.push({ sentAt, delay: now - sentAt });
          }
        });
        socket.on('reply:state', ({ status }: ReplyState) => status === 'complete' && resolve());
      }),
  );
  await Promise.all(users.map(({ send }) => send(message)));
  await Promise.all(ends);
  for (const socket of sockets) socket.disconnect();
  const delays = (of: typeof arrivals) => of.map(({ delay }) => delay);
  const isSteady = ({ sentAt }: { sentAt: number }) => sentAt > allBegunAt;
  return { delays: delays(arrivals), steady: delays(arrivals.filter(isSteady)) };
}
