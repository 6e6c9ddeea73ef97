import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket as TcpSocket } from 'node:net';
import { Types } from 'mongoose';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { needsRole, sessionActor } from '../src/access/index.ts';
import {
  type ClientEvents,
  MAX_WATCHED,
  type ServerEvents,
  SOCKET_PATH,
  SOCKET_UNAUTHENTICATED,
  type SocketAuth,
} from '../src/contract/realtime.ts';
import { connectRedis, type Redis } from '../src/db/redis.ts';
import { notFound } from '../src/errors.ts';
import { createLog } from '../src/log.ts';
import { type Bus, conversationChannel, createBus } from '../src/realtime/bus.ts';
import { type Channels, createChannels } from '../src/realtime/channels.ts';
import { SocketCounts } from '../src/realtime/socket-counts.ts';
import { createSocketServer } from '../src/realtime/socket-server.ts';
import type { SecurityRecord } from '../src/security-log.ts';
import { startRedis } from './processes.ts';

// The socket server alone: a real Redis and real connections, sessions from a table. Tokens have the form `<user>.<session>`.

const MEGABYTE = 1024 * 1024;
const limits = { perUser: 3, perAddress: 5, watchesPerMinute: 100 };

let redisUrl: string;
let publisher: Redis;
let bus: Bus;

const onError = () => undefined;

beforeAll(async () => {
  ({ url: redisUrl } = await startRedis());
  publisher = await connectRedis(redisUrl, { retry: 'never', onError });
  bus = createBus(createChannels(publisher), (error) => {
    throw error;
  });
  return () => publisher.disconnect();
});

let http: Server;
let port: number;
let lookups: string[];
let records: SecurityRecord[];
let cleanups: (() => unknown)[];
let closeServer: (options: { overMs: number }) => Promise<void>;
/** Resolves lookups; a test may hold them back. */
let lookUp: () => Promise<void>;
let find: () => Promise<void>;
/** Called when the sockets of a user have been counted. */
let onCounted: () => Promise<void>;
/** The owners of the conversations that exist. */
let owners: Map<string, string>;
/** The roles of others in conversations that are shared. */
let shared: Map<string, Map<string, 'viewer' | 'editor'>>;
let channels: Channels;

beforeEach(async () => {
  lookups = [];
  records = [];
  cleanups = [];
  lookUp = async () => undefined;
  find = async () => undefined;
  onCounted = async () => undefined;
  owners = new Map();
  shared = new Map();
  http = createServer();
  channels = createChannels(publisher);
  cleanups.push(channels.close);
  const counts = new SocketCounts(publisher);
  cleanups.push(() => counts.close());
  const sockets = createSocketServer({
    http,
    config: { TRUST_PROXY: 1 },
    channels,
    authenticate: async (token) => {
      lookups.push(token);
      await lookUp();
      const [userId, sessionId] = token.split('.');
      return userId && sessionId ? sessionActor({ userId, sessionId, isGuest: false }) : null;
    },
    findEndedSessions: async () => [],
    openConversation: async ({ userId }, { id, action }) => {
      await find();
      const ownerId = owners.get(id);
      const role = ownerId === userId ? 'owner' : shared.get(id)?.get(userId);
      if (!ownerId || !role) throw notFound('conversation');
      if (role === 'viewer' && action === 'write') throw needsRole('editor');
      return { ownerId, grants: [...(shared.get(id) ?? [])] };
    },
    nameOf: async (userId) => userId,
    redis: publisher,
    findUnreadable: async (watched) =>
      watched.filter(
        ({ userId, conversationId: id }) =>
          owners.get(id) !== userId && !shared.get(id)?.has(userId),
      ),
    isOwnOrigin: () => true,
    limits,
    counts: {
      hold: async (subject, options) => {
        const hasRoom = await counts.hold(subject, options);
        if (subject.startsWith('user:')) await onCounted();
        return hasRoom;
      },
    },
    securityLog: { record: (entry) => records.push(entry) },
    log: createLog({ level: 'silent', name: 'test' }),
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = http.address() as AddressInfo);
  closeServer = sockets.close;
  cleanups.push(() => sockets.close({ overMs: 0 }));
});
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

/** A tab, opened like by the product's client. */
function tab(
  token: string,
  headers: Record<string, string> = {},
  auth: Partial<SocketAuth> = { watches: true },
): Socket<ServerEvents, ClientEvents> {
  const socket: Socket<ServerEvents, ClientEvents> = io(`http://127.0.0.1:${port}`, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    auth: { token, ...auth },
    reconnection: false,
    forceNew: true,
    extraHeaders: headers,
  });
  cleanups.push(() => socket.disconnect());
  return socket;
}

