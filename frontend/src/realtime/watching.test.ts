import type { WatchAnswer } from '@stolas/backend/contract';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { notePresence, presenceOf } from './presence.ts';
import { type WatchCalls, Watching } from './watching.ts';

const onSettled = vi.fn<(conversationId: string) => void>();
let watching: Watching;
/** What was asked of the server, in order, and how it answers. */
let asked: string[];
let answer: () => Promise<WatchAnswer>;

const connection = (): WatchCalls => ({
  watch: (id) => {
    asked.push(`watch ${id}`);
    return answer();
  },
  unwatch: (id) => void asked.push(`unwatch ${id}`),
  typing: (id) => void asked.push(`typing ${id}`),
});
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  onSettled.mockReset();
  asked = [];
  answer = async () => ({});
  watching = new Watching(onSettled);
});
afterEach(() => {
  watching.disconnected();
  vi.useRealTimers();
});

it('watches what is shown on each connection, and not what is no longer shown', async () => {
  const hide = watching.show('c1');
  watching.show('c2');
  expect(asked).toEqual([]);
  watching.connected(connection());
  await settle();
  expect(onSettled.mock.calls).toEqual([['c1'], ['c2']]);
  expect(watching.isConfirmed('c1')).toBe(true);
  hide();
  watching.disconnected();
  expect(watching.isConfirmed('c2')).toBe(false);
  watching.connected(connection());
  expect(asked).toEqual(['watch c1', 'watch c2', 'unwatch c1', 'watch c2']);
});

it('watches a conversation that two places show until both are gone', () => {
  watching.connected(connection());
  const [first, second] = [watching.show('c1'), watching.show('c1')];
  first();
  expect(asked).toEqual(['watch c1']);
  second();
  expect(asked).toEqual(['watch c1', 'unwatch c1']);
});

it('ignores the answer of a connection that has ended', async () => {
  let give: (answer: WatchAnswer) => void = () => {};
  answer = () =>
    new Promise((resolve) => {
      give = resolve;
    });
  watching.show('c1');
  watching.connected(connection());
  watching.disconnected();
  give({});
  await settle();
  expect(onSettled).not.toHaveBeenCalled();
  expect(watching.isConfirmed('c1')).toBe(false);
});

it('asks again after a refusal or without an answer, and settles when it first fails and when it succeeds', async () => {
  answer = async () => ({ error: 'unavailable' });
  watching.show('c1');
  watching.connected(connection());
  await settle();
  expect(onSettled).toHaveBeenCalledTimes(1);
  answer = () => Promise.reject(new Error('timeout'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked.length).toBeGreaterThan(1);
  expect(onSettled).toHaveBeenCalledTimes(1);
  answer = async () => ({});
  await vi.advanceTimersByTimeAsync(10_000);
  expect(onSettled).toHaveBeenCalledTimes(2);
  expect(watching.isConfirmed('c1')).toBe(true);
});

it('does not ask again for a conversation that does not exist', async () => {
  answer = async () => ({ error: 'not_found' });
  watching.show('c1');
  watching.connected(connection());
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(['watch c1']);
});

it('says that the user is writing only to others who are there, and not at every key', async () => {
  const hide = watching.show('c1');
  watching.connected(connection());
  await settle();
  const person = (id: string) => ({ id, name: id, state: 'here' as const });
  const tell = (...ids: string[]) =>
    notePresence({ conversationId: 'c1', users: ids.map(person), count: ids.length });
  const said = () => asked.filter((call) => call.startsWith('typing'));
  watching.writes('c1');
  tell('me');
  watching.writes('c1');
  expect(said()).toEqual([]);
  tell('me', 'ada');
  for (let n = 0; n < 31; n += 1) {
    watching.writes('c1');
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(said()).toEqual(['typing c1', 'typing c1']);
  watching.writes('c2');
  watching.disconnected();
  expect(presenceOf('c1')).toBeUndefined();
  tell('me', 'ada');
  watching.writes('c1');
  hide();
  expect(presenceOf('c1')).toBeUndefined();
  expect(said()).toHaveLength(2);
});
