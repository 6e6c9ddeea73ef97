import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { connectRedis, type Redis } from '../db/redis.ts';
import { createSocketCounts, type SocketCounts } from './socket-counts.ts';

let redis: Redis;
let subject: string;
const all: SocketCounts[] = [];

/** A web process. */
function start(): SocketCounts {
  const counts = createSocketCounts(redis, { beatMs: 100, lostMs: 1_000 });
  all.push(counts);
  return counts;
}

beforeAll(async () => {
  const url = process.env.REDIS_URL ?? '';
  redis = await connectRedis(url, { retry: 'never', onError: () => undefined });
});
beforeEach(() => {
  subject = randomUUID();
});
afterAll(() => {
  for (const counts of all) counts.close();
  redis.disconnect();
});

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