async function connectedTab(
  token: string,
  headers?: Record<string, string>,
  auth?: Partial<SocketAuth>,
) {
  const socket = tab(token, headers, auth);
  await expect.poll(() => socket.connected).toBe(true);
  return socket;
}

const refusalOf = (socket: Socket<ServerEvents>) =>
  new Promise<string>((resolve, reject) => {
    socket.once('connect_error', ({ message }) => resolve(message));
    socket.once('connect', () => reject(new Error('The socket was admitted.')));
  });

/** A client that speaks Engine.IO itself and reacts only to pings: `2` is a ping, `3` a pong, `4` a message. */
async function rawClient(headers: Record<string, string> = {}) {
  const address = `ws://127.0.0.1:${port}${SOCKET_PATH}/?EIO=4&transport=websocket`;
  const ws = new WebSocket(address, { headers });
  cleanups.push(() => ws.terminate());
  const received: string[] = [];
  ws.on('message', (data: Buffer) => {
    const text = data.toString();
    received.push(text);
    if (text === '2') ws.send('3');
  });
  await new Promise((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
  });
  return {
    ws,
    received,
    events: () => received.filter((text) => text.startsWith('42')),
    isClosed: () => ws.readyState === WebSocket.CLOSED,
    join: async (token: string) => {
      ws.send(`40${JSON.stringify({ token })}`);
      await expect.poll(() => received.some((text) => text.startsWith('40'))).toBe(true);
    },
  };
}

/** TCP connections of the server, in any state of their WebSocket. */
const openConnections = () =>
  new Promise<number>((resolve) => {
    http.getConnections((_error, count) => resolve(count));
  });

const subscribersOf = async (channel: string) => {
  const [, count] = (await publisher.pubsub('NUMSUB', channel)) as [string, number];
  return count;
};
const subscribedTo = (userId: string) => subscribersOf(`user:${userId}`);
const rename = (userId: string, title: string) =>
  publisher.publish(
    `user:${userId}`,
    JSON.stringify({ event: 'conversation:changed', payload: { title } }),
  );

describe('a connection that leaves the namespace and keeps answering pings', () => {
  it('is closed, and nothing more of the user arrives', async () => {
    const client = await rawClient();
    await client.join('ada.s1');
    client.ws.send('41');
    await expect.poll(client.isClosed).toBe(true);
    await expect.poll(() => subscribedTo('ada')).toBe(0);
    await rename('ada', 'secret');
    expect(client.events().filter((text) => !text.includes('channel:joined'))).toEqual([]);
  });

  it('is closed even when it never answers the closing handshake', async () => {
    const client = await rawClient();
    await client.join('ada.s1');
    client.ws.send('41');
    // The client no longer reads, so it answers no close frame.
    client.ws.pause();
    await expect.poll(openConnections).toBe(0);
    expect(await subscribedTo('ada')).toBe(0);
  });
});

