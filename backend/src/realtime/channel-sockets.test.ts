import { beforeEach, expect, it } from 'vitest';
import { type ChannelSockets, createChannelSockets } from './channel-sockets.ts';
import type { Channels } from './channels.ts';

/** A subscription that Redis was asked for. */
interface Asked {
  publish: (text: string) => void;
  confirm: () => void;
  refuse: () => void;
  isEnded: boolean;
}

let asked: Asked[];
let delivered: { text: string; to: string[] }[];
let rooms: ChannelSockets<string>;

beforeEach(() => {
  [asked, delivered] = [[], []];
  const subscribe: Channels['subscribe'] = (_, publish) =>
    new Promise((resolve, reject) => {
      const one: Asked = {
        publish: (text) => one.isEnded || publish(text),
        confirm: () => resolve(() => (one.isEnded = true)),
        refuse: () => reject(new Error('Redis refuses.')),
        isEnded: false,
      };
      asked.push(one);
    });
  rooms = createChannelSockets({
    subscribe,
    deliver: (channel, text) => delivered.push({ text, to: [...rooms.socketsOf(channel)] }),
  });
});

const publish = (text: string) => {
  for (const one of asked) one.publish(text);
};

it('asks Redis once for all sockets that come and go while it does not answer; each text then arrives once', async () => {
  const left = Array.from({ length: 5 }, (_, n) => {
    const added = rooms.add('news', `tab ${n}`);
    rooms.remove('news', `tab ${n}`);
    return added;
  });
  const stays = rooms.add('news', 'last tab');
  expect(asked).toHaveLength(1);
  // What waits for a socket that has left does not stay in memory.
  await Promise.all(left);
  asked[0]?.confirm();
  await stays;
  publish('hello');
  expect(delivered).toEqual([{ text: 'hello', to: ['last tab'] }]);
  rooms.remove('news', 'last tab');
  expect(asked[0]?.isEnded).toBe(true);
});

it('ends a subscription that Redis confirms after its last socket has left, and asks again for the next one', async () => {
  void rooms.add('news', 'tab');
  rooms.remove('news', 'tab');
  asked[0]?.confirm();
  await expect.poll(() => asked[0]?.isEnded).toBe(true);
  const again = rooms.add('news', 'tab');
  asked[1]?.confirm();
  await again;
  publish('hello');
  expect(delivered).toEqual([{ text: 'hello', to: ['tab'] }]);
});

it('adds no socket when Redis refuses, and asks again for the next one', async () => {
  const refused = [rooms.add('news', 'one'), rooms.add('news', 'two')];
  asked[0]?.refuse();
  for (const result of await Promise.allSettled(refused))
    expect(result).toMatchObject({ reason: { message: 'Redis refuses.' } });
  expect([...rooms.socketsOf('news')]).toEqual([]);
  const again = rooms.add('news', 'three');
  asked[1]?.confirm();
  await again;
  expect([...rooms.socketsOf('news')]).toEqual(['three']);
});
