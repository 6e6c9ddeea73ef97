import { beforeAll, beforeEach, expect, it } from 'vitest';
import { newId } from '../../test/chat.ts';
import { startRedis } from '../../test/processes.ts';
import { MAX_PRESENT, type Presence } from '../contract/realtime.ts';
import { connectRedis, type Redis } from '../db/redis.ts';
import { createLog } from '../log.ts';
import { conversationChannel, decodeEvent } from './bus.ts';
import { type Channels, createChannels } from './channels.ts';
import { PresenceNotes } from './presence.ts';

const log = createLog({ level: 'silent', name: 'test' });
const onError = () => undefined;
/** One connection for each process. */
let clients: Redis[];
let channels: Channels;
let id: string;
/** What was published of the conversation. */
let published: Presence[];

beforeAll(async () => {
  const { url } = await startRedis();
  const connect = () => connectRedis(url, { retry: 'never', onError });
  clients = await Promise.all([connect(), connect()]);
  channels = createChannels(clients[0] as Redis);
  return () => {
    channels.close();
    for (const client of clients) client.disconnect();
  };
});
beforeEach(async () => {
  id = newId();
  published = [];
  const note = (text: string) => published.push(decodeEvent(text).payload as Presence);
  const end = await channels.subscribe(conversationChannel(id), note);
  return end;
});

const tab = (userId: string) => ({ data: { userId } });
const process = (
  client: Redis | undefined,
  { beatMs = 3_600_000, lifeMs, emit = () => undefined }: Partial<Life> = {},
) => {
  if (!client) throw new Error('no client');
  const nameOf = async (userId: string) => userId.toUpperCase();
  return new PresenceNotes({ redis: client, nameOf, emit, log, beatMs, ...(lifeMs && { lifeMs }) });
};
interface Life {
  beatMs: number;
  lifeMs: number;
  emit: (presence: Presence) => void;
}
const namesIn = (presence: Presence | undefined) =>
  presence?.users.map(({ id: userId, state }) => (state === 'typing' ? `${userId}…` : userId));
const latest = () => namesIn(published.at(-1));

it('a user with tabs on two processes is one person, until the last tab has gone', async () => {
  const [one, other] = [process(clients[0]), process(clients[1])];
  const tabs = [tab('ada'), tab('ada'), tab('ada')] as const;
  one.enter(id, tabs[0]);
  one.enter(id, tabs[1]);
  await expect.poll(latest).toEqual(['ada']);
  other.enter(id, tabs[2]);
  other.enter(id, tab('bob'));
  await expect.poll(latest).toEqual(['ada', 'bob']);
  expect(published.at(-1)).toEqual({
    conversationId: id,
    count: 2,
    users: [
      { id: 'ada', name: 'ADA', state: 'here' },
      { id: 'bob', name: 'BOB', state: 'here' },
    ],
  });
  const told = published.length;
  one.leave(id, tabs[0]);
  one.leave(id, tabs[1]);
  await expect.poll(() => published.length).toBeGreaterThan(told);
  expect(latest()).toEqual(['ada', 'bob']);
  other.leave(id, tabs[2]);
  await expect.poll(latest).toEqual(['bob']);
  one.close();
  other.close();
});

it('the people of a process that has died are gone when another one writes its own, and those of a living one stay', async () => {
  const dead = process(clients[0], { lifeMs: 600 });
  dead.enter(id, tab('ada'));
  await expect.poll(latest).toEqual(['ada']);
  dead.close();
  const heard: (string[] | undefined)[] = [];
  const emit = (presence: Presence) => heard.push(namesIn(presence));
  const living = process(clients[1], { beatMs: 50, lifeMs: 1_000_000, emit });
  living.enter(id, tab('bob'));
  await expect.poll(() => heard.at(-1)).toEqual(['bob']);
  living.close();
});

it('nothing is left in Redis of a conversation that nobody has open, and what Redis has lost comes back', async () => {
  const heard: (string[] | undefined)[] = [];
  const emit = (presence: Presence) => heard.push(namesIn(presence));
  const one = process(clients[0], { beatMs: 50, emit });
  const first = tab('ada');
  one.enter(id, first);
  await expect.poll(latest).toEqual(['ada']);
  const [key = ''] = (await clients[0]?.keys(`*${id}*`)) ?? [];
  expect(key).toBe(`presence:{${id}}`);
  expect(await clients[0]?.pttl(key)).toBeLessThanOrEqual(30_000);
  await clients[0]?.call('FLUSHALL');
  heard.length = 0;
  await expect.poll(() => heard.at(-1)).toEqual(['ada']);
  one.leave(id, first);
  await expect.poll(() => clients[0]?.exists(key)).toBe(0);
  one.close();
});

it('who is writing comes first, and is not when the message is sent', async () => {
  const [one, other] = [process(clients[0]), process(clients[1])];
  const writer = tab('bob');
  one.enter(id, tab('ada'));
  await expect.poll(latest).toEqual(['ada']);
  other.enter(id, writer);
  await expect.poll(latest).toEqual(['ada', 'bob']);
  other.write(id, writer);
  await expect.poll(latest).toEqual(['bob…', 'ada']);
  one.endWriting(id, 'bob');
  other.endWriting(id, 'bob');
  await expect.poll(latest).toEqual(['ada', 'bob']);
  const told = published.length;
  other.write(id, tab('bob'));
  other.write(newId(), writer);
  other.leave(id, writer);
  await expect.poll(latest).toEqual(['ada']);
  expect(published.length).toBe(told + 1);
  one.close();
  other.close();
});

it('names so many people only, and counts all', async () => {
  const one = process(clients[0]);
  const users = Array.from({ length: MAX_PRESENT + 5 }, (_, n) => `user-${n}`);
  for (const user of users) one.enter(id, tab(user));
  await expect.poll(() => published.at(-1)?.count).toBe(users.length);
  expect(published.at(-1)?.users).toHaveLength(MAX_PRESENT);
  one.close();
});