describe('joining', () => {
  it('happens once: a second join while the first runs closes the connection', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    lookUp = () => held;
    const client = await rawClient();
    for (let n = 0; n < 20; n += 1) client.ws.send('40{"token":"ada.s1"}');
    await expect.poll(client.isClosed).toBe(true);
    release();
    expect(lookups).toEqual(['ada.s1']);
    await expect.poll(() => subscribedTo('ada')).toBe(0);
  });

  it('a second time after the first succeeded closes the connection', async () => {
    const client = await rawClient();
    await client.join('ada.s1');
    client.ws.send('40{"token":"ada.s1"}');
    await expect.poll(client.isClosed).toBe(true);
    await expect.poll(() => subscribedTo('ada')).toBe(0);
  });

  it('without a valid session is refused, and the connection is closed', async () => {
    expect(await refusalOf(tab('made-up'))).toBe(SOCKET_UNAUTHENTICATED);
    const client = await rawClient();
    client.ws.send('40{"token":"made-up"}');
    // Earlier than a connection that never joins.
    await expect.poll(client.isClosed).toBe(true);
    expect(client.received.join('')).toContain(SOCKET_UNAUTHENTICATED);
  });

  it('leaves no subscription when the connection closes while the sockets of its user are counted', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let counted = 0;
    onCounted = () => {
      counted += 1;
      return held;
    };
    const client = await rawClient();
    client.ws.send('40{"token":"ada.s1"}');
    await expect.poll(() => counted).toBe(1);
    client.ws.terminate();
    await expect.poll(openConnections).toBe(0);
    release();
    await connectedTab('ben.s1');
    await expect.poll(() => subscribedTo('ada')).toBe(0);
  });
});

describe('the end of a session', () => {
  it('closes its sockets and no other of the user', async () => {
    const [ending, staying] = await Promise.all([connectedTab('ada.s1'), connectedTab('ada.s2')]);
    let published = 0;
    ending.on('session:ended', () => {
      published += 1;
    });
    await bus.endSession('ada', 's1');
    await expect.poll(() => ending.connected).toBe(false);
    expect(published).toBe(1);
    expect(staying.connected).toBe(true);
  });
});

describe('a server that stops', () => {
  it('closes its sockets one after the other, and the others receive events until then', async () => {
    const tabs = await Promise.all(
      ['s1', 's2', 's3'].map((session) => connectedTab(`ada.${session}`)),
    );
    const heard: number[] = [];
    const closed: number[] = [];
    tabs.forEach((socket, n) => {
      socket.on('conversation:changed', () => heard.push(n));
      socket.on('disconnect', () => closed.push(n));
    });
    const stopped = closeServer({ overMs: 3_000 });
    await expect.poll(() => closed).toHaveLength(1);
    await rename('ada', 'Plans');
    await expect.poll(() => heard).toHaveLength(2);
    expect(heard).not.toContain(closed[0]);
    await stopped;
    await expect.poll(() => closed.length).toBe(3);
  });
});

describe('delivery', () => {
  it('reaches every socket of the user, and no other user', async () => {
    const [first, second, stranger] = await Promise.all([
      connectedTab('ada.s1'),
      connectedTab('ada.s1'),
      connectedTab('ben.s2'),
    ]);
    const titles: string[] = [];
    for (const socket of [first, second])
      socket.on('conversation:changed', ({ title }) => titles.push(title));
    const heard: string[] = [];
    // The event for its own joining may still arrive.
    stranger.onAny((event: string) => event !== 'channel:joined' && heard.push(event));
    await rename('ada', 'Plans');
    await expect.poll(() => titles).toEqual(['Plans', 'Plans']);
    await rename('ben', 'Other plans');
    await expect.poll(() => heard).toEqual(['conversation:changed']);
  });

  it('continues for the other sockets when one closes, and the Redis subscription ends with the last', async () => {
    const [first, second] = await Promise.all([connectedTab('ada.s1'), connectedTab('ada.s1')]);
    first.disconnect();
    const titles: string[] = [];
    second.on('conversation:changed', ({ title }) => titles.push(title));
    await rename('ada', 'Plans');
    await expect.poll(() => titles).toEqual(['Plans']);
    second.disconnect();
    await expect.poll(() => subscribedTo('ada')).toBe(0);
  });
});

