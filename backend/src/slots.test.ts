import { expect, it } from 'vitest';
import { createSlots } from './slots.ts';

/** Tasks that the test ends; `begun` names them in the order of their starts. */
function createTasks(size: number) {
  const inSlot = createSlots(size);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, turn: Parameters<typeof inSlot>[1] = {}) =>
    inSlot(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    }, turn);
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, add, end, settle: () => new Promise((resolve) => setImmediate(resolve)) };
}

it('runs as many tasks as it has slots, the others in order', async () => {
  const { begun, add, end, settle } = createTasks(2);
  for (const name of ['a', 'b', 'c', 'd']) void add(name);
  await settle();
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'c']);
});

it('lets groups take turns', async () => {
  const { begun, add, end, settle } = createTasks(1);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'])
    void add(name, { group: name.charAt(0) });
  await settle();
  for (const name of ['a1', 'b1', 'c1', 'a2', 'b2']) await end(name);
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

it('leaves one slot to other groups', async () => {
  const { begun, add, settle } = createTasks(3);
  for (const name of ['a1', 'a2', 'a3', 'b1']) void add(name, { group: name.charAt(0) });
  await settle();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
});

it('runs tasks with the same key one after the other, and others meanwhile', async () => {
  const { begun, add, end, settle } = createTasks(3);
  void add('first', { key: 'file' });
  void add('second', { key: 'file' });
  void add('other', { key: 'other file' });
  await settle();
  expect(begun).toEqual(['first', 'other']);
  await end('first');
  expect(begun).toEqual(['first', 'other', 'second']);
});

it('begins a task that comes last only when no other can', async () => {
  const { begun, add, end, settle } = createTasks(1);
  void add('first');
  void add('last', { isLast: true });
  void add('a');
  void add('b', { group: 'b' });
  await settle();
  for (const name of ['first', 'a', 'b']) await end(name);
  expect(begun).toEqual(['first', 'a', 'b', 'last']);
});

it('runs no task that is aborted while it waits', async () => {
  const { begun, add, end, settle } = createTasks(1);
  void add('a');
  const waiting = new AbortController();
  const aborted = add('b', waiting);
  void add('c');
  await settle();
  waiting.abort(new Error('no longer wanted'));
  await expect(aborted).rejects.toThrow('no longer wanted');
  await end('a');
  expect(begun).toEqual(['a', 'c']);
});

it('gives the slot of a failed task to the next one', async () => {
  const inSlot = createSlots(1);
  await expect(inSlot(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await inSlot(async () => 'next')).toBe('next');
});
