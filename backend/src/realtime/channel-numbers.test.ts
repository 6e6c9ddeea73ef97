import { beforeAll, beforeEach, expect, it } from 'vitest';
import { newId } from '../../test/chat.ts';
import { startRedis, type TestProcess } from '../../test/processes.ts';
import { connectRedis, type Redis } from '../db/redis.ts';
import { createBus, decodeEvent, userChannel } from './bus.ts';
import { type Channels, createChannels } from './channels.ts';

let server: TestProcess;
let redis: Redis;
let channels: Channels;

beforeAll(async () => {
  server = await startRedis();
  redis = await connectRedis(server.url, { retry: 'never', onError: () => undefined });
  channels = createChannels(redis);
  return () => {
    channels.close();
    redis.disconnect();
  };
});

let userId: string;
let events: ReturnType<typeof decodeEvent>[];

beforeEach(async () => {
  userId = newId();
  events = [];
  await channels.subscribe(userChannel(userId), (text) => events.push(decodeEvent(text)));
});

const publish = (id: string) =>
  createBus(channels, () => undefined).publish(userId, 'conversation:deleted', { id });
const readNumber = () => channels.readNumber(userChannel(userId));

it('numbers the events of a channel, each after the one before, and reads the last number', async () => {
  const start = await readNumber();
  await Promise.all(Array.from({ length: 50 }, (_, n) => publish(`c${n}`)));
  await expect.poll(() => events.length).toBe(50);
  const numbers = events.map(({ number }) => number);
  expect(events.map(({ previous }) => previous)).toEqual([start, ...numbers.slice(0, -1)]);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => Number(a) - Number(b)));
  expect(events[0]).toMatchObject({ event: 'conversation:deleted', payload: { id: 'c0' } });
  expect(await readNumber()).toBe(numbers.at(-1));
  const [key = ''] = await redis.keys(`*${userId}*:number`);
  expect(await redis.ttl(key)).toBeGreaterThan(80_000);
});

it('numbers go on although Redis has lost its keys, and nobody takes what follows for complete', async () => {
  await publish('c1');
  await expect.poll(() => events.length).toBe(1);
  await redis.call('FLUSHALL');
  await publish('c2');
  await expect.poll(() => events.length).toBe(2);
  const [last = 0, next = 0] = events.map(({ number }) => number);
  expect(events[1]?.previous).toBeGreaterThan(last);
  expect(next).toBeGreaterThan(last);
  await redis.call('FLUSHALL');
  expect(await readNumber()).toBeGreaterThan(next);
  expect(await readNumber()).toBe(await readNumber());
});

it('never repeats a number of a server whose clock was ahead', async () => {
  const ahead = (Date.now() + 3_600_000) * 1_000;
  await redis.set(`{${userChannel(userId)}}:number`, ahead);
  await publish('c1');
  await expect.poll(() => events).toMatchObject([{ previous: ahead, number: ahead + 1 }]);
});

it('publishes the events for whose number Redis has no memory, and what was read before is behind', async () => {
  await publish('c1');
  await redis.config('SET', 'maxmemory', '1');
  await publish('c2');
  await redis.config('SET', 'maxmemory', '0');
  await expect
    .poll(() => events)
    .toMatchObject([{ payload: { id: 'c1' } }, { payload: { id: 'c2' } }]);
  expect(events[1]?.previous).toBe(events[0]?.number);
  expect(await readNumber()).toBeLessThan(events[1]?.number ?? 0);
});

it('an event without a payload stays readable', async () => {
  await createBus(channels, () => undefined).publish(userId, 'memory:changed', undefined);
  await expect.poll(() => events).toMatchObject([{ event: 'memory:changed' }]);
  expect(events[0]?.number).toBeGreaterThan(events[0]?.previous ?? 0);
});

it('tells a gap to the users whose events could not be published, once Redis is reachable', async () => {
  const refused: unknown[] = [];
  let isReachable = false;
  const bus = createBus(
    {
      publishNumbered: async (channel, text) => {
        if (!isReachable) throw new Error('no Redis');
        await channels.publishNumbered(channel, text);
      },
    },
    (error) => refused.push(error),
  );
  await bus.publish(userId, 'conversation:deleted', { id: 'c1' });
  expect(refused).toHaveLength(1);
  isReachable = true;
  await expect.poll(() => events).toMatchObject([{ event: 'gap' }]);
});