describe('a watched conversation', () => {
  /** A conversation of the user. */
  const conversationOf = (userId: string) => {
    const id = new Types.ObjectId().toString();
    owners.set(id, userId);
    return id;
  };
  const writeIn = (conversationId: string, delta: string) =>
    publisher.publish(
      conversationChannel(conversationId),
      JSON.stringify({ event: 'reply:delta', payload: { conversationId, delta } }),
    );
  const deltasOf = (socket: Socket<ServerEvents>) => {
    const deltas: string[] = [];
    socket.on('reply:delta', ({ delta }) => deltas.push(delta));
    return deltas;
  };
  const watch = (socket: Socket<ServerEvents, ClientEvents>, conversationId: string) =>
    socket.emitWithAck('watch', { conversationId });

  it('sends its deltas to the tabs that watch it, from the answer on, and to no other', async () => {
    const [shown, other] = [conversationOf('ada'), conversationOf('ada')];
    const [first, second] = await Promise.all([connectedTab('ada.s1'), connectedTab('ada.s1')]);
    const [ofFirst, ofSecond] = [deltasOf(first), deltasOf(second)];
    expect(await watch(first, shown)).toEqual({});
    await writeIn(shown, 'one');
    expect(await watch(second, other)).toEqual({});
    await writeIn(shown, 'two');
    await writeIn(other, 'else');
    await expect.poll(() => ofSecond).toEqual(['else']);
    await expect.poll(() => ofFirst).toEqual(['one', 'two']);
  });

  it('of another user is answered like one that does not exist', async () => {
    const socket = await connectedTab('ada.s1');
    const deltas = deltasOf(socket);
    const [ofBen, made] = [conversationOf('ben'), new Types.ObjectId().toString()];
    expect(await watch(socket, ofBen)).toEqual({ error: 'not_found' });
    expect(await watch(socket, made)).toEqual({ error: 'not_found' });
    await writeIn(ofBen, 'secret');
    expect(await subscribersOf(conversationChannel(ofBen))).toBe(0);
    const own = conversationOf('ada');
    await watch(socket, own);
    await writeIn(own, 'own');
    await expect.poll(() => deltas).toEqual(['own']);
  });

  it('ends with unwatch and with the socket', async () => {
    const id = conversationOf('ada');
    const [first, second] = await Promise.all([connectedTab('ada.s1'), connectedTab('ada.s1')]);
    await Promise.all([watch(first, id), watch(second, id), watch(first, id)]);
    const deltas = deltasOf(second);
    first.emit('unwatch', { conversationId: id });
    await watch(first, conversationOf('ada'));
    await writeIn(id, 'one');
    await expect.poll(() => deltas).toEqual(['one']);
    second.disconnect();
    await expect.poll(() => subscribersOf(conversationChannel(id))).toBe(0);
  });

  it('is not subscribed to when the socket closes while its access is checked', async () => {
    const id = conversationOf('ada');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let finds = 0;
    find = () => {
      finds += 1;
      return held;
    };
    const socket = await connectedTab('ada.s1');
    const watching = watch(socket, id).catch(() => undefined);
    await expect.poll(() => finds).toBe(1);
    socket.disconnect();
    await expect.poll(openConnections).toBe(0);
    release();
    await watching;
    await connectedTab('ben.s1');
    expect(await subscribersOf(conversationChannel(id))).toBe(0);
  });

  it('is limited in number, and one that ends makes room', async () => {
    const socket = await connectedTab('ada.s1');
    const ids = Array.from({ length: MAX_WATCHED + 1 }, () => conversationOf('ada'));
    const answers = await Promise.all(ids.map((id) => watch(socket, id)));
    expect(answers.filter(({ error }) => error === 'too_many_requests')).toHaveLength(1);
    socket.emit('unwatch', { conversationId: ids[0] ?? '' });
    expect(await watch(socket, ids.at(-1) ?? '')).toEqual({});
  });

  it('is limited in requests per minute, for all tabs of a user together', async () => {
    const id = conversationOf('ada');
    const tabs = await Promise.all([connectedTab('ada.s1'), connectedTab('ada.s1')]);
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => tabs.map((socket) => watch(socket, id))).flat(),
    );
    expect(answers.filter(({ error }) => error)).toHaveLength(20);
  });

  it('is refused with an unreadable request, and without a function to answer nothing happens', async () => {
    const socket = await connectedTab('ada.s1');
    for (const body of [undefined, 'x', {}, { conversationId: { $gt: '' } }])
      expect(await socket.emitWithAck('watch', body as never)).toEqual({ error: 'malformed' });
    for (const event of ['watch', 'unwatch'] as const)
      socket.emit(event, null as never, 1 as never);
    expect(await watch(socket, conversationOf('ada'))).toEqual({});
  });

  it('is followed for a tab of the former build while a reply runs in it', async () => {
    const id = conversationOf('ada');
    const socket = await connectedTab('ada.s1', {}, {});
    const deltas = deltasOf(socket);
    const at = { replyId: 'r', conversationId: id, attempt: 1, length: 0 };
    await bus.publish('ada', 'reply:state', { ...at, status: 'streaming' });
    await expect.poll(() => subscribersOf(conversationChannel(id))).toBe(1);
    await expect
      .poll(async () => {
        await writeIn(id, 'text');
        return deltas.length;
      })
      .toBeGreaterThan(0);
    await bus.publish('ada', 'reply:state', { ...at, status: 'complete' });
    await expect.poll(() => subscribersOf(conversationChannel(id))).toBe(0);
  });
});

