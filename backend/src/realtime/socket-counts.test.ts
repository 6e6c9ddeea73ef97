import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { connectRedis, type Redis } from '../db/redis.ts';
import { SocketCounts } from './socket-counts.ts';

let redis: Redis;
let subject: string;
let all: SocketCounts[] = [];

const connect = () =>
  connectRedis(process.env.REDIS_URL ?? '', { retry: 'never', onError: () => undefined });

/** A web process. */
function start(client = redis, { lostMs = 1_000 } = {}): SocketCounts {
  const counts = new SocketCounts(client, { beatMs: 100, lostMs });
  all.push(counts);
  return counts;
}

beforeAll(async () => {
  redis = await connect();
});
beforeEach(() => {
  subject = randomUUID();
  all = [];
});
afterEach(() => {
  for (const counts of all) counts.close();
});
afterAll(() => redis.disconnect());

const hold = (counts: SocketCounts, socket = new Socket()) =>
  counts.hold(subject, { max: 3, socket });

it('sockets of all web processes count, until they close', async () => {
  const [one, two] = [start(), start()];
  const socket = new Socket();
  expect([await hold(one, socket), await hold(one)]).toEqual([true, true]);
  // The second process learns of the first one, and the first one of the second, with their next beats.
  await expect.poll(() => hold(two)).toBe(true);
  await expect.poll(() => hold(two)).toBe(false);
  expect(await two.hold(randomUUID(), { max: 3, socket: new Socket() })).toBe(true);
  socket.destroy();
  await expect.poll(() => hold(two)).toBe(true);
});

it('sockets of a lost process count no longer', async () => {
  const [lost, other] = [start(), start()];
  for (let n = 0; n < 3; n += 1) await hold(lost);
  await expect.poll(() => hold(other, closed())).toBe(false);
  lost.close();
  await expect.poll(() => hold(other)).toBe(true);
});

it('what happens while Redis is unreachable is known to the other processes afterwards', async () => {
  const client = await connect();
  const [one, two] = [start(client), start(redis, { lostMs: 60_000 })];
  const sockets = [new Socket(), new Socket(), new Socket()];
  for (const socket of sockets) await hold(one, socket);
  await expect.poll(() => hold(two, closed())).toBe(false);
  client.disconnect();
  // Without Redis a process knows its own sockets.
  expect(await hold(one)).toBe(false);
  sockets[0]?.destroy();
  sockets[1]?.destroy();
  await expect.poll(() => hold(one)).toBe(true);
  await client.connect();
  // Two of `one` are left, so there is room for one more.
  await expect.poll(() => hold(two)).toBe(true);
  expect(await hold(two)).toBe(false);
  client.disconnect();
});

/** A socket that is closed before it is counted. */
function closed(): Socket {
  const socket = new Socket();
  socket.destroy();
  return socket;
}

it('nothing is counted without a limit', async () => {
  await start().hold(subject, { max: Number.POSITIVE_INFINITY, socket: new Socket() });
  expect(await redis.exists(`sockets:${subject}`)).toBe(0);
});