describe('a shared conversation', () => {
  const id = 'c'.repeat(24);
  beforeEach(() => {
    owners.set(id, 'ada');
    shared.set(
      id,
      new Map([
        ['bob', 'editor'],
        ['eve', 'viewer'],
      ]),
    );
  });
  /** What the last event said about who is there. */
  const present = new WeakMap<object, string[]>();
  const open = async (token: string, conversationId = id) => {
    const socket = await connectedTab(token);
    socket.on('presence', ({ users }) =>
      present.set(
        socket,
        users.map(({ name, state }) => (state === 'typing' ? `${name}…` : name)),
      ),
    );
    return { socket, answer: await socket.emitWithAck('watch', { conversationId }) };
  };
  const seenBy = (socket: object) => () => present.get(socket);

  it('tells who has it open, until they close it or lose the connection, and nothing to others', async () => {
    const { socket: ada } = await open('ada.s1');
    await expect.poll(seenBy(ada)).toEqual(['ada']);
    const { socket: bob } = await open('bob.s1');
    const { socket: second } = await open('bob.s2');
    const { socket: mallory, answer } = await open('mallory.s1');
    expect(answer).toEqual({ error: 'not_found' });
    for (const socket of [ada, bob, second])
      await expect.poll(seenBy(socket)).toEqual(['ada', 'bob']);
    bob.emit('unwatch', { conversationId: id });
    const { socket: eve } = await open('eve.s1');
    await expect.poll(seenBy(ada)).toEqual(['ada', 'bob', 'eve']);
    second.disconnect();
    await expect.poll(seenBy(eve)).toEqual(['ada', 'eve']);
    expect(seenBy(mallory)()).toBeUndefined();
  });

  it('tells that an editor is writing, and not a viewer, nobody who has not opened it, and no flood', async () => {
    const { socket: ada } = await open('ada.s1');
    const { socket: bob } = await open('bob.s1');
    const { socket: eve } = await open('eve.s1');
    const { socket: mallory } = await open('mallory.s1');
    const idle = await connectedTab('bob.s2');
    await expect.poll(seenBy(ada)).toEqual(['ada', 'bob', 'eve']);
    let told = 0;
    ada.on('presence', () => (told += 1));
    for (const socket of [eve, mallory, idle]) socket.emit('typing', { conversationId: id });
    for (const body of [null, {}, { conversationId: { $ne: 1 } }, 'x'.repeat(500)])
      bob.emit('typing', body as never);
    for (const socket of [eve, mallory, idle, bob])
      await socket.emitWithAck('watch', { conversationId: '0'.repeat(24) });
    expect(told).toBe(0);
    for (let n = 0; n < 200; n += 1) bob.emit('typing', { conversationId: id });
    await expect.poll(seenBy(ada)).toEqual(['bob…', 'ada', 'eve']);
    await bob.emitWithAck('watch', { conversationId: '0'.repeat(24) });
    await expect.poll(() => told).toBe(60);
    await publisher.publish(
      'user:bob',
      JSON.stringify({
        event: 'message:created',
        payload: { message: { conversationId: id, author: { id: 'bob' } }, reply: {} },
      }),
    );
    await expect.poll(seenBy(ada)).toEqual(['ada', 'bob', 'eve']);
  });

  it('forgets who may no longer read it', async () => {
    const { socket: ada } = await open('ada.s1');
    const { socket: bob } = await open('bob.s1');
    await expect.poll(seenBy(ada)).toEqual(['ada', 'bob']);
    shared.get(id)?.delete('bob');
    await bus.publish('bob', 'access:changed', { conversationId: id });
    await expect.poll(seenBy(ada)).toEqual(['ada']);
    expect(seenBy(bob)()).toEqual(['ada', 'bob']);
  });

  it.each([
    ['by the event', () => bus.publish('ada', 'access:changed', { conversationId: id })],
    ['by the gap that hid the event', () => publisher.call('CLIENT', 'KILL', 'TYPE', 'pubsub')],
  ])('forgets its former owner %s', async (_, tell) => {
    await open('ada.s1');
    const { socket: bob } = await open('bob.s1');
    await expect.poll(seenBy(bob)).toEqual(['ada', 'bob']);
    owners.set(id, 'bob');
    await tell();
    await expect.poll(seenBy(bob)).toEqual(['bob']);
  });

  it('forgets a former owner whose access ends later, when that event is lost', async () => {
    const { socket: ada } = await open('ada.s1');
    const { socket: bob } = await open('bob.s1');
    owners.set(id, 'bob');
    shared.get(id)?.set('ada', 'viewer');
    const heard = new Promise<unknown>((resolve) => ada.once('access:changed', resolve));
    await bus.publish('ada', 'access:changed', { conversationId: id });
    await heard;
    await expect.poll(seenBy(bob)).toEqual(['ada', 'bob']);
    shared.get(id)?.delete('ada');
    await expect.poll(seenBy(bob)).toEqual(['bob']);
  });

  it('is one from the moment at which it is shared, and costs Redis nothing before and after', async () => {
    const roles = shared.get(id) ?? new Map();
    shared.delete(id);
    const { socket: ada } = await open('ada.s1');
    expect(await publisher.keys('presence:*')).toEqual([]);
    const change = (to: object) =>
      bus.publish('ada', 'conversation:changed', { id, ...to } as never);
    shared.set(id, roles);
    await change({ shared: { role: 'owner', owner: { id: 'ada', name: 'ada' } } });
    await expect.poll(seenBy(ada)).toEqual(['ada']);
    await change({});
    await expect.poll(() => publisher.keys('presence:*')).toEqual([]);
  });
});

describe('the number of a channel', () => {
  it('is told to a tab that joins, and each event has the next one', async () => {
    const socket = tab('ada.s1');
    const heard: unknown[][] = [];
    socket.onAny((...packet: unknown[]) => heard.push(packet));
    const number = await channels.readNumber('user:ada');
    await expect.poll(() => heard).toEqual([['channel:joined', { number }]]);
    await bus.publish('ada', 'conversation:changed', { title: 'Plans' } as never);
    const next = await channels.readNumber('user:ada');
    const at = { previous: number, number: next };
    await expect.poll(() => heard[1]).toEqual(['conversation:changed', { title: 'Plans' }, at]);
  });
});

describe('a gap of Redis', () => {
  it('is told to the tabs, which stay connected; those of the former build reconnect', async () => {
    const [present, former] = await Promise.all([
      connectedTab('ada.s1'),
      connectedTab('ada.s2', {}, {}),
    ]);
    const gaps: object[] = [];
    present.on('gap', (gap) => gaps.push(gap));
    const number = await channels.readNumber('user:ada');
    await publisher.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    // 500 tabs a second.
    await expect.poll(() => gaps).toEqual([{ spreadMs: 4, number }]);
    await expect.poll(() => former.connected).toBe(false);
    expect(present.connected).toBe(true);
    const titles: string[] = [];
    present.on('conversation:changed', ({ title }) => titles.push(title));
    await expect
      .poll(async () => {
        await rename('ada', 'Plans');
        return titles.length;
      })
      .toBeGreaterThan(0);
  });
});

describe('a tab that does not read', () => {
  it('is closed before much is buffered for it, while the other tabs receive everything', async () => {
    const stalled = await rawClient();
    await stalled.join('ada.s1');
    let bytesRead = 0;
    stalled.ws.on('message', (data: Buffer) => {
      bytesRead += data.length;
    });
    const tcp = (stalled.ws as unknown as { _socket: TcpSocket })._socket;
    tcp.pause();

    const reading = await connectedTab('ada.s1');
    let lengths = 0;
    reading.on('conversation:changed', ({ title }) => {
      lengths += title.length;
    });
    const text = 'x'.repeat(64 * 1024);
    const total = 40 * MEGABYTE;
    for (let sent = 0; sent < total; sent += 16 * text.length) {
      await Promise.all(Array.from({ length: 16 }, () => rename('ada', text)));
      const due = sent + 16 * text.length;
      await expect.poll(() => lengths, { interval: 1 }).toBe(due);
    }
    expect(reading.connected).toBe(true);
    tcp.resume();
    await expect.poll(stalled.isClosed).toBe(true);
    // Later bytes come from buffers of the operating system.
    expect(bytesRead).toBeLessThan(total / 2);
  });
});

describe('the number of sockets', () => {
  it('is limited per user, and each that closes makes room for another', async () => {
    const from = (n: number) => ({ 'x-forwarded-for': `192.0.2.${n}` });
    const tabs = await Promise.all([1, 2, 3].map((n) => connectedTab('ada.s1', from(n))));
    expect(await refusalOf(tab('ada.s1', from(4)))).toBe('too many sockets');
    expect(records).toEqual([
      { event: 'limit_hit', limit: 'sockets-user', userId: 'ada', ip: '192.0.2.4' },
    ]);
    await connectedTab('ben.s2', from(4));
    tabs[0]?.disconnect();
    await expect
      .poll(async () => {
        const another = tab('ada.s1', from(5));
        return new Promise((resolve) => {
          another.once('connect', () => resolve('admitted'));
          another.once('connect_error', ({ message }) => resolve(message));
        });
      })
      .toBe('admitted');
  });

  it('is limited per IP address, joined or not', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.7, 192.0.2.9' };
    const clients = await Promise.all(
      Array.from({ length: limits.perAddress }, () => rawClient(headers)),
    );
    // The part of the header that the client wrote does not count.
    const spoofed = { 'x-forwarded-for': '203.0.113.1, 192.0.2.9' };
    await expect(rawClient(spoofed)).rejects.toThrow('Unexpected server response');
    expect(records).toEqual([{ event: 'limit_hit', limit: 'sockets-address', ip: '192.0.2.9' }]);
    await rawClient({ 'x-forwarded-for': '192.0.2.10' });
    clients[0]?.ws.close();
    await expect.poll(() => rawClient(headers).then(() => 'open', String)).toBe('open');
  });
});
